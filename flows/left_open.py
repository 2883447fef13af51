"""Prefect's own record of runs whose process was killed: it stays Running until somebody closes it."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefect import tags
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterState, FlowRunFilterStateType
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.states import Crashed

_MARK = "process"
_OPEN = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.RUNNING])))


@contextmanager
def marked() -> Iterator[None]:
    """Flow runs that begin in the block carry the machine and the number of this process, as a tag."""
    with tags(f"{_MARK}:{socket.gethostname()}:{os.getpid()}"):
        yield


def close_left_open(folder: Path) -> list[str]:
    """Mark as Crashed the flow runs on this project whose process, on this machine, has ended; gives their names."""
    with get_client(sync_client=True) as client:
        left = [run for run in client.read_flow_runs(flow_run_filter=_OPEN) if _is_left(run, folder)]
        for run in left:
            client.set_flow_run_state(run.id, Crashed(message="The process ended before the run did."), force=True)
    return [run.name for run in left]


def _is_left(run: FlowRun, folder: Path) -> bool:
    marks = [tag.split(":") for tag in run.tags if tag.startswith(f"{_MARK}:{socket.gethostname()}:")]
    return run.parameters.get("folder") == str(folder) and any(not _alive(mark[-1]) for mark in marks)


def _alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody else's
    return True
