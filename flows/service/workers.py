"""Where questions are computed: here, in threads, or on the workers of a Dask cluster, as [workers] says."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.settings.model import WorkerSettings
from tasks.errors import SettingsError
from warehouse.questions import StoredQuestion

PARTS = 4  # at least, so that no worker waits long for another with a longer part


def runs_alone(workers: WorkerSettings, due: Sequence[StoredQuestion]) -> bool:
    """Whether there is nothing to spread: one worker here, or one question."""
    return len(due) < 2 or (workers.runner == "threads" and workers.count == 1)


def n_parts(workers: WorkerSettings, due: Sequence[StoredQuestion]) -> int:
    """How many tasks the questions are divided among: few, since each costs Prefect a tenth of a second."""
    return min(len(due), max(PARTS, workers.count))


@contextmanager
def task_runner(workers: WorkerSettings) -> Iterator[TaskRunner[Any]]:
    """The task runner that the settings ask for, started.

    Raises SettingsError where Dask is not installed, its scheduler does not answer, or there is no Prefect server that
    its workers could report to.
    """
    if workers.runner == "threads":
        threads: ThreadPoolTaskRunner[Any] = ThreadPoolTaskRunner(max_workers=workers.count)
        with threads:
            yield threads
        return
    with _dask(str(workers.address)) as cluster:
        yield cluster


@contextmanager
def _dask(address: str) -> Iterator[TaskRunner[Any]]:
    try:
        from prefect_dask import DaskTaskRunner
    except ImportError:
        raise SettingsError(
            "[workers] runner = 'dask' needs Dask, which is not installed.",
            "Install it: pip install '.[dask]' in the project's checkout, here and where the workers run.",
        ) from None
    if not os.environ.get("PREFECT_API_URL"):
        raise SettingsError(
            "[workers] runner = 'dask' needs a Prefect server that the workers can reach, and none is named.",
            "Start one with `prefect server start`, and set PREFECT_API_URL; or use `kappaflow serve`.",
        )
    cluster = DaskTaskRunner(address=address)
    try:
        cluster.client  # noqa: B018  connects
    except OSError:
        raise SettingsError(
            f"The Dask scheduler at {address} does not answer.",
            "Start it with `dask scheduler`, or correct the address in [workers].",
        ) from None
    with cluster:
        yield cluster
