"""Hash the settings that a result depends on: the hash changes when, and only when, they change."""

import dataclasses
import hashlib
import json
from datetime import date


def fingerprint(*values: object) -> str:
    """Return the SHA-256 of plain values, dates, dataclasses and collections of them.

    The order of dictionary keys and of set members does not matter.

    >>> fingerprint({"a": 1, "b": {2, 3}}) == fingerprint({"b": {3, 2}, "a": 1})
    True
    """
    return hashlib.sha256(as_json(*values).encode()).hexdigest()


def as_json(*values: object) -> str:
    """Return the JSON text that `fingerprint` hashes; `runs.settings` stores it."""
    return json.dumps(values, sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "items"):
        return dict(value.items())
    raise TypeError(f"{type(value).__name__} has no fingerprint.")
