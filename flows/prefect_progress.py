"""Show on a run's page in Prefect how far a long task is."""

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar, cast
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact

T = TypeVar("T")
PROGRESS_AFTER, PROGRESS_EVERY = 10.0, 5.0  # seconds


def with_progress(results: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Yield the results, of which there are `total`, and show the share of those that are done.

    A progress bar named `what` appears after the first 10 seconds. It moves every 5 seconds.
    """
    due_at = time.monotonic() + PROGRESS_AFTER
    artifact: UUID | None = None
    for number, result in enumerate(results, start=1):
        percent = 100 * number / total
        if artifact is None and number < total and time.monotonic() >= due_at:
            artifact = cast(UUID, create_progress_artifact(percent, key=f"{what}-progress", description=what))
            due_at = time.monotonic() + PROGRESS_EVERY
        elif artifact is not None and (number == total or time.monotonic() >= due_at):
            update_progress_artifact(artifact, percent)
            due_at = time.monotonic() + PROGRESS_EVERY
        yield result
