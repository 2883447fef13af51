"""What tests of several packages need: the installed command, a project folder, one real Prefect server."""

import gc
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Before NumPy is imported, also for the processes that tests start. Polars keeps its threads: with one the tests of
# stats and of storing took 3 to 13 percent more processor time, on two busy cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from flows.service.environment import quiet_end
from tests import shared
from tests.preloaded import client

quiet_end()
shared.one_thread()
# The same examples in each run: a build that failed can be seen to fail again.
settings.register_profile("the same examples", derandomize=True, deadline=None, database=None)
settings.load_profile("the same examples")
COMMAND = Path(sys.executable).with_name("kappaflow")
EXAMPLES = Path(__file__).parents[1] / "examples"
Kappaflow = Callable[..., subprocess.CompletedProcess[str]]


@pytest.hookimpl(tryfirst=True)  # before the one that reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests that need the server run in one worker, so that there is one server."""
    for item in items:
        if {"prefect_server", "demo_project"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("prefect"))
            item.add_marker(pytest.mark.prefect)


def pytest_collection_finish() -> None:
    """Let collections of garbage pass over the 9,000 tests themselves and what they have imported: a tenth of the
    processor time went there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument and number, not by their contents: a packed file holds the time it was made, and
    the workers would then collect tests of different names."""
    return argname if isinstance(val, bytes) else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in a line what was not tried, for want of a browser or of MkDocs: -q hides it."""
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ())
               if isinstance(report.longrepr, tuple)}  # fmt: skip
    for reason in sorted(reasons):
        if "Chromium" in reason or "MkDocs" in reason:
            terminalreporter.write_line(f"not tried: {reason.removeprefix('Skipped: ')}")


def pytest_unconfigure() -> None:
    """Hypothesis leaves a callback behind that keeps the whole test session alive to the end of the process, where
    DuckDB reports its types in it as leaked."""
    gc.callbacks[:] = [each for each in gc.callbacks if not each.__module__.startswith("hypothesis")]


def free_ports(n: int) -> list[int]:
    """Return different ports: the system may give one a second time as soon as it is closed."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(n)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def free_port() -> int:
    return free_ports(1)[0]


@pytest.fixture(scope="session")
def command() -> Path:
    """The installed command."""
    return COMMAND


@pytest.fixture
def port() -> int:
    """A port that nobody listens on."""
    return free_port()


@pytest.fixture(scope="session")
def empty_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated warehouse without data, to copy."""
    return shared.empty_warehouse(tmp_path_factory)


@pytest.fixture(scope="session", autouse=True)
def new_warehouses_are_copies(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let a new warehouse be a copy of the migrated one, but in tests/warehouse and tests/crash."""
    shared.copy_for_new_warehouses(lambda: shared.empty_warehouse(tmp_path_factory))


@pytest.fixture(scope="session", autouse=True)
def short_second_look() -> None:
    """Let tests wait a hundredth of a second, not a fifth, before the second look at a file that they have just written
    (tests/tasks/sources/test_folder.py changes the file in that time)."""
    shared.shorten_second_look()


@pytest.fixture(scope="session")
def preloaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | None]:
    """The socket of a process that has imported what the commands need (tests/preloaded). None where the system cannot
    tell when a copy of a process has ended: the installed program is started then."""
    if not hasattr(os, "pidfd_open"):
        yield None
        return
    empty = shared.empty_warehouse(tmp_path_factory)
    short = None if len(os.fsencode(tempfile.gettempdir())) < 80 else "/tmp"  # an address has at most 107 bytes
    with tempfile.TemporaryDirectory(prefix="kf", dir=short) as folder:
        address = Path(folder) / "socket"
        with subprocess.Popen([sys.executable, "-m", "tests.preloaded.server", address, empty], stdin=subprocess.PIPE,
                              cwd=EXAMPLES.parent) as server:  # fmt: skip
            until(address.exists, 120, "the preloaded process")
            yield address
            assert server.stdin is not None
            server.stdin.close()


