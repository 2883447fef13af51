"""Write files atomically: a reader sees the old file or the new one, never a part."""

import os
import tempfile
from pathlib import Path

from tasks.errors import InputError


def check_out(path: Path) -> None:
    """Raise InputError unless a file can have the path of --out: its folder exists, and it is no folder itself.

    A command calls it before it stores anything, so that nothing is half done.
    """
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent}.", "Make it, or name another file with --out.")
    if path.is_dir():
        raise InputError(f"{path} is a folder.", "Name a file with --out.")


def write_atomically(path: Path, text: str) -> None:
    """Replace the file at `path` by one with this text, in one step, as `write_bytes_atomically` does."""
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Replace the file at `path` by one with this content, in one step.

    If the process is killed at any moment, `path` still holds a complete file.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    except OSError as error:
        error.filename = str(path)  # nobody knows the name of the temporary file
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp creates a file that only its owner may read. A report is for everyone who may read the folder.
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
