"""Take in what lies in object stores: list, fetch what is new, read it as files are read, put away what is stored.

A part of the objects is fetched at a time and removed when it is stored, so that a large bucket needs little room. What
was taken in before is neither fetched nor read again.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tasks.errors import SourceError, printable
from tasks.ingest import NOTHING, Ingested, ingest, unsettled
from tasks.rules import USUAL, Rules
from tasks.stores import known as knowledge
from tasks.stores.connect import connect
from tasks.stores.done import put_away
from tasks.stores.fetch import Fetched, as_found, copies, fetch
from tasks.stores.listing import Object, is_nameable, list_objects
from tasks.stores.source import Store
from tasks.sweep import Found

PART_OBJECTS = 500
PART_BYTES = 1 << 30
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class Taken:
    """What became of the objects that were new, all files that there are, and the sources that could not be listed."""

    results: tuple[Ingested, ...] = ()
    found: tuple[Found, ...] = ()
    silent: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Work:
    """What all stores share on the way in."""

    db: Path
    rules: Rules
    retry_rejects: bool


def take_in(db: Path, stores: Sequence[Store], rules: Rules = USUAL, *, retry_rejects: bool = False) -> Taken:
    """Take in the objects of each store that are not in the warehouse yet.

    With `retry_rejects` objects with rejected rows are fetched and read again, also those in done/. Raises nothing for
    a store or an object that does not answer: that is a result with status 'failed', and the others go on.
    """
    work = _Work(db, rules, retry_rejects)
    taken = [_store(work, store) for store in stores]
    return Taken(
        tuple(result for one in taken for result in one.results),
        tuple(file for one in taken for file in one.found),
        frozenset().union(*(one.silent for one in taken)),
    )


def _store(work: _Work, store: Store) -> Taken:
    try:
        files = connect(store)
        objects = list_objects(files, store, also_done=work.retry_rejects)
    except SourceError as error:
        return Taken((_failed(str(store.address), error),), silent=frozenset({store.name}))
    refused = {one.key: why for one in objects if (why := _refusal(store, one))}
    results = [_refused(one, refused[one.key]) for one in objects if one.key in refused]
    wanted = [one for one in objects if one.key not in refused]
    # Of full exports the oldest come first: each shows what became of the one before.
    wanted.sort(key=lambda one: one.modified_at if store.full_export else datetime.min)
    found: list[Found] = []
    for fetched, taken in _parts(work, store, files, wanted):
        results += taken
        found += [one.file for one in fetched if one.file is not None]
        if store.move_done:
            put_away(work.db, files, store, fetched)
    return Taken(tuple(results), tuple(found))


def _parts(
    work: _Work, store: Store, files: Any, objects: Sequence[Object]
) -> Iterator[tuple[list[Fetched], list[Ingested]]]:
    """Part by part: the objects with their files (those that were known have no copy), and what became of the new."""
    known = knowledge.load(store.home)
    settled, new = _split(work, store, objects, known)
    yield settled, []
    done = 0
    for part in _portions(new):
        with copies(store) as folder:
            at = datetime.now(UTC)
            fetched = fetch(files, store, part, folder)
            there = [one.file for one in fetched if one.file is not None]
            results = [_failed(one.object.key, one.error) for one in fetched if one.error]
            results += ingest(work.db, there, work.rules, retry_rejects=work.retry_rejects)
            for one in fetched:
                if one.file is not None:
                    knowledge.remember(known, store, one.object, one.file.sha256, at)
            knowledge.save(store.home, known)
        done += len(part)
        log.info("%s: %d of %d objects fetched", printable(str(store.address)), done, len(new))
        yield fetched, results
    before = len(known)
    knowledge.forget_gone(known, store, objects)
    if len(known) < before:
        knowledge.save(store.home, known)


def _split(
    work: _Work, store: Store, objects: Sequence[Object], known: dict[str, knowledge.Seen]
) -> tuple[list[Fetched], list[Object]]:
    """The objects that are in the warehouse as they are, and those to be fetched."""
    hashes = {one.key: sha256 for one in objects if (sha256 := knowledge.sha256_of(known, store, one))}
    seen = [one for one in objects if one.key in hashes]
    # There is no copy: only the name counts, and what would have to be opened is fetched below.
    files = [as_found(store, one, store.home / "none" / one.name, hashes[one.key]) for one in seen]
    due = {id(file) for file in unsettled(work.db, files, work.rules, work.retry_rejects)}
    settled = [Fetched(one, file) for one, file in zip(seen, files, strict=True) if id(file) not in due]
    keys = {one.object.key for one in settled}
    return settled, [one for one in objects if one.key not in keys]


def _portions(objects: Sequence[Object]) -> Iterator[list[Object]]:
    part: list[Object] = []
    size = 0
    for one in objects:
        if part and (len(part) == PART_OBJECTS or size + one.size > PART_BYTES):
            yield part
            part, size = [], 0
        part.append(one)
        size += one.size
    if part:
        yield part


def _refusal(store: Store, one: Object) -> str | None:
    limit = store.options.limits.max_file_size
    if one.size > limit:
        return f"It has {one.size:,} bytes, more than max_file_size allows ({limit:,}): it was not fetched."
    if not is_nameable(one):
        return "Its name has an empty part, '.' or '..' in it, or is too long: it was not fetched. Rename it."
    return None


def _refused(one: Object, why: str) -> Ingested:
    log.warning("%s: not read. %s", printable(one.key), why)
    return Ingested(printable(one.inside), "rejected", None, NOTHING, "unreadable", why, ())


def _failed(name: str, error: SourceError) -> Ingested:
    detail = f"{error} {error.hint}".strip()
    log.warning("%s: not fetched. %s", printable(name), detail)
    return Ingested(printable(name), "failed", None, NOTHING, "unreachable", detail, ())
