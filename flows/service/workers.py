"""Where questions are computed, by [workers]: in this process, in threads, or on the workers of a Dask cluster."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.settings.model import WorkerSettings
from tasks.errors import SettingsError
from warehouse.questions import StoredQuestion

MIN_PARTS = 4  # so that no worker waits long for another one with a larger part


def runs_alone(workers: WorkerSettings, questions: Sequence[StoredQuestion]) -> bool:
    """Return whether one worker computes all questions: there is one thread, or one question."""
    return len(questions) < 2 or (workers.runner == "threads" and workers.count == 1)


def n_parts(workers: WorkerSettings, questions: Sequence[StoredQuestion]) -> int:
    """Return how many tasks the questions are divided among. Each task costs Prefect a tenth of a second."""
    return min(len(questions), max(MIN_PARTS, workers.count))


@contextmanager
def task_runner(workers: WorkerSettings) -> Iterator[TaskRunner[Any]]:
    """Start the task runner of the settings, and stop it when the block ends.

    Raises SettingsError if Dask is not installed, if its scheduler does not answer, or if there is no Prefect server
    that its workers can reach.
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
            "Run pip install '.[dask]' in the checkout of kappaflow, here and on the machines of the workers.",
        ) from None
    if not os.environ.get("PREFECT_API_URL"):
        raise SettingsError(
            "[workers] runner = 'dask' needs a Prefect server for its workers, but PREFECT_API_URL is not set.",
            "Start one with `prefect server start` and set PREFECT_API_URL, or use `kappaflow serve`.",
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
