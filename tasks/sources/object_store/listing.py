"""List the objects of a store that are export files.

A listing takes one request per 1,000 objects. No object is fetched for it.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from tasks.errors import printable
from tasks.sources.folder import DONE_FOLDER, is_export
from tasks.sources.object_store.connection import explained
from tasks.sources.object_store.store_source import ObjectStore

NAME_BYTES = 200  # for the last part of a key: it is the file name of the copy, and most file systems allow 255 bytes
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class StoredObject:
    """One object of a store.

    `key` includes the bucket. `inside` is the part of the key below the address of the source. `is_archived`: the
    object was moved to done/.
    """

    key: str
    inside: str
    size: int
    modified_at: datetime
    is_archived: bool = False

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self.inside.rpartition("/")[2]


def list_objects(files: Any, store: ObjectStore, *, also_done: bool = False) -> list[StoredObject]:
    """List the objects below the store's address that match its pattern, sorted by key.

    Hidden and partly written objects are left out; so are those in done/, unless `also_done`. Raises SourceError.
    """
    base = store.address.base
    try:
        with explained(store):
            infos = _infos(files, base)
    except FileNotFoundError:
        log.warning("There is nothing at %s", printable(str(store.address)))
        return []
    listed = [_object(info, base, store) for info in infos if info.is_file]
    return sorted((obj for obj in listed if _is_wanted(obj, store, also_done)), key=lambda obj: obj.key)


def is_nameable(obj: StoredObject) -> bool:
    """Check whether a copy can have the name of the object without leaving its folder."""
    segments = obj.key.split("/")
    return not {"", ".", ".."} & set(segments) and "\0" not in obj.key and len(obj.name.encode()) <= NAME_BYTES


def matches(segments: Sequence[str], pattern: Sequence[str]) -> bool:
    """Check whether the parts of a key match those of a glob. ** matches any number of parts.

    >>> matches(["a", "b", "x.csv"], ["**", "*.csv"]), matches(["a", "x.csv"], ["*.csv"])
    (True, False)
    """
    if not pattern:
        return not segments
    if pattern[0] == "**":
        return any(matches(segments[start:], pattern[1:]) for start in range(len(segments) + 1))
    return bool(segments) and fnmatchcase(segments[0], pattern[0]) and matches(segments[1:], pattern[1:])


def _infos(files: Any, base: str) -> list[Any]:
    from pyarrow.fs import FileSelector

    if "/" in base and (info := files.get_file_info(base)).is_file:
        return [info]
    # Without allow_not_found, because it would make a missing bucket look empty.
    return list(files.get_file_info(FileSelector(base, recursive=True)))


def _object(info: Any, base: str, store: ObjectStore) -> StoredObject:
    inside = info.path.removeprefix(f"{base}/") if info.path != base else base.rpartition("/")[2]
    is_archived = store.move_done and inside.startswith(f"{DONE_FOLDER}/")
    return StoredObject(
        info.path,
        inside.removeprefix(f"{DONE_FOLDER}/") if is_archived else inside,
        info.size,
        info.mtime.astimezone(UTC),
        is_archived,
    )


def _is_wanted(obj: StoredObject, store: ObjectStore, also_done: bool) -> bool:
    fits = obj.key == store.address.base or matches(obj.inside.split("/"), store.pattern.split("/"))
    return fits and is_export(PurePosixPath(obj.inside)) and (also_done or not obj.is_archived)
