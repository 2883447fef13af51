"""What the warehouse raises, and how DuckDB's own errors become sentences."""

from collections.abc import Iterator
from contextlib import contextmanager


class WarehouseError(Exception):
    """The rule that was broken and what was found; `hint` says what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class WarehouseBusyError(WarehouseError):
    """Another process held the warehouse for longer than the caller would wait. Trying again is safe."""


def first_line(error: BaseException) -> str:
    """DuckDB's own first line, without the position marks and suggestions that follow it.

    >>> first_line(ValueError("Binder Error: no such column\\n\\nLINE 1: select x"))
    'Binder Error: no such column'
    """
    return str(error).partition("\n")[0].strip()


@contextmanager
def duckdb_errors(doing: str, hint: str = "") -> Iterator[None]:
    """Turn what DuckDB raises inside into a WarehouseError that says what was being done."""
    import duckdb  # here: who only wants to name the errors need not wait for it

    try:
        yield
    except duckdb.Error as error:
        if "No space left on device" in str(error):
            raise WarehouseError(
                f"The disk is full: the warehouse could not {doing}.",
                hint or "Make room and run again: what was stored is whole, and the rest is done then.",
            ) from error
        raise WarehouseError(f"The warehouse could not {doing}: {first_line(error)}", hint) from error
