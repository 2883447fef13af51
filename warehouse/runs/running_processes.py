"""Track which runs are under way. The process of a run holds a lock on a file beside the warehouse.

The operating system releases the lock when the process ends, even if it was killed. A process number is not enough: it
is reused later, and means nothing in another container. Windows has no such locks: there, a run shows as crashed as
soon as another process starts one.
"""

import os
import sys
from glob import escape
from pathlib import Path
from typing import BinaryIO

_held: dict[tuple[Path, str], BinaryIO] = {}  # Open while the run lasts: closing a file releases its lock.


def hold(db_path: str | os.PathLike[str], run_id: str) -> None:
    """Lock the run's file for this process. Call it while the warehouse is open, as for `under_way`, so that no other
    process sees the file before it is locked."""
    if sys.platform == "win32":
        return
    import fcntl

    path = _path(db_path, run_id)
    file = path.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _held[path, run_id] = file


def release(db_path: str | os.PathLike[str], run_id: str) -> None:
    """Release the lock when the run has ended. Does nothing if this process does not hold it."""
    path = _path(db_path, run_id)
    if file := _held.pop((path, run_id), None):
        path.unlink(missing_ok=True)
        file.close()


def under_way(db_path: str | os.PathLike[str]) -> list[str]:
    """List the ids of the runs on this warehouse whose process is alive, here or on another machine. Removes the files
    of dead processes."""
    if sys.platform == "win32":
        return []
    import fcntl

    prefix = _path(db_path, "")
    alive = []
    for path in sorted(prefix.parent.glob(f"{escape(prefix.name)}*")):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alive.append(path.name.removeprefix(prefix.name))
            else:
                path.unlink(missing_ok=True)
    return alive


def _path(db_path: str | os.PathLike[str], run_id: str) -> Path:
    db = Path(db_path).resolve()
    return db.with_name(f".{db.name}.run-{run_id}")
