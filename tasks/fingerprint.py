"""A short text that changes when, and only when, the settings that a result depends on change."""

import dataclasses
import hashlib
import json


def fingerprint(*parts: object) -> str:
    """SHA-256 of plain values, dataclasses and collections of them, whatever the order of keys and sets.

    >>> fingerprint({"a": 1, "b": {2, 3}}) == fingerprint({"b": {3, 2}, "a": 1})
    True
    """
    return hashlib.sha256(as_json(*parts).encode()).hexdigest()


def as_json(*parts: object) -> str:
    """The same values as the JSON text that the fingerprint is of, for `runs.settings`."""
    return json.dumps(parts, sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return list(value)
    if hasattr(value, "items"):
        return dict(value.items())
    raise TypeError(f"{type(value).__name__} has no fingerprint.")
