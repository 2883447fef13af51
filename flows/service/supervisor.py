"""`kappaflow serve`: a local Prefect server and a runner with the schedule, and their orderly end.

This process only supervises two child processes, each the head of a process group of its own, so that ending a group
ends whatever it started (the server's helpers, a flow run in progress). Nothing of Prefect is imported here.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from flows.project_folder import SERVED, Project
from flows.service.access import CLIENT_PASSWORD, SERVER_PASSWORD, new_password, password_file, server_environment
from flows.service.environment import RETENTION, prefect_environment
from flows.service.prefect_database import retention
from flows.service.webhook import parse_address, webhook_token
from tasks.errors import InputError

log = logging.getLogger("kappaflow")
GRACE = 10.0  # seconds that a group has to end by itself, per group; with two groups the end takes at most 20
SERVER_START = 120.0


def serve(
    project: Project, *, every: int | None, cron: str | None, host: str, port: int, webhook: str | None = None
) -> int:
    """Run the schedule until SIGTERM or SIGINT; gives 0 then, 1 when a child died by itself.

    Starts a server on host:port unless PREFECT_API_URL names one. With `webhook`, a port or HOST:PORT, a POST there
    starts a run, too.
    """
    if webhook is not None:
        webhook_token()
        _check_free(*parse_address(webhook), option="--webhook")
    schedule = _schedule(every, cron, project)
    environment = {**os.environ, **prefect_environment(project), SERVED: str(project.folder)}
    if RETENTION not in os.environ:
        environment[RETENTION] = str(int(retention(*schedule).total_seconds()))
    stop = _Stop()
    with _server(environment, project, host, port, stop) as (url, server):
        if stop.asked:
            return 0
        environment["PREFECT_API_URL"] = url
        options = [*_options(*schedule), *(["--webhook", webhook] if webhook is not None else [])]
        with _group([sys.executable, "-m", "flows.service.scheduler", *options], environment) as runner:
            return _watch([child for child in (server, runner) if child], stop)


class _Stop:
    """Set by SIGTERM or SIGINT; the supervisor looks at it instead of being torn out of what it does."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, number: int, _frame: object) -> None:
        self.asked = True


def _schedule(every: int | None, cron: str | None, project: Project) -> tuple[int | None, str | None, str]:
    """Return seconds or a cron line, and its time zone: those of the command, else those of kappaflow.toml."""
    schedule = project.settings.schedule
    if every is None and (cron is not None or schedule.cron is not None):
        return None, cron or schedule.cron, schedule.timezone
    return every or schedule.every, None, schedule.timezone


def _options(every: int | None, cron: str | None, timezone: str) -> list[str]:
    return ["--cron", cron, "--timezone", timezone] if cron else ["--every", str(every)]


@contextmanager
def _server(
    environment: dict[str, str], project: Project, host: str, port: int, stop: _Stop
) -> Iterator[tuple[str, subprocess.Popen[bytes] | None]]:
    """The API that the runner talks to: the one that is configured, else a server of our own.

    Its password goes into `environment` for the runner, and into a file for the user.
    """
    if url := environment.get("PREFECT_API_URL"):
        log.info("Prefect's pages: %s", url.removesuffix("/api"))
        yield url, None
        return
    _check_free(host, port)
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/api"
    password = environment.pop(SERVER_PASSWORD, None) or new_password()
    environment[CLIENT_PASSWORD] = password
    own = {"PREFECT_UI_API_URL": "/api", **server_environment(environment), SERVER_PASSWORD: password}
    command = [sys.executable, "-m", "flows.service.prefect_server", "--host", host, "--port", str(port)]
    path = project.password_file(port)
    with password_file(path, password), _group(command, own) as server:
        _wait_until_healthy(url, server, stop)
        log.info("Prefect's pages: %s (the password is the line in %s)", url.removesuffix("/api"), path)
        yield url, server


def _check_free(host: str, port: int, option: str = "--port") -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InputError(
                f"Port {port} on {host} cannot be used: {error.strerror}.",
                "Name another with --webhook."
                if option == "--webhook"
                else "Name another with --port N, or set PREFECT_API_URL to the server that runs there.",
            ) from None


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], stop: _Stop) -> None:
    deadline = time.monotonic() + SERVER_START
    while not stop.asked and time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"Prefect's server ended by itself with exit code {server.returncode}; see its log.")
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    if not stop.asked:
        raise RuntimeError(f"Prefect's server did not answer within {SERVER_START:.0f} seconds.")


@contextmanager
def _group(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A child process at the head of its own group; at the end the whole group is ended, gently, then not."""
    child = subprocess.Popen(command, env=environment, start_new_session=True, stdin=subprocess.DEVNULL)
    try:
        yield child
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + GRACE
    # As Ctrl-C would: Prefect's runner answers SIGTERM with a traceback of its own.
    _signal(child, signal.SIGINT)
    while time.monotonic() < deadline and _alive(child):
        time.sleep(0.1)
    _signal(child, signal.SIGKILL)
    child.wait()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def _alive(child: subprocess.Popen[bytes]) -> bool:
    """Whether anything of the group still runs; poll() first, so that the head does not linger as a zombie."""
    child.poll()
    try:
        os.killpg(child.pid, 0)
    except ProcessLookupError:
        return False
    return True


def _watch(children: list[subprocess.Popen[bytes]], stop: _Stop) -> int:
    while not stop.asked:
        for child in children:
            if child.poll() is not None:
                log.error("%s ended by itself with exit code %s", child.args[2], child.returncode)  # type: ignore[index]
                return 1
        time.sleep(0.2)
    log.info("ending ...")
    return 0
