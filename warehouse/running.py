"""Which runs are under way: the process of each holds a lock on a file of its own beside the warehouse.

The system takes the lock from a process that ends, however it ends, so the file of a run that was killed is free. A
process number would not do: it is given to another process later, and means nothing in another container. Windows has
no such locks: nothing is held there, and a run shows as crashed while another process starts one.
"""

import os
import sys
from glob import escape
from pathlib import Path
from typing import BinaryIO

_held: dict[tuple[Path, str], BinaryIO] = {}  # open for as long as the run lasts: closing a file gives up its lock


def hold(db_path: str | os.PathLike[str], run_id: str) -> None:
    """This process works on the run from here on. Call it while the warehouse is open, as `under_way` is called, so
    that nobody sees the file before its lock."""
    if sys.platform == "win32":
        return
    import fcntl

    path = _path(db_path, run_id)
    file = path.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _held[path, run_id] = file


def release(db_path: str | os.PathLike[str], run_id: str) -> None:
    """The run has ended; nothing happens where this process did not hold it."""
    path = _path(db_path, run_id)
    if file := _held.pop((path, run_id), None):
        path.unlink(missing_ok=True)
        file.close()


def under_way(db_path: str | os.PathLike[str]) -> list[str]:
    """The ids of the runs on this warehouse whose process is alive, here or elsewhere. The files that dead processes
    have left are removed."""
    if sys.platform == "win32":
        return []
    import fcntl

    one = _path(db_path, "")
    alive = []
    for path in sorted(one.parent.glob(f"{escape(one.name)}*")):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alive.append(path.name.removeprefix(one.name))
            else:
                path.unlink(missing_ok=True)
    return alive


def _path(db_path: str | os.PathLike[str], run_id: str) -> Path:
    db = Path(db_path).resolve()
    return db.with_name(f".{db.name}.run-{run_id}")
