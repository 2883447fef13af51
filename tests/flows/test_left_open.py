"""A run that was killed is closed by the next one, in the warehouse and in Prefect's own record."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun, StateType

TABLE = "item,rater,label\n" + "".join(f"{i},{r},{'x' if i % 3 else 'y'}\n" for i in range(9) for r in "ab")


def _runs_of(client: SyncPrefectClient, project: Path) -> list[FlowRun]:
    return [run for run in client.read_flow_runs() if run.parameters.get("folder") == str(project)]


def _until_running(client: SyncPrefectClient, project: Path, process: "subprocess.Popen[bytes]") -> FlowRun:
    while process.poll() is None:
        for run in _runs_of(client, project):
            if run.state_type == StateType.RUNNING:
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
            killed = _until_running(client, project, process)
            os.killpg(process.pid, signal.SIGKILL)
        assert killed.tags == [f"process:{os.uname().nodename}:{process.pid}"]
        kappaflow("run", "--project", project, PREFECT_API_URL=prefect_server)
        (found,) = client.read_flow_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[killed.id])))
        assert found.state_type == StateType.CRASHED
        states = sorted(str(run.state_type) for run in _runs_of(client, project))
    assert states == ["StateType.COMPLETED", "StateType.CRASHED"]
    query = "select status from runs where question is null and status = 'running'"
    assert kappaflow_json("sql", query, "--project", project) == []
