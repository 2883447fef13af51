"""A run that was killed is closed by the next one, in the warehouse and in Prefect's own record."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.states import Pending, Running

from flows.service.stale_runs import MAX_START, is_stale
from tests.flows.service.test_supervisor import children
from warehouse.connect import connect
from warehouse.migrate import migrate

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TABLE = "item,rater,label\n" + "".join(f"{i},{r},{'x' if i % 3 else 'y'}\n" for i in range(9) for r in "ab")


def _runs_of(client: SyncPrefectClient, project: Path) -> list[FlowRun]:
    return [run for run in client.read_flow_runs() if run.parameters.get("folder") == str(project)]


def _until_marked(client: SyncPrefectClient, project: Path, process: "subprocess.Popen[bytes]") -> FlowRun:
    while process.poll() is None:
        for run in _runs_of(client, project):
            if run.state_type == StateType.RUNNING and run.tags:  # it marks itself as its first work
                return run
        time.sleep(0.02)
    raise AssertionError("the run had ended before it could be killed")


def test_a_killed_run_is_crashed_in_prefect_too(
    tmp_path: Path,
    command: Path,
    kappaflow: Callable[..., Any],
    kappaflow_json: Callable[..., Any],
    prefect_server: str,
) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    for number in range(6):
        (project / "inbox" / f"table{number}.csv").write_text(TABLE)
    environment = {**os.environ, "PREFECT_API_URL": prefect_server}
    with SyncPrefectClient(prefect_server) as client:
        with subprocess.Popen([command, "run", "--project", project], env=environment, start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # fmt: skip
            killed = _until_marked(client, project, process)
            os.killpg(process.pid, signal.SIGKILL)
        assert killed.tags == [f"process:{os.uname().nodename}:{process.pid}"]
        kappaflow("run", "--project", project, PREFECT_API_URL=prefect_server)
        (result,) = client.read_flow_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[killed.id])))
        assert result.state_type == StateType.CRASHED
        states = sorted(str(run.state_type) for run in _runs_of(client, project))
    assert states == ["StateType.COMPLETED", "StateType.CRASHED"]
    query = "select status from runs where question is null and status = 'running'"
    assert kappaflow_json("sql", query, "--project", project) == []


@contextmanager
def _serving(command: Path, project: Path, url: str) -> Iterator["subprocess.Popen[bytes]"]:
    """`kappaflow serve`, killed at the end with all that it started."""
    with (project / "serve.log").open("ab") as log:
        arguments = [command, "serve", "--project", project, "--every", "5"]
        process = subprocess.Popen(arguments, env={**os.environ, "PREFECT_API_URL": url}, stdout=log, stderr=log)
        try:
            yield process
        finally:
            for number in [process.pid, *children(process.pid)]:
                with suppress(ProcessLookupError):  # a child may end in the meantime
                    os.kill(number, signal.SIGKILL)
            process.wait()


def _until(what: Callable[[], Any], process: "subprocess.Popen[bytes]", project: Path) -> Any:
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if result := what():
            return result
        time.sleep(0.2)
    raise AssertionError((project / "serve.log").read_text()[-4000:])


def test_a_scheduled_run_that_was_killed_is_crashed_once_serve_starts_again(
    tmp_path: Path, command: Path, prefect_server: str
) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    db = project / "warehouse.duckdb"
    with SyncPrefectClient(prefect_server) as client:

        def begun() -> FlowRun | None:
            """A run that has marked itself, and waits for the warehouse."""
            runs = [run for run in _runs_of(client, project) if run.state_type == StateType.RUNNING]
            return next((run for run in runs if any(tag.startswith("process:") for tag in run.tags)), None)

        def closed() -> bool:
            (result,) = client.read_flow_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[killed.id])))
            return result.state_type == StateType.CRASHED

        with connect(db) as con:
            migrate(con)
            with _serving(command, project, prefect_server) as process:
                killed = _until(begun, process, project)
        with _serving(command, project, prefect_server) as process:
            assert _until(closed, process, project)
        for deployment in client.read_deployments():  # else its runs go on being planned
            if deployment.parameters.get("folder") == str(project):
                client.delete_deployment(deployment.id)


def _run(state: Any, *, tags: tuple[str, ...] = (), pool: str | None = None, folder: str = "/p") -> FlowRun:
    return FlowRun(flow_id=uuid4(), parameters={"folder": folder}, tags=list(tags), state=state, work_pool_name=pool)


HOST = os.uname().nodename
MINE, DEAD, ELSEWHERE = f"process:{HOST}:{os.getpid()}", f"process:{HOST}:4194305", "process:elsewhere:4194305"
LONG_AGO = NOW - MAX_START - timedelta(seconds=1)


@pytest.mark.parametrize(
    ("run", "left"),
    [
        (_run(Running(timestamp=LONG_AGO), tags=(MINE,)), False),
        (_run(Running(timestamp=NOW), tags=("nightly", DEAD)), True),
        (_run(Running(timestamp=NOW), tags=(DEAD,), folder="/other"), False),
        (_run(Running(timestamp=LONG_AGO), tags=(ELSEWHERE,)), False),
        (_run(Running(timestamp=NOW)), False),
        (_run(Running(timestamp=LONG_AGO), tags=("process:mine",)), True),
        (_run(Pending(timestamp=LONG_AGO)), True),
        (_run(Pending(timestamp=NOW + MAX_START + timedelta(seconds=1))), True),  # the clock was set back
        (_run(Pending(timestamp=LONG_AGO), pool="cluster"), False),
    ],
)
def test_which_open_runs_are_left(run: FlowRun, left: bool) -> None:
    assert is_stale(run, Path("/p"), NOW) is left
