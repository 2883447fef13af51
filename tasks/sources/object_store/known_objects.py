"""Remember the SHA-256 of objects that were fetched before, so that they are not fetched again.

The hashes are in a small file in the project. If the file is lost, the objects are downloaded again. An object counts
as unchanged while its size and its modification time stay the same. Stores report that time in whole seconds, so an
object that was fetched soon after a change is not remembered: it might change again within the same second.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tasks.atomic_files import write_atomically
from tasks.sources.object_store.listing import StoredObject, matches
from tasks.sources.object_store.store_source import ObjectStore

FILE = "known.json"
SETTLED = timedelta(seconds=60)  # long enough for clocks that differ


@dataclass(frozen=True)
class KnownObject:
    """An object that was fetched: its size, its modification time (ISO format) and the SHA-256 of its bytes."""

    size: int
    modified_at: str
    sha256: str


def load(home: Path) -> dict[str, KnownObject]:
    """Load the remembered objects by name. Empty if the file is missing or broken."""
    try:
        entries = json.loads((home / FILE).read_text(encoding="utf-8"))
        return {name: KnownObject(**entry) for name, entry in entries.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def save(home: Path, known_objects: dict[str, KnownObject]) -> None:
    """Write the remembered objects to the file in `home`."""
    write_atomically(home / FILE, json.dumps({name: asdict(entry) for name, entry in known_objects.items()}))


def name_of(store: ObjectStore, obj: StoredObject) -> str:
    """Return a name for an object that is unique in the project."""
    return f"{store.endpoint or ''} {store.address.scheme}://{obj.key}"


def sha256_of(known_objects: dict[str, KnownObject], store: ObjectStore, obj: StoredObject) -> str | None:
    """Return the SHA-256 of an object that has not changed since it was fetched, else None."""
    entry = known_objects.get(name_of(store, obj))
    same = entry is not None and (entry.size, entry.modified_at) == (obj.size, obj.modified_at.isoformat())
    return entry.sha256 if entry is not None and same else None


def remember(
    known_objects: dict[str, KnownObject], store: ObjectStore, obj: StoredObject, sha256: str, at: datetime
) -> None:
    """Remember an object, unless it changed less than SETTLED before `at`, the time when it was fetched."""
    if at - obj.modified_at >= SETTLED:
        known_objects[name_of(store, obj)] = KnownObject(obj.size, obj.modified_at.isoformat(), sha256)


def forget_gone(known_objects: dict[str, KnownObject], store: ObjectStore, objects: Iterable[StoredObject]) -> None:
    """Forget the objects that the pattern of the store matches and that are no longer in its listing `objects`."""
    listed = {name_of(store, obj) for obj in objects}
    below = f"{store.endpoint or ''} {store.address}/"
    pattern = store.pattern.split("/")
    for name in [name for name in known_objects if name.startswith(below) and name not in listed]:
        if matches(name.removeprefix(below).split("/"), pattern):
            del known_objects[name]
