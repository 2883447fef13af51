"""Define the errors of the warehouse, and turn DuckDB's errors into them."""

from collections.abc import Iterator
from contextlib import contextmanager

# Seen once in some hundred runs of five processes on a machine with far too much to do, and never with one process.
TORN_READ = "Could not read enough bytes"


class WarehouseError(Exception):
    """The warehouse cannot do this. `hint` says what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class WarehouseBusyError(WarehouseError):
    """Another process or thread held the warehouse for longer than the caller waits. Trying again is safe."""


class UnreadableWarehouseError(WarehouseError):
    """The file is there but does not open: it is damaged, or no DuckDB file."""


class TornReadError(WarehouseBusyError):
    """DuckDB read a part of the file that it had just given back. Nothing was stored, and trying again is safe."""


def first_line(error: BaseException) -> str:
    """Return the first line of an error, without the position marks and suggestions that DuckDB adds. Of an error of
    the system what went wrong, without its number and the path.

    >>> first_line(ValueError("Binder Error: no such column\\n\\nLINE 1: select x"))
    'Binder Error: no such column'
    >>> first_line(PermissionError(13, "Permission denied", "/data/a"))
    'Permission denied'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).partition("\n")[0].strip()


@contextmanager
def duckdb_errors(doing: str, hint: str = "") -> Iterator[None]:
    """Turn DuckDB's errors in the block into a WarehouseError: the warehouse could not `doing`."""
    import duckdb  # Here, because duckdb takes long to import and many modules need only the errors.

    try:
        yield
    except duckdb.Error as error:
        if "No space left on device" in str(error):
            raise WarehouseError(
                f"The disk is full: the warehouse could not {doing}.",
                hint or "Free some space and run again. The stored data are intact, and the next run does the rest.",
            ) from error
        if TORN_READ in str(error):
            raise TornReadError(
                f"The warehouse could not {doing}: {first_line(error)}",
                "Run again. If it happens again, the file may be damaged: run `kappaflow doctor`.",
            ) from error
        raise WarehouseError(f"The warehouse could not {doing}: {first_line(error)}", hint) from error
