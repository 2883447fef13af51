"""Prefect's server for one project, started as `python -m flows.service.prefect_server`.

It is the server of `prefect server start`, or the temporary server of `kappaflow run`, with three differences: it
answers only under its own address, its log files have a limit, and servers of one database wait for each other.
"""

import argparse
import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flows.service.access import own_origins
from flows.service.prefect_database import shrink
from flows.service.supervised import end_with_supervisor

if TYPE_CHECKING:
    from fastapi import FastAPI

ORIGINS = "PREFECT_SERVER_CORS_ALLOWED_ORIGINS"
MAX_LOG_BYTES, MAX_OLD_LOGS = 1_000_000, 2
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def main() -> None:
    """Serve Prefect's API until a signal ends it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--socket", type=int, help="number of the open file of a socket that listens there")
    parser.add_argument("--temporary", action="store_true")
    options = parser.parse_args()
    end_with_supervisor()
    os.environ.setdefault(ORIGINS, ",".join(own_origins(options.host, options.port)))
    if options.temporary:
        os.environ["PREFECT_SERVER_UI_ENABLED"] = "false"
        threading.Thread(target=_end_with_the_owner, daemon=True).start()

    # Prefect reads its settings when it is imported.
    import uvicorn
    from prefect.server.api.server import create_app
    from prefect.settings import get_current_settings

    wait_for_locks_at_the_beginning()
    _keep_write_ahead_log_short()
    settings = get_current_settings()
    shrink(settings.home / "prefect.db")
    app = create_app(final=True, ephemeral=options.temporary)
    _start_one_at_a_time(app, settings.home / "starting.lock")
    if options.temporary:
        _prune_at_start(app)
    _log_to_file(settings.home / ("temporary-server.log" if options.temporary else "server.log"))
    config = uvicorn.Config(
        AddressCheck(app, os.environ[ORIGINS].split(",")),
        host=options.host,
        port=options.port,
        timeout_keep_alive=settings.server.api.keepalive_timeout,
        ws_ping_interval=settings.server.api.websocket_ping_interval,
        ws_ping_timeout=settings.server.api.websocket_ping_timeout,
        log_config=None,
        access_log=False,
    )
    server = uvicorn.Server(config)
    server.run([socket.socket(fileno=options.socket)] if options.socket is not None else None)
    if not server.started:
        sys.exit(1)


class AddressCheck:
    """Refuse each request with another host in its address, and each request from a page of another server.

    CORS is not enough: it hides the answer from a foreign page, but the request still reaches the server. And if a
    foreign page makes its own name point to this machine (DNS rebinding), the origin is the same. Only the Host header
    shows it.
    """

    def __init__(self, app: App, origins: Iterable[str]) -> None:
        self.app = app
        self.origins = {origin.strip() for origin in origins}
        self.hosts = {urlsplit(origin).hostname for origin in self.origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self._is_own(scope["headers"]):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            text = f"This server answers as {', '.join(sorted(self.origins))}. {ORIGINS} adds others.\n".encode()
            headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(text)).encode())]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": text})

    def _is_own(self, headers: list[tuple[bytes, bytes]]) -> bool:
        if "*" in self.origins:
            return True  # the user allowed every origin
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or _hostname(hosts[0]) not in self.hosts:
            return False
        # Through a tunnel the port differs from the server's. Then the page and the host have the same port.
        return all(origin in self.origins or origin == f"http://{hosts[0]}" for origin in origins)


def _hostname(host: str) -> str | None:
    with suppress(ValueError):
        return urlsplit(f"//{host}").hostname
    return None


def wait_for_locks_at_the_beginning() -> None:
    """Make each transaction of the server take the write lock when it begins.

    Prefect begins most transactions without a lock. If a transaction reads, another one writes, and then the first one
    writes, SQLite raises 'database is locked' at once, whatever its timeout.
    """
    from prefect.server.database.configurations import AioSqliteConfiguration

    begin = AioSqliteConfiguration.begin_transaction

    def begin_with_lock(self: Any, session: Any, with_for_update: bool = False) -> Any:
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_with_lock  # type: ignore[method-assign]


def _keep_write_ahead_log_short() -> None:
    """Make SQLite move its write-ahead log into the database at every megabyte instead of every four."""
    from prefect.server.database.configurations import AioSqliteConfiguration

    setup = AioSqliteConfiguration.setup_sqlite

    def setup_with_short_log(self: Any, conn: Any, record: Any) -> None:
        setup(self, conn, record)
        cursor = conn.cursor()
        cursor.execute("pragma wal_autocheckpoint = 250")
        cursor.execute("pragma journal_size_limit = 1000000")
        cursor.close()

    AioSqliteConfiguration.setup_sqlite = setup_with_short_log  # type: ignore[method-assign]


def _start_one_at_a_time(app: "FastAPI", path: Path) -> None:
    """Let the servers of a project start one after the other.

    Each brings the same database up to date. Of runs that start at once on a new project, the servers would find each
    other's tables half made, and end.
    """
    if sys.platform == "win32":
        return
    import fcntl

    lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def alone(app: "FastAPI") -> AsyncIterator[Any]:
        async with AsyncExitStack() as running:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w") as lock:  # until the file is closed
                await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
                state = await running.enter_async_context(lifespan(app))
            yield state

    app.router.lifespan_context = alone


def _prune_at_start(app: "FastAPI") -> None:
    """Delete old runs when the server starts: a temporary server has no service for it."""
    from prefect.server.database import provide_database_interface
    from prefect.server.services.db_vacuum import vacuum_old_flow_runs

    lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def pruning(app: "FastAPI") -> AsyncIterator[Any]:
        async with lifespan(app) as state:
            pruned = asyncio.create_task(vacuum_old_flow_runs(db=provide_database_interface()))
            yield state
            pruned.cancel()

    app.router.lifespan_context = pruning


def _end_with_the_owner() -> None:
    """End this server when its input ends, which happens even if the process that started it is killed."""
    with suppress(OSError):
        while os.read(0, 1024):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def _log_to_file(path: Path) -> None:
    """Send the log of Prefect and uvicorn to a file instead of the terminal. A full file is rotated."""
    handler = RotatingFileHandler(path, maxBytes=MAX_LOG_BYTES, backupCount=MAX_OLD_LOGS, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in ("", "uvicorn", "fastapi", "prefect._internal"):
        logging.getLogger(name).handlers = [handler]
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # `kappaflow serve` was stopped while this still imported Prefect
        main()
