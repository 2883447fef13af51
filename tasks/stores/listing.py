"""Which objects of a store are export files. A listing is a page for each 1,000 objects; nothing is fetched for it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from tasks.errors import printable
from tasks.stores.connect import explained
from tasks.stores.source import Store
from tasks.sweep import DONE, is_export

NAME_BYTES = 200  # of the last part: it names the copy, for which most file systems allow 255
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class Object:
    """One object: `key` with its bucket, `inside` what of it lies below the source's address, `done` whether it was put
    away there."""

    key: str
    inside: str
    size: int
    modified_at: datetime
    done: bool = False

    @property
    def name(self) -> str:
        return self.inside.rpartition("/")[2]


def list_objects(files: Any, store: Store, *, also_done: bool = False) -> list[Object]:
    """The objects below the store's address that its pattern fits, in order of key; hidden and half-written ones are
    left, and those put away in done/ unless they are asked for. Raises SourceError."""
    base = store.address.base
    try:
        with explained(store):
            infos = _infos(files, base)
    except FileNotFoundError:
        log.warning("There is nothing at %s", printable(str(store.address)))
        return []
    listed = [_object(info, base, store) for info in infos if info.is_file]
    return sorted((one for one in listed if _is_wanted(one, store, also_done)), key=lambda one: one.key)


def is_nameable(one: Object) -> bool:
    """Whether a copy can be named as the object is, within a folder and nowhere else."""
    parts = one.key.split("/")
    return not {"", ".", ".."} & set(parts) and "\0" not in one.key and len(one.name.encode()) <= NAME_BYTES


def matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a key fit those of a glob; ** stands for any number of parts.

    >>> matches(["a", "b", "x.csv"], ["**", "*.csv"]), matches(["a", "x.csv"], ["*.csv"])
    (True, False)
    """
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(matches(parts[start:], pattern[1:]) for start in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and matches(parts[1:], pattern[1:])


def _infos(files: Any, base: str) -> list[Any]:
    from pyarrow.fs import FileSelector

    if "/" in base and (one := files.get_file_info(base)).is_file:
        return [one]
    # Not allow_not_found: with it a bucket that does not exist is an empty one.
    return list(files.get_file_info(FileSelector(base, recursive=True)))


def _object(info: Any, base: str, store: Store) -> Object:
    inside = info.path.removeprefix(f"{base}/") if info.path != base else base.rpartition("/")[2]
    done = store.move_done and inside.startswith(f"{DONE}/")
    return Object(
        info.path, inside.removeprefix(f"{DONE}/") if done else inside, info.size, info.mtime.astimezone(UTC), done
    )


def _is_wanted(one: Object, store: Store, also_done: bool) -> bool:
    fits = one.key == store.address.base or matches(one.inside.split("/"), store.pattern.split("/"))
    return fits and is_export(PurePosixPath(one.inside)) and (also_done or not one.done)
