"""Let one run at a time send the messages of a project.

The lock is one of the operating system, on a file beside the warehouse. It ends with the process, even a killed one.
Windows has no such locks: there, two runs at once may send the same digest twice.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE_SECONDS = 0.1


@contextmanager
def sending_lock(db: str | os.PathLike[str], *, wait_seconds: float) -> Iterator[bool]:
    """Hold the lock on the messages of a warehouse while the block runs.

    Yields whether this process has it: False if another one held it for longer than `wait_seconds`.
    """
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    path = Path(db).resolve()
    deadline = time.monotonic() + wait_seconds
    with path.with_name(f".{path.name}.sending").open("wb") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_held = True
            except BlockingIOError:
                is_held = False
            if is_held or time.monotonic() >= deadline:
                break
            time.sleep(PAUSE_SECONDS)
        yield is_held
