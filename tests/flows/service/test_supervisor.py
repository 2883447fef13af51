"""`kappaflow serve`: a scheduled run is seen to fire, and a signal ends everything that was started."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows.project_folder import find_project
from flows.service import supervisor
from flows.service.service_record import only_service
from tests.flows.service.conftest import Served, children, until

Json = Callable[..., Any]
TABLE = "item,rater,label\n" + "".join(
    f"{i},{r},{'yes' if (i + len(r)) % 3 else 'no'}\n" for i in range(12) for r in "ab"
)


@contextmanager
def _serving(command: Path, project: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
    with (project / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [command, "serve", "--project", project, "--every", "5", "--port", str(port)],
            env={**clean, "HOME": str(project)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def _evaluated(project: Path, kappaflow_json: Json, question: str) -> bool:
    if not (project / "published" / "snapshot.duckdb").exists():
        return False
    rows = kappaflow_json("sql", "select distinct question from latest_agreement", "--project", project)
    return {"question": question} in rows


@pytest.mark.xdist_group("prefect")
def test_a_scheduled_run_fires_and_takes_in_what_was_dropped_into_the_inbox(
    tmp_path: Path, command: Path, port: int, kappaflow_json: Json
) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    with _serving(command, project, port) as process:
        (project / "inbox" / "first.csv").write_text(TABLE)
        until(lambda: _evaluated(project, kappaflow_json, "first"), 150, project / "serve.log")
        (project / "inbox" / "second.csv").write_text(TABLE + "99,a,no\n")
        until(lambda: _evaluated(project, kappaflow_json, "second"), 60, project / "serve.log")
        started = children(process.pid)
        assert len(started) >= 2  # a server and a runner
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert not (project / ".prefect").exists(), "Prefect's folder in HOME, which is the project here"
    left = [pid for pid in started if Path(f"/proc/{pid}").exists()]
    assert left == []


@pytest.mark.xdist_group("prefect")
def test_what_serve_started_ends_when_serve_is_killed(tmp_path: Path, command: Path, port: int) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    with _serving(command, project, port) as process:
        until(lambda: "A run starts now" in (project / "serve.log").read_text(), 150, project / "serve.log")
        started = children(process.pid)
        process.kill()
        process.wait()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started), 30, project / "serve.log")


def test_a_second_serve_says_so_before_it_looks_at_ports(tmp_path: Path, kappaflow: Any, port: int) -> None:
    import socket

    (tmp_path / "inbox").mkdir()
    with only_service(find_project(tmp_path), every=60, cron=None, timezone="UTC"), socket.socket() as other:
        other.bind(("127.0.0.1", port))
        result = kappaflow("serve", "--project", tmp_path, "--dashboard-at", port, code=2)
    assert result.stderr.startswith("Another `kappaflow serve` works on")


def test_another_port_does_not_mend_a_wrong_address(tmp_path: Path, kappaflow: Any) -> None:
    (tmp_path / "inbox").mkdir()
    for options, problem, example in (
        (("--host", "no.such.host.invalid"), "Port 4200 on no.such.host.invalid cannot be used: ", "--host 127.0.0.1"),
        (("--host", ""), "--host is empty.", "--host 127.0.0.1"),
        (("--dashboard-at", "192.0.2.1:8600"), "Port 8600 on 192.0.2.1", "--dashboard-at 127.0.0.1:8600"),
    ):
        result = kappaflow("serve", "--project", tmp_path, *options, code=2)
        assert result.stderr.startswith(problem)
        assert f"Give an address of this machine: {example}. 0.0.0.0 stands for all" in result.stderr


@pytest.mark.xdist_group("prefect")
def test_of_two_services_that_start_at_once_on_one_port_the_second_says_so(
    tmp_path: Path, command: Path, port: int
) -> None:
    projects = [tmp_path / "one", tmp_path / "two"]
    for project in projects:
        (project / "inbox").mkdir(parents=True)
    logs = [project / "serve.log" for project in projects]
    with _serving(command, projects[0], port) as result, _serving(command, projects[1], port) as two:
        until(lambda: (result.poll(), two.poll()) != (None, None), 60, logs[1])
        codes = [result.poll(), two.poll()]
        second = codes.index(2)
        assert codes[1 - second] is None
        assert logs[second].read_text().startswith(f"Port {port} on 127.0.0.1 cannot be used: ")
        assert "Traceback" not in logs[second].read_text()
        first = (two, result)[second]
        first.send_signal(signal.SIGTERM)
        assert first.wait(60) == 0


@pytest.mark.field_trial(32)
@pytest.mark.field_trial(29)
@pytest.mark.xdist_group("prefect")
def test_serve_runs_when_it_starts_and_says_when_the_next_run_is_due(served: Served, kappaflow_json: Json) -> None:
    """In a folder of hostile modules."""
    until(lambda: _evaluated(served.project, kappaflow_json, "first"), 150, served.log)
    started = kappaflow_json("sql", "select min(started_at) as at from runs", "--project", served.project)[0]["at"]
    text = re.search(r"A run starts now; the next one is due at (\S+ \S+) (\S+)\.", served.log.read_text())
    assert text is not None
    due = datetime.fromisoformat(text[1]).astimezone()  # said in this machine's time zone
    wait = due - datetime.fromisoformat(started).replace(tzinfo=UTC)
    assert timedelta(minutes=55) < wait <= timedelta(hours=1)
    in_status = kappaflow_json("status", "--project", served.project)["service"]["next_run"]
    assert datetime.fromisoformat(in_status).replace(microsecond=0) == due
    assert "was imported" not in served.log.read_text()


def test_a_port_that_is_taken_is_named(tmp_path: Path, kappaflow: Any, port: int) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        result = kappaflow("serve", "--port", str(port), code=2)
    assert f"Port {port}" in result.stderr


@pytest.mark.parametrize(
    ("wall_clock", "steady_clock", "set_back"),
    [
        ([1000.0, 1001.0, 1002.0], [5.0, 6.0, 7.0], [0.0, 0.0]),
        ([1000.0, 401.0, 402.0], [5.0, 6.0, 7.0], [600.0, 0.0]),  # once, not at each later look
        ([1000.0, 942.0, 884.0], [5.0, 6.0, 7.0], [0.0, 0.0]),  # by less than a minute each time
        ([1000.0, 90_001.0, 1002.0], [5.0, 6.0, 7.0], [0.0, 89_000.0]),  # the clock was ahead for a second
        ([1000.0, 9000.0, 9001.0], [5.0, 6.0, 7.0], [0.0, 0.0]),  # the machine slept
    ],
)
def test_a_clock_that_is_set_back_is_noticed(
    wall_clock: list[float], steady_clock: list[float], set_back: list[float]
) -> None:
    clock = supervisor.Clock(iter(wall_clock).__next__, iter(steady_clock).__next__)
    assert [clock.seconds_set_back(), clock.seconds_set_back()] == set_back


@pytest.fixture
def signal_handlers() -> Iterator[None]:
    """Give the test process its own handlers back after `serve` ran in it."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signal_handlers")
def test_everything_starts_again_if_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "inbox").mkdir()
    starts: list[str] = []

    @contextmanager
    def start(command: list[str], *_: object) -> Iterator[SimpleNamespace]:
        starts.append(command[2])
        if len(starts) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        yield SimpleNamespace(poll=lambda: None)

    three_days = 3 * 86_400.0
    clock = supervisor.Clock(lambda: time.time() - three_days * len(starts[:1]))
    monkeypatch.setattr(supervisor, "Clock", lambda: clock)
    monkeypatch.setattr(supervisor, "_group", start)
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")  # so that no server is started
    with caplog.at_level("WARNING", logger="kappaflow"):
        code = supervisor.serve(find_project(tmp_path), every=900, cron=None, host="127.0.0.1", port=4200)
    assert (code, starts) == (0, ["flows.service.scheduler"] * 2)
    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning.startswith(
        "This machine's clock was set back by 3 days, 0:00:00. Prefect's server would wait until it has caught up, and "
        "only you can start it again, if it is on this machine. "
    )
