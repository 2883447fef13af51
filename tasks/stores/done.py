"""Objects whose batch is stored are put away in done/ below the address of their source (`done = "move"`)."""

import logging
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Any

from tasks.errors import SourceError, printable
from tasks.ingest import stored
from tasks.stores.connect import explained
from tasks.stores.fetch import Fetched
from tasks.stores.listing import Object
from tasks.stores.source import Store
from tasks.sweep import DONE

log = logging.getLogger("kappaflow")


def put_away(db: Path, files: Any, store: Store, fetched: Sequence[Fetched]) -> list[str]:
    """Move the objects whose batch is stored to done/, what lies below the address kept; gives the new keys.

    A store has no move: it is a copy and then a deletion, and a run that is killed between them leaves both, which does
    no harm. Never overwrites: a name that is taken gets a number. What has changed since it was read stays, and what
    cannot be moved too, with a warning.
    """
    moved = []
    there = [each.file for each in fetched if each.file is not None and not each.object.done]
    known = {(file.file_name, file.sha256) for file in stored(db, there)}
    for each in fetched:
        one = each.object
        if one.done or each.file is None or (each.file.file_name, each.file.sha256) not in known:
            continue
        try:
            with explained(store):
                moved += _move(files, store, one)
        except FileNotFoundError:
            log.warning("%s is gone since it was read", printable(one.key))
        except SourceError as error:
            log.warning("%s cannot be moved to %s/: %s %s", printable(one.key), DONE, error, error.hint)
    return moved


def _move(files: Any, store: Store, one: Object) -> list[str]:
    now = files.get_file_info(one.key)
    if not now.is_file or (now.size, now.mtime) != (one.size, one.modified_at):
        return []
    base = store.address.base
    if one.key == base:  # the source is this one object
        base = base.rpartition("/")[0]
    target = PurePosixPath(base, DONE, one.inside)
    names = chain([target], (target.with_name(f"{target.stem}-{n}{target.suffix}") for n in count(2)))
    free = next(str(name) for name in names if not files.get_file_info(str(name)).is_file)
    files.copy_file(one.key, free)
    files.delete_file(one.key)
    log.info("%s: moved to %s", printable(one.inside), printable(free))
    return [free]
