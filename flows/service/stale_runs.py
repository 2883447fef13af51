"""Prefect's own record of runs whose process was killed: it stays Running until somebody closes it."""

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

UNMARKED = timedelta(minutes=10)  # a run marks itself in its first second; nobody starts one for that long
_MARK = "process"
_MARKED = re.compile(rf"{_MARK}:(.+):(\d+)")
_OPEN = FlowRunFilter(
    state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.RUNNING, StateType.PENDING]))
)


def mark_run() -> None:
    """Give the flow run that this process works on the machine and the number of the process, as a tag.

    It is put on the run itself: tags that a run begins with go to its tasks as well, and for each tag of a task the
    client asks the server for a slot, which twenty processes at once do not all get.
    """
    here = FlowRunContext.get()
    run = here.flow_run if here else None
    if run is not None and _mark() not in run.tags:
        with get_client(sync_client=True) as client:
            client.update_flow_run(run.id, tags={*run.tags, _mark()})


def close_stale_runs(folder: Path) -> list[str]:
    """Mark as Crashed the flow runs on this project whose process, on this machine, has ended; gives their names."""
    with get_client(sync_client=True) as client:
        left = [run for run in client.read_flow_runs(flow_run_filter=_OPEN) if is_stale(run, folder, datetime.now(UTC))]
        for run in left:
            client.set_flow_run_state(run.id, Crashed(message="The process ended before the run did."), force=True)
    return [run.name for run in left]


def is_stale(run: FlowRun, folder: Path, now: datetime) -> bool:
    """Whether an open run on the project has no process any more.

    A run without a mark was killed before it could set one, if it has been open for long. What waits in a work pool may
    do so for as long as it likes.
    """
    if run.parameters.get("folder") != str(folder):
        return False
    marks = [found.groups() for tag in run.tags if (found := _MARKED.fullmatch(tag))]
    if not marks:
        since = run.state.timestamp if run.state else now
        return run.work_pool_name is None and now - since > UNMARKED
    return any(host == socket.gethostname() and not _alive(process) for host, process in marks)


def _mark() -> str:
    return f"{_MARK}:{socket.gethostname()}:{os.getpid()}"


def _alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody else's
    return True
