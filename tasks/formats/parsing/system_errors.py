"""Separate errors of the operating system from damaged files: they say nothing about the bytes, and pass."""

import errno
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import ReadError, UnavailableError

BY_THE_BYTES = {errno.EINVAL, errno.EOVERFLOW, errno.ENAMETOOLONG, errno.EILSEQ}
"""What the system answers where damaged bytes have asked for it: a negative place in an archive, an endless name."""
NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP}
DAMAGED = (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error, zipfile.BadZipFile)
"""What the standard library and pyarrow raise for damaged, encrypted or oddly compressed files."""
IN_RUST = re.compile(r"\(os error (\d+)\)")  # how polars and fastexcel pass the number on
HINTS = {
    errno.ENOSPC: "Make room: packed files are unpacked in the temporary folder, and TMPDIR names another one.",
    errno.EDQUOT: "Make room: packed files are unpacked in the temporary folder, and TMPDIR names another one.",
    errno.EACCES: "Give the user who runs kappaflow the right to read it.",
    errno.EPERM: "Give the user who runs kappaflow the right to read it.",
    errno.ENOENT: "It was moved or deleted: put it back.",
    errno.EMFILE: "Let the process open more files: ulimit -n.",
    errno.EIO: "Check the disk.",
}


def system_error(error: BaseException | None) -> int | None:
    """Return the number of the system's error that caused `error`, or None if the bytes are at fault.

    >>> system_error(OSError(28, "No space left on device")), system_error(OSError("not a gzipped file"))
    (28, None)
    """
    while error is not None:
        number = _number(error)
        if number is not None and number not in BY_THE_BYTES:
            return number
        error = error.__cause__
    return None


def leads_to_itself(path: Path) -> bool:
    """Check whether a path is a symbolic link in a loop."""
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def check_access(path: Path) -> None:
    """Raise OSError if the system does not say what is at `path`, as in a closed folder. Nothing there is no error.

    Up to Python 3.13 `Path.exists`, `is_file` and `is_dir` raise it themselves; from 3.14 on they say false.
    """
    try:
        path.stat()
    except OSError as error:
        if error.errno not in NOTHING_THERE:
            raise
    except ValueError:  # a path that no system can have
        return


def _number(error: BaseException) -> int | None:
    # Only of these: another library's message may quote what the file holds.
    if not isinstance(error, OSError) and type(error).__module__ != "_fastexcel":
        return None
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    if match := IN_RUST.search(str(error)):
        return int(match[1])
    if isinstance(error, FileNotFoundError):
        return errno.ENOENT
    return errno.EACCES if isinstance(error, PermissionError) else None


def unavailable(path: Path, number: int) -> UnavailableError:
    """Return the error for a file that the system does not let us read now."""
    hint = HINTS.get(number, "Remove the cause.")
    return UnavailableError(f"{path.name} could not be read: {os.strerror(number)}.", hint, file=str(path))


@contextmanager
def system_errors_apart(path: Path) -> Iterator[None]:
    """Turn the system's errors into UnavailableError, also if a reader took one for damage."""
    try:
        yield
    except UnavailableError:
        raise
    except (OSError, ReadError) as error:
        if (number := system_error(error)) is None:
            raise
        raise unavailable(path, number) from error
