"""Hold the folder in which a count keeps what does not fit into memory."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.file.file_lock import wait_for_lock

PREFIX = "dataset-"
LOCK = ".kappaflow-count"
_MAX_WAIT = 10.0  # seconds; only who looks for folders that were left may hold a new lock, for a moment


@contextmanager
def draft_folder(beside: Path) -> Iterator[Path]:
    """Make a folder in `beside`, and remove it when the block ends.

    Folders that killed counts left there are removed first. They are known by their lock, which a process that lives
    holds, and a folder of somebody else's does not have. Without such locks, as on Windows, they stay.
    """
    for folder in beside.glob(f"{PREFIX}*"):
        _remove_if_left(folder)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=beside))
    try:
        with (folder / LOCK).open("w") as lock:
            wait_for_lock(lock.fileno(), wait_seconds=_MAX_WAIT)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_left(folder: Path) -> None:
    if sys.platform == "win32":
        return  # Nothing shows whether a count goes on in it.
    import fcntl

    try:
        with (folder / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # It has no lock, or a count goes on in it.
