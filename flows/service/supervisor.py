"""`kappaflow serve`: start a local Prefect server and the scheduler, watch both, and end them in order.

This process only supervises its children: the server, the scheduler, and the dashboard if it is wanted. Each child
leads its own process group, so that ending the group also ends what the child started, such as a flow run in progress.
If this process is killed, each child ends its group by itself (flows.service.supervised). If the machine's clock is set
back, all children end and start again.
This module imports nothing of Prefect.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from flows.dashboard.visitors import TOKEN_VARIABLE as DASHBOARD_TOKEN
from flows.project_folder import SERVED, Project
from flows.service.access import CLIENT_PASSWORD, SERVER_PASSWORD, new_password, password_file, server_environment
from flows.service.environment import RETENTION, prefect_environment
from flows.service.listening import listening_socket
from flows.service.prefect_database import retention
from flows.service.service_record import only_service
from flows.service.supervised import SUPERVISOR
from flows.service.webhook import parse_address, webhook_token
from warehouse.errors import WarehouseError

log = logging.getLogger("kappaflow")
MAX_SECONDS_TO_END = 10.0  # for each group, before it is killed
MAX_SECONDS_TO_START = 120.0  # for the server
SERVER = "Prefect's server"
MIN_SECONDS_SET_BACK = 60.0  # after less, runs come again by themselves within that time


def serve(
    project: Project,
    *,
    every: int | None,
    cron: str | None,
    host: str,
    port: int,
    webhook: str | None = None,
    dashboard: str | None = None,
) -> int:
    """Run the schedule until SIGTERM or SIGINT, and return the exit code: 0, or 1 if a child ended by itself.

    A Prefect server is started on host:port unless PREFECT_API_URL is set. `webhook` is a port or HOST:PORT where a
    POST starts a run, too; `dashboard` one where the live pages are served. Raises InputError if a port is taken, if
    the webhook has no token, or if another process serves the project.
    """
    if webhook is not None:
        webhook_token()
    schedule, stop, clock = _schedule(every, cron, project), _Stop(), Clock()
    while True:
        code = _serve_until_clock_is_set_back(project, schedule, (host, port), webhook, dashboard, stop, clock)
        if code is not None:
            return code


def _serve_until_clock_is_set_back(
    project: Project,
    schedule: tuple[int | None, str | None, str],
    address: tuple[str, int],
    webhook: str | None,
    dashboard: str | None,
    stop: "_Stop",
    clock: "Clock",
) -> int | None:
    """Start the children and watch them. Return the exit code of `serve`, or None if it has to start them again."""
    environment = {**os.environ, **prefect_environment(project), SERVED: str(project.folder)}
    if RETENTION not in os.environ:
        environment[RETENTION] = str(int(retention(*schedule).total_seconds()))
    every, cron, timezone = schedule
    with (
        only_service(project, every=every, cron=cron, timezone=timezone),
        _free_ports({"--webhook": webhook, "--dashboard-at": dashboard}),
        _server(environment, project, *address, stop) as (url, server),
    ):
        if stop.requested:
            return 0
        environment["PREFECT_API_URL"] = url
        options = [*_options(*schedule), *(["--webhook", webhook] if webhook is not None else [])]
        with (
            _dashboard(environment, project, dashboard) as pages,
            _group([sys.executable, "-m", "flows.service.scheduler", *options], environment) as runner,
        ):
            children = {SERVER: server, "The scheduler": runner, "The dashboard": pages}
            return _watch({name: child for name, child in children.items() if child}, stop, clock)


class Clock:
    """Notice that the machine's clock was set back.

    Prefect's server then plans no run until the clock has caught up, and a run that it has handed out waits as long.
    """

    def __init__(
        self, wall_clock: Callable[[], float] = time.time, steady_clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.wall_clock, self.steady_clock = wall_clock, steady_clock
        self.difference = wall_clock() - steady_clock()

    def seconds_set_back(self) -> float:
        """Return by how much the clock was set back since the last call, 0 if it was not or by less than a minute."""
        before, self.difference = self.difference, self.wall_clock() - self.steady_clock()
        seconds = before - self.difference
        return seconds if seconds >= MIN_SECONDS_SET_BACK else 0.0


class _Stop:
    """Record SIGTERM and SIGINT, so that the supervisor ends between two steps and not within one."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._request)

    def _request(self, number: int, _frame: object) -> None:
        self.requested = True


def _schedule(every: int | None, cron: str | None, project: Project) -> tuple[int | None, str | None, str]:
    """Return seconds or a cron line, and its time zone, from the command or else from kappaflow.toml."""
    schedule = project.settings.schedule
    timezone = schedule.timezone or project.settings.project.timezone
    if every is None and (cron is not None or schedule.cron is not None):
        return None, cron or schedule.cron, timezone
    return every or schedule.every, None, timezone


def _options(every: int | None, cron: str | None, timezone: str) -> list[str]:
    return ["--cron", cron, "--timezone", timezone] if cron else ["--every", str(every)]


