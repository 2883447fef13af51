"""Flow runs whose process was killed. In Prefect they stay Running until somebody closes them."""

import os
import re
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterState, FlowRunFilterStateType
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.context import FlowRunContext
from prefect.states import Crashed

MAX_START = timedelta(minutes=10)  # a run has its tag within a second; without one after this time it was killed
_PREFIX = "process"
_TAG = re.compile(rf"{_PREFIX}:(.+):(\d+)")
_OPEN = FlowRunFilter(
    state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.RUNNING, StateType.PENDING]))
)


def mark_run() -> None:
    """Tag the flow run of this process with the name of the machine and the id of the process.

    The tag is added after the run has begun. Otherwise its tasks would get the tag, too. For each tag of a task the
    client asks the server for a slot, and twenty processes at once do not all get one.
    """
    context = FlowRunContext.get()
    run = context.flow_run if context else None
    if run is not None and _tag() not in run.tags:
        with get_client(sync_client=True) as client:
            client.update_flow_run(run.id, tags={*run.tags, _tag()})


def close_stale_runs(folder: Path) -> list[str]:
    """Mark flow runs on this project as Crashed if their process on this machine has ended. Return their names."""
    with get_client(sync_client=True) as client:
        open_runs = client.read_flow_runs(flow_run_filter=_OPEN)
        stale_runs = [run for run in open_runs if is_stale(run, folder, datetime.now(UTC))]
        for run in stale_runs:
            client.set_flow_run_state(run.id, Crashed(message="The process ended before the run did."), force=True)
    return [run.name for run in stale_runs]


def is_stale(run: FlowRun, folder: Path, now: datetime) -> bool:
    """Return whether the process of an open run on the project has ended.

    A run without a tag is stale after MAX_START: it was killed before it could set one. So is one that seems to have
    begun so long after now: the clock was set back since. A run that waits in a work pool is never stale.
    """
    if run.parameters.get("folder") != str(folder):
        return False
    processes = [match.groups() for tag in run.tags if (match := _TAG.fullmatch(tag))]
    if not processes:
        since = run.state.timestamp if run.state else now
        return run.work_pool_name is None and abs(now - since) > MAX_START
    return any(host == socket.gethostname() and not _is_alive(process) for host, process in processes)


def _tag() -> str:
    return f"{_PREFIX}:{socket.gethostname()}:{os.getpid()}"


def _is_alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # the process of another user
    return True
