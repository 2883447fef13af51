"""What stands in a field of a tool's record, whatever its type: text, an object, a list, or JSON written as text."""

import json
from typing import Any

from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_records import has_half_escapes, mend
from tasks.formats.parsing.limits import excess


def keys(seen: FileLook) -> set[str]:
    """The names of columns, or the keys of the first record."""
    return {*seen.headers, *seen.shape}


def mapped_by_user(options: ReadOptions) -> bool:
    """Whether the user says which columns are rater and label: then the file is read as a table."""
    return bool({"rater", "label", "raters"} & options.columns.keys())


def text(value: object) -> str | None:
    """An id or name as text, nothing as null."""
    return tidy_label(value)


def known_text(value: object) -> str:
    """As `text`, blank for nothing; for comparing words of a tool without regard to case."""
    return (tidy_label(value) or "").lower()


def parsed(value: object) -> object:
    """A value that CSV holds as JSON text (an object or a list), as that value; others unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            found: object = json.loads(value)
        except (ValueError, RecursionError):
            return value
        if excess(found, value):
            return value
        return mend(found) if has_half_escapes(value) else found
    return value


def mapping(value: object) -> dict[str, Any]:
    """An object, also as JSON text; else empty."""
    value = parsed(value)
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list; a list written as JSON text counts, anything else is empty."""
    value = parsed(value)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
