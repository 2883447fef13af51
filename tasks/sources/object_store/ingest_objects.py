"""Ingest objects from object stores: list them, fetch the new ones, ingest them as files, move stored ones to done/.

Only a part of the objects is fetched at a time, and the copies are removed once they are stored. So a large bucket
needs little disk space. Objects that were ingested before are neither fetched nor read again.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tasks.errors import SourceError, printable
from tasks.ingest.batch_identity import Readings, readings_of
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import NOTHING, files_to_read, ingest
from tasks.ingest.ingest_rules import DEFAULT_RULES, IngestRules
from tasks.sources.folder import ExportFile
from tasks.sources.object_store import known_objects as knowledge
from tasks.sources.object_store.archive_objects import archive_objects, waiting
from tasks.sources.object_store.connection import connect
from tasks.sources.object_store.fetch import FetchedObject, as_found, copies, fetch, not_copied
from tasks.sources.object_store.listing import StoredObject, is_nameable, list_objects
from tasks.sources.object_store.store_source import ObjectStore

PART_OBJECTS = 500
PART_BYTES = 1 << 30
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class ObjectResults:
    """The results of the new objects, the files of all objects, and the names of sources that could not be read."""

    results: tuple[FileResult, ...] = ()
    files: tuple[ExportFile, ...] = ()
    unreachable: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _IngestContext:
    """The arguments that the ingestion of every store shares."""

    db: Path
    rules: IngestRules
    retry_rejects: bool
    readings: Readings


def ingest_objects(
    db: Path,
    stores: Sequence[ObjectStore],
    rules: IngestRules = DEFAULT_RULES,
    *,
    retry_rejects: bool = False,
    readings: Readings | None = None,
) -> ObjectResults:
    """Ingest the objects of each store that are not in the warehouse yet.

    `readings` are the readings of the project's sources; by default they are taken from the stores. With
    `retry_rejects`, objects with rejected rows are fetched and read again, including those in done/. A store or an
    object that cannot be reached raises no error: it becomes a result with status 'failed'.
    """
    if readings is None:
        readings = readings_of((store.name, store.options) for store in stores)
    context = _IngestContext(db, rules, retry_rejects, readings)
    results: list[FileResult] = []
    fetched: list[tuple[ObjectStore, Any, list[FetchedObject]]] = []
    unreachable = set()
    for store in stores:
        try:
            file_system = connect(store)
            fetched.append((store, file_system, []))
            for part, new_results in _store(context, store, file_system):
                fetched[-1][2].extend(part)
                results += new_results
        except (SourceError, OSError) as error:
            source_error = error if isinstance(error, SourceError) else not_copied(store, error)
            results.append(_failed(str(store.address), source_error))
            unreachable.add(store.name)
    if any(store.move_done for store in stores):
        # After all stores are ingested, because two sources may read the same object.
        keys = waiting(db, [fetched_object for _, _, of_store in fetched for fetched_object in of_store], readings)
        for store, file_system, of_store in fetched:
            if store.move_done:
                archive_objects(file_system, store, of_store, keys)
    files = [
        fetched_object.file
        for _, _, of_store in fetched
        for fetched_object in of_store
        if fetched_object.file is not None
    ]
    return ObjectResults(tuple(results), tuple(files), frozenset(unreachable))


def _store(
    context: _IngestContext, store: ObjectStore, file_system: Any
) -> Iterator[tuple[list[FetchedObject], list[FileResult]]]:
    objects = list_objects(file_system, store, also_done=context.retry_rejects)
    refused = {obj.key: reason for obj in objects if (reason := _refusal(store, obj))}
    yield [], [_refused(obj, refused[obj.key]) for obj in objects if obj.key in refused]
    wanted = [obj for obj in objects if obj.key not in refused]
    # The oldest full exports come first: each shows what changed since the one before.
    wanted.sort(key=lambda obj: obj.modified_at if store.full_export else datetime.min)
    yield from _ingest_in_parts(context, store, file_system, wanted)


def _ingest_in_parts(
    context: _IngestContext, store: ObjectStore, file_system: Any, objects: Sequence[StoredObject]
) -> Iterator[tuple[list[FetchedObject], list[FileResult]]]:
    """Ingest the objects part by part. Yield the fetched objects and the results of each part.

    The objects that are already in the warehouse come first; they are not copied and have no results.
    """
    known_objects = knowledge.load(store.home)
    settled, new = _split(context, store, objects, known_objects)
    yield settled, []
    n_fetched = 0
    for part in _split_into_parts(new):
        with copies(store) as folder:
            started = datetime.now(UTC)
            fetched = fetch(file_system, store, part, folder)
            export_files = [fetched_object.file for fetched_object in fetched if fetched_object.file is not None]
            results = [
                _failed(fetched_object.object.key, fetched_object.error)
                for fetched_object in fetched
                if fetched_object.error
            ]
            results += ingest(
                context.db, export_files, context.rules, retry_rejects=context.retry_rejects, readings=context.readings
            )
            for fetched_object in fetched:
                if fetched_object.file is not None:
                    knowledge.remember(known_objects, store, fetched_object.object, fetched_object.file.sha256, started)
            knowledge.save(store.home, known_objects)
        n_fetched += len(part)
        log.info("%s: %d of %d objects fetched", printable(str(store.address)), n_fetched, len(new))
        yield fetched, results
    before = len(known_objects)
    knowledge.forget_gone(known_objects, store, objects)
    if len(known_objects) < before:
        knowledge.save(store.home, known_objects)


def _split(
    context: _IngestContext,
    store: ObjectStore,
    objects: Sequence[StoredObject],
    known_objects: dict[str, knowledge.KnownObject],
) -> tuple[list[FetchedObject], list[StoredObject]]:
    """Split the objects into those that are in the warehouse unchanged and those to fetch."""
    hashes = {obj.key: sha256 for obj in objects if (sha256 := knowledge.sha256_of(known_objects, store, obj))}
    remembered = [obj for obj in objects if obj.key in hashes]
    # These files have no copy, so only their names are used. Objects whose content is needed are fetched later.
    files = [as_found(store, obj, store.home / "none" / obj.name, hashes[obj.key]) for obj in remembered]
    due_ids = {
        id(file) for file in files_to_read(context.db, files, context.rules, context.retry_rejects, context.readings)
    }
    settled = [FetchedObject(obj, file) for obj, file in zip(remembered, files, strict=True) if id(file) not in due_ids]
    keys = {obj.object.key for obj in settled}
    return settled, [obj for obj in objects if obj.key not in keys]


def _split_into_parts(objects: Sequence[StoredObject]) -> Iterator[list[StoredObject]]:
    part: list[StoredObject] = []
    size = 0
    for obj in objects:
        if part and (len(part) == PART_OBJECTS or size + obj.size > PART_BYTES):
            yield part
            part, size = [], 0
        part.append(obj)
        size += obj.size
    if part:
        yield part


def _refusal(store: ObjectStore, obj: StoredObject) -> str | None:
    limit = store.options.limits.max_file_size
    if obj.size > limit:
        return f"It has {obj.size:,} bytes, more than max_file_size allows ({limit:,}): it was not fetched."
    if not is_nameable(obj):
        return "Its name has an empty part, '.' or '..' in it, or is too long: it was not fetched. Rename it."
    return None


def _refused(obj: StoredObject, reason: str) -> FileResult:
    log.warning("%s: not read. %s", printable(obj.key), reason)
    return FileResult(printable(obj.inside), "rejected", None, NOTHING, "unreadable", reason, ())


def _failed(name: str, error: SourceError) -> FileResult:
    detail = f"{error} {error.hint}".strip()
    log.warning("%s: not fetched. %s", printable(name), detail)
    return FileResult(printable(name), "failed", None, NOTHING, "unreachable", detail, ())
