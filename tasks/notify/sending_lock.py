"""Let one run at a time send the messages of a project.

The lock is on a file beside the warehouse (warehouse.file.file_lock). Where there are no locks, two runs at once may
send the same digest twice.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.file.file_lock import wait_for_lock


@contextmanager
def sending_lock(db: str | os.PathLike[str], *, wait_seconds: float) -> Iterator[bool]:
    """Hold the lock on the messages of a warehouse while the block runs.

    Yields whether this process has it: False if another one held it for longer than `wait_seconds`.
    """
    path = Path(db).resolve()
    with path.with_name(f".{path.name}.sending").open("wb") as file:
        yield wait_for_lock(file.fileno(), wait_seconds=wait_seconds)
