"""Limit the size of what a file holds (`[limits]` of kappaflow.toml), and say so if a limit is exceeded."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from tasks.errors import ReadError

RECORD_CELLS = 16  # a record of JSON may be as long as that many of the longest cells


@dataclass(frozen=True)
class Limits:
    """The limits.

    `max_file_size` and `max_unpacked_size` are bytes, of a file and of what comes out of it. `max_nesting` is levels of
    JSON. `max_cell_length` is characters, of a cell of a table or a text in JSON. `max_columns` is columns of a table.
    """

    max_file_size: int = 4 << 30
    max_unpacked_size: int = 4 << 30
    max_nesting: int = 100
    max_cell_length: int = 10_000_000
    max_columns: int = 10_000


class LimitExceededError(ValueError):
    """A limit is exceeded; the message is the sentence."""


DEFAULTS = Limits()
_current: ContextVar[Limits] = ContextVar("limits", default=DEFAULTS)


def limits() -> Limits:
    """Return the limits of the file that is being read. Only a few places need them, so no reader hands them on."""
    return _current.get()


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Set these limits as long as the context lasts."""
    token = _current.set(limits)
    try:
        yield
    finally:
        _current.reset(token)


def raise_it(name: str) -> str:
    """Say how to raise a limit, for the hint of an error.

    >>> raise_it("max_nesting")
    'If it is right, raise max_nesting under [limits] in kappaflow.toml.'
    """
    return f"If it is right, raise {name} under [limits] in kappaflow.toml."


def size(n_bytes: float) -> str:
    """Write a number of bytes for a sentence.

    >>> size(4 << 30), size(1_500_000), size(300)
    ('4 GiB', '1.43 MiB', '0.293 KiB')
    """
    for unit, power in (("GiB", 30), ("MiB", 20)):
        if n_bytes >= 1 << power:
            return f"{n_bytes / (1 << power):.3g} {unit}"
    return f"{n_bytes / 1024:.3g} KiB"


def check_columns(path: Path, n_columns: int, row: int | None = None) -> None:
    """Raise ReadError where a table is too wide."""
    if n_columns > (most := limits().max_columns):
        raise ReadError.of(
            path,
            f"has {n_columns:,} columns or more; {most:,} is the limit.",
            f"A table of ratings has a row per rating, or a column per rater. {raise_it('max_columns')}",
            row=row,
        )


def excess(value: object, raw: str) -> tuple[str, str] | None:
    """Return the reason code and the sentence if a JSON value, or a text in it, exceeds a limit. `raw` is its JSON.

    >>> excess([["a"]], '[["a"]]') is None
    True
    """
    if not is_large(raw, 0, len(raw)):
        return None
    most = limits()
    if _is_deeper(value, most.max_nesting):
        return "too_deep", f"The record is nested deeper than {most.max_nesting:,} levels (max_nesting)."
    if len(raw) > most.max_cell_length and (longest := _longest(value)) > most.max_cell_length:
        return "cell_too_long", long_cell(longest)
    return None


def is_large(text: str, start: int, end: int) -> bool:
    """Check whether the JSON in text[start:end] is so large that `excess` must look at it. Nearly none is."""
    most = limits()
    if end - start > most.max_cell_length:
        return True
    return text.count("[", start, end) + text.count("{", start, end) > most.max_nesting


def long_cell(length: int) -> str:
    """Return the sentence for a cell that is too long."""
    return f"A cell has {length:,} characters; {limits().max_cell_length:,} is the limit (max_cell_length)."


def _is_deeper(value: object, most: int) -> bool:
    """Check the depth level by level, because Python limits recursion."""
    level = [value]
    for _ in range(most):
        level = [inner for outer in level if isinstance(outer, dict | list) for inner in _inside(outer)]
    return any(isinstance(inner, dict | list) for inner in level)


def _inside(value: dict[str, object] | list[object]) -> list[object]:
    return list(value.values()) if isinstance(value, dict) else value


def _longest(value: object) -> int:
    longest = 0
    waiting = [value]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            longest = max(longest, len(entry))
        elif isinstance(entry, dict):
            waiting += [*entry, *entry.values()]
        elif isinstance(entry, list):
            waiting += entry
    return longest
