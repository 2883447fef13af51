"""JSON texts: letters as they are, control characters escaped, null for what is undefined."""

import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time

import polars as pl

UNSAFE_JSON = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")  # json escapes the ones below a space


def json_text(value: object, indent: int | None = None, *, ascii_only: bool = False) -> str:
    """Return JSON with control characters escaped, so that no character is lost. Infinity and NaN become null.

    >>> json_text({"label": "é\\x9b", "estimate": float("nan")})
    '{"label": "é\\\\u009b", "estimate": null}'
    """
    text = json.dumps(finite(value), indent=indent, ensure_ascii=ascii_only, allow_nan=False, default=_plain)
    return UNSAFE_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def nested_text(value: object) -> str:
    """Return a list or struct of a table as JSON, for a cell of text."""
    return json_text(value.to_list() if isinstance(value, pl.Series) else value)


def finite(value: object) -> object:
    """Replace infinity and NaN, which JSON does not have, by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    return value


def _plain(value: object) -> object:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    return str(value)
