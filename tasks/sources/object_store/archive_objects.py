"""Move objects whose batch is stored to done/ below the address of their source, for `done = "move"`."""

import logging
from collections.abc import Collection, Sequence
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Any

from tasks.errors import SourceError, printable
from tasks.ingest.batch_identity import Readings
from tasks.ingest.ingest_files import stored_files
from tasks.sources.folder import DONE_FOLDER
from tasks.sources.object_store.connection import explained
from tasks.sources.object_store.fetch import FetchedObject
from tasks.sources.object_store.listing import StoredObject
from tasks.sources.object_store.store_source import ObjectStore

log = logging.getLogger("kappaflow")


def waiting(db: Path, fetched: Sequence[FetchedObject], readings: Readings | None) -> set[str]:
    """Return the keys of the objects whose batch is not stored yet."""
    stored = {id(file) for file in stored_files(db, [each.file for each in fetched if each.file is not None], readings)}
    return {each.object.key for each in fetched if id(each.file) not in stored}


def archive_objects(
    files: Any, store: ObjectStore, fetched: Sequence[FetchedObject], waiting: Collection[str]
) -> list[str]:
    """Move the objects that are not `waiting` to done/, with their path below the address. Return the new keys.

    Object stores cannot move an object, so it is copied and then deleted. A run that is killed in between leaves both
    copies, which does no harm. No object is overwritten: if a name is taken, a number is added. An object that changed
    since it was read stays. An object that cannot be moved stays too, and a warning is logged.
    """
    moved = []
    for obj in [each.object for each in fetched]:
        if obj.is_archived or obj.key in waiting:
            continue
        try:
            with explained(store):
                moved += _move(files, store, obj)
        except FileNotFoundError:
            log.warning("%s is gone since it was read", printable(obj.key))
        except SourceError as error:
            log.warning("%s cannot be moved to %s/: %s %s", printable(obj.key), DONE_FOLDER, error, error.hint)
    return moved


def _move(files: Any, store: ObjectStore, obj: StoredObject) -> list[str]:
    current = files.get_file_info(obj.key)
    if not current.is_file or (current.size, current.mtime) != (obj.size, obj.modified_at):
        return []
    base = store.address.base
    if obj.key == base:  # the source is this one object
        base = base.rpartition("/")[0]
    target = PurePosixPath(base, DONE_FOLDER, obj.inside)
    names = chain([target], (target.with_name(f"{target.stem}-{n}{target.suffix}") for n in count(2)))
    free = next(str(name) for name in names if not files.get_file_info(str(name)).is_file)
    files.copy_file(obj.key, free)
    files.delete_file(obj.key)
    log.info("%s: moved to %s", printable(obj.inside), printable(free))
    return [free]