@contextmanager
def _server(
    environment: dict[str, str], project: Project, host: str, port: int, stop: _Stop
) -> Iterator[tuple[str, subprocess.Popen[bytes] | None]]:
    """Start a Prefect server, unless PREFECT_API_URL is set. Yield the address of its API and its process.

    The password goes into `environment` for the scheduler, and into a file for the user.
    """
    if url := environment.get("PREFECT_API_URL"):
        log.info("Prefect's pages: %s", url.removesuffix("/api"))
        yield url, None
        return
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/api"
    password = environment.pop(SERVER_PASSWORD, None) or new_password()
    environment[CLIENT_PASSWORD] = password
    variables = {"PREFECT_UI_API_URL": "/api", **server_environment(environment), SERVER_PASSWORD: password}
    command = [sys.executable, "-m", "flows.service.prefect_server", "--host", host, "--port", str(port)]
    path = project.password_file(port)
    # The server gets a socket that listens already: until it has started, nobody else can take the port.
    with (
        _listen(host, port) as listener,
        password_file(path, password),
        _group([*command, "--socket", str(listener.fileno())], variables, listener) as server,
    ):
        _wait_until_healthy(url, server, stop, Path(variables["PREFECT_HOME"]))
        log.info("Prefect's pages: %s (the password is the line in %s)", url.removesuffix("/api"), path)
        yield url, server


@contextmanager
def _dashboard(
    environment: dict[str, str], project: Project, address: str | None
) -> Iterator[subprocess.Popen[bytes] | None]:
    """Start the live pages if they are wanted. They get no password or token but their own."""
    if address is None:
        yield None
        return
    host, port = parse_address(address, "--dashboard-at")
    variables = server_environment(environment)
    if DASHBOARD_TOKEN in environment:
        variables[DASHBOARD_TOKEN] = environment[DASHBOARD_TOKEN]
    options = ["--project", str(project.folder), "--host", host, "--port", str(port)]
    with _group([sys.executable, "-m", "flows", "dashboard", *options], variables) as pages:
        yield pages


@contextmanager
def _free_ports(addresses: Mapping[str, str | None]) -> Iterator[None]:
    """Check that the addresses of these options can be used. Raises InputError if one is taken."""
    for option, address in addresses.items():
        if address is not None:
            _check_free(*parse_address(address, option), option=option)
    yield


def _check_free(host: str, port: int, option: str) -> None:
    with _listen(host, port, option):
        pass


def _listen(host: str, port: int, option: str = "--host") -> closing[socket.socket]:
    """Return a socket that listens on host:port. Raises InputError if the port is taken or the address is not here."""
    other = f"Choose another one with {option}."
    if option == "--host":
        other = "Choose another one with --port N, or set PREFECT_API_URL to the server that runs there."
    subject = f"Port {port} on {host} cannot be used"
    return closing(listening_socket(host, port, subject=subject, option=option, other_port=other))


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], stop: _Stop, home: Path) -> None:
    deadline = time.monotonic() + MAX_SECONDS_TO_START
    while not stop.requested and time.monotonic() < deadline:
        if server.poll() is not None:
            raise _not_started(f"ended by itself with exit code {server.returncode}", home)
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    if not stop.requested:
        raise _not_started(f"did not answer within {MAX_SECONDS_TO_START:.0f} seconds", home)


def _not_started(how: str, home: Path) -> WarehouseError:
    return WarehouseError(f"Prefect's server {how}.", f"{home / 'server.log'} says more. Nothing was stored.")


@contextmanager
def _group(
    command: list[str], environment: dict[str, str], *sockets: socket.socket
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a child process that leads its own group. At the end, interrupt the whole group, and then kill it.

    The child takes over the sockets, and this process closes them.
    """
    variables = {**environment, SUPERVISOR: str(os.getpid())}
    files = [listener.fileno() for listener in sockets]
    child = subprocess.Popen(command, env=variables, start_new_session=True, stdin=subprocess.DEVNULL, pass_fds=files)
    for listener in sockets:
        listener.close()
    try:
        yield child
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + MAX_SECONDS_TO_END
    # SIGINT, as Ctrl-C sends it: on SIGTERM Prefect's runner prints a traceback.
    _signal(child, signal.SIGINT)
    while time.monotonic() < deadline and _is_alive(child):
        time.sleep(0.1)
    _signal(child, signal.SIGKILL)
    child.wait()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def _is_alive(child: subprocess.Popen[bytes]) -> bool:
    """Return whether a process of the group still runs."""
    child.poll()  # otherwise a child that has ended stays a zombie, which counts as running
    try:
        os.killpg(child.pid, 0)
    except ProcessLookupError:
        return False
    return True


def _watch(children: Mapping[str, subprocess.Popen[bytes]], stop: _Stop, clock: Clock) -> int | None:
    while not stop.requested:
        if seconds := clock.seconds_set_back():
            log.warning(
                "This machine's clock was set back by %s. %s would wait until it has caught up, and %s. A run in "
                "progress stops here; the next one does what is left.",
                timedelta(seconds=round(seconds)),
                SERVER,
                "starts again" if SERVER in children else "only you can start it again, if it is on this machine",
            )
            return None
        for name, child in children.items():
            if child.poll() is not None:
                log.error("%s ended by itself with exit code %s", name, child.returncode)
                return 1
        time.sleep(0.2)
    log.info("Ending. A run in progress stops here; the next one does what is left.")
    return 0
