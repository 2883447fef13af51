"""What is known of objects that were fetched before: their SHA-256, so that they are not fetched again.

A small file in the project, and no more than a saving: losing it costs a download. An object counts as the same while
its size and its time of last change are. A store tells that time to the second, so an object that was fetched soon
after its change is not remembered: it might change once more within that second.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tasks.files import write_atomically
from tasks.stores.listing import Object, matches
from tasks.stores.source import Store

FILE = "known.json"
SETTLED = timedelta(seconds=60)  # also for clocks that differ


@dataclass(frozen=True)
class Seen:
    size: int
    modified_at: str
    sha256: str


def load(home: Path) -> dict[str, Seen]:
    """What is remembered, by the name of the object; nothing where the file is missing or broken."""
    try:
        found = json.loads((home / FILE).read_text(encoding="utf-8"))
        return {name: Seen(**seen) for name, seen in found.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def save(home: Path, known: dict[str, Seen]) -> None:
    write_atomically(home / FILE, json.dumps({name: asdict(seen) for name, seen in known.items()}))


def name_of(store: Store, one: Object) -> str:
    """What tells an object from all others of the project."""
    return f"{store.endpoint or ''} {store.address.scheme}://{one.key}"


def sha256_of(known: dict[str, Seen], store: Store, one: Object) -> str | None:
    """The SHA-256 of an object that has not changed since it was fetched, else None."""
    seen = known.get(name_of(store, one))
    same = seen is not None and (seen.size, seen.modified_at) == (one.size, one.modified_at.isoformat())
    return seen.sha256 if seen is not None and same else None


def remember(known: dict[str, Seen], store: Store, one: Object, sha256: str, at: datetime) -> None:
    """Keep it, unless it changed so shortly before it was fetched that its time does not tell a further change."""
    if at - one.modified_at >= SETTLED:
        known[name_of(store, one)] = Seen(one.size, one.modified_at.isoformat(), sha256)


def forget_gone(known: dict[str, Seen], store: Store, objects: Iterable[Object]) -> None:
    """Drop what the listing of the store would have shown if it were still there."""
    there = {name_of(store, one) for one in objects}
    below = f"{store.endpoint or ''} {store.address}/"
    pattern = store.pattern.split("/")
    for name in [name for name in known if name.startswith(below) and name not in there]:
        if matches(name.removeprefix(below).split("/"), pattern):
            del known[name]
