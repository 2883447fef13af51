"""Read a field of a tool's record, whatever its type: text, an object, a list, or JSON written as text."""

import json
from math import isfinite
from typing import Any

from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.file_look import HEAD, FileLook
from tasks.formats.parsing.limits import excess
from tasks.formats.parsing.records.json_records import has_half_escapes, mend


def keys(seen: FileLook) -> set[str]:
    """Return the names of columns, or the keys of the first record."""
    return {*seen.headers, *seen.shape}


def mentions(seen: FileLook, *names: str) -> bool:
    """Check whether these names stand in quotes at the beginning of the file, at whatever depth."""
    with seen.path.open("rb") as file:
        head = file.read(HEAD).decode(seen.encoding, "replace")
    return all(f'"{name}"' in head for name in names)


def mentions_anywhere(seen: FileLook, *names: str, least: int | None = None) -> bool:
    """Check as `mentions` does, but in the whole file: what is asked for may come after many records without it.

    `least`: so many of the names are enough; None: all.
    """
    wanted, rest = {f'"{name}"' for name in names}, ""
    n_left = 0 if least is None else len(names) - least
    with seen.path.open(encoding=seen.encoding, errors="replace") as file:
        while len(wanted) > n_left and (piece := file.read(HEAD)):
            wanted = {name for name in wanted if name not in rest + piece}
            rest = piece[-max(map(len, names)) - 1 :]
    return len(wanted) <= n_left


def text(value: object) -> str | None:
    """Return an id or name as text, null if it is empty."""
    return tidy_label(value)


def known_text(value: object) -> str:
    """Return a tool's word in lower case for comparison, '' if it is empty."""
    return (tidy_label(value) or "").lower()


def parsed(value: object) -> object:
    """Parse a value that CSV holds as JSON text (an object or a list). Others stay unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            held: object = json.loads(value)
        except (ValueError, RecursionError):
            return value
        if excess(held, value):
            return value
        return mend(held) if has_half_escapes(value) else held
    return value


def mapping(value: object) -> dict[str, Any]:
    """Return an object, also from JSON text. Anything else is empty."""
    value = parsed(value)
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list, also from JSON text. Anything else is empty."""
    return dicts_in(parsed(value))


def dicts_in(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list. Anything else is empty."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def holds_objects(value: object) -> bool:
    """Check for an object, or a list with one: such an answer is not a label.

    >>> holds_objects({}), holds_objects(["a", {}]), holds_objects(["a", ["b"]])
    (True, True, False)
    """
    return isinstance(value, dict) or bool(dicts_in(value))


def is_nested(value: object) -> bool:
    """Check for an object, or a list with an object or a list.

    >>> is_nested({}), is_nested(["a", ["b"]]), is_nested(["a", "b"])
    (True, True, False)
    """
    return holds_objects(value) or (isinstance(value, list) and any(isinstance(entry, list) for entry in value))


def number(value: object) -> float | None:
    """Return a finite number, also one that is written as text; None for anything else.

    >>> [number(value) for value in (1, "2.5", True, None, "x", float("nan"))]
    [1.0, 2.5, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        figure = float(value)
    except (ValueError, OverflowError):
        return None
    return figure if isfinite(figure) else None