@pytest.fixture(scope="session")
def search_path(preloaded: Path | None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """PATH for a shell, in which `kappaflow` asks the preloaded process."""
    folders = [str(COMMAND.parent), os.environ["PATH"]]
    if preloaded is not None:
        folder = tmp_path_factory.mktemp("bin")
        words = [sys.executable, "-ISE", client.__file__, str(preloaded)]
        (folder / COMMAND.name).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        (folder / COMMAND.name).chmod(0o755)
        folders.insert(0, str(folder))
    return os.pathsep.join(folders)


@pytest.fixture
def kappaflow(tmp_path: Path, preloaded: Path | None) -> Kappaflow:
    """Run the command as a user does: no terminal, an empty HOME, wide enough not to wrap.

    A copy of the preloaded process runs it, unless the test sets variables that Python reads when it starts.
    """

    def run(
        *arguments: str | Path, code: int = 0, timeout: float = 120, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
        words, variables = (
            [str(each) for each in arguments],
            {**clean, "HOME": str(tmp_path), "COLUMNS": "200", **environment},
        )
        if preloaded and not any(name.startswith(("PYTHON", "LC_", "LANG")) for name in environment):
            result = client.run(preloaded, words, folder=tmp_path, environment=variables, seconds=timeout)
        else:
            result = subprocess.run([str(COMMAND), *words], capture_output=True, text=True, timeout=timeout,
                                    cwd=tmp_path, stdin=subprocess.DEVNULL, check=False, env=variables)  # fmt: skip
        assert result.returncode == code, f"exit {result.returncode}, expected {code}\n{result.stdout}\n{result.stderr}"
        if code == 2:
            assert "Traceback" not in result.stderr
            assert result.stdout == ""
        return result

    return run


@pytest.fixture
def kappaflow_json(kappaflow: Kappaflow) -> Callable[..., Any]:
    """The same with --json: the one value that it printed."""

    def run(*arguments: str | Path, **rest: Any) -> Any:
        def refuse(text: str) -> None:
            raise AssertionError(f"{text} is no JSON")

        return json.loads(kappaflow(*arguments, "--json", **rest).stdout, parse_constant=refuse)

    return run


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Prefect server of the installed version for the whole session; gives its API's address."""
    port, home = free_port(), tmp_path_factory.mktemp("prefect")
    url = f"http://127.0.0.1:{port}/api"
    environment = {
        **os.environ,
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_API_URL": url,
    }
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)],
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            wait_until_it_answers(f"{url}/health", 120)
            yield url
        finally:
            server.terminate()
            server.wait(20)


@dataclass(frozen=True)
class DemoRuns:
    """The bundled example: the folder after its first run and after that of the late export, and what both printed with
    --json."""

    after_first: Path
    folder: Path
    first: Any
    late: Any


@pytest.fixture(scope="session")
def demo_runs(tmp_path_factory: pytest.TempPathFactory, prefect_server: str) -> DemoRuns:
    """Run the bundled example, laid out as `make demo` does, twice with the installed command."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    after_first = folder.with_name("after_first")
    shutil.copytree(EXAMPLES / "demo", folder)
    for table in (EXAMPLES / "literature").glob("*.csv"):
        shutil.copy(table, folder / "inbox")

    def run() -> Any:
        result = subprocess.run([str(COMMAND), "run", "--json", "--project", str(folder)], check=True, timeout=300,
                                capture_output=True, env={**os.environ, "PREFECT_API_URL": prefect_server},
                                stdin=subprocess.DEVNULL)  # fmt: skip
        return json.loads(result.stdout)

    first = run()
    shutil.copytree(folder, after_first)
    shutil.copy(folder / "late" / "support_2026-03-27.json", folder / "inbox")
    return DemoRuns(after_first, folder, first, run())


@pytest.fixture(scope="session")
def demo_project(demo_runs: DemoRuns) -> Path:
    """The bundled example after two runs, as `make demo` leaves it; not to be changed by a test."""
    return demo_runs.folder


def wait_until_it_answers(url: str, seconds: float) -> None:
    """For a server that was just started."""
    until(lambda: _answers(url), seconds, url)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except (urllib.error.URLError, OSError):
        return False


def until(happens: Callable[[], bool], seconds: float, name: str) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{name} did not answer within {seconds} s")
        time.sleep(0.1)
