"""Hold the folder in which a count keeps what does not fit into memory."""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "dataset-"
LOCK = ".kappaflow-count"


@contextmanager
def draft_folder(beside: Path) -> Iterator[Path]:
    """Make a folder in `beside`, and remove it when the block ends.

    Folders that killed counts left there are removed first. They are known by their lock, which a process that lives
    holds, and a folder of somebody else's does not have.
    """
    for folder in beside.glob(f"{PREFIX}*"):
        _remove_if_left(folder)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=beside))
    try:
        with (folder / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_left(folder: Path) -> None:
    try:
        with (folder / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # It has no lock, or a count goes on in it.
