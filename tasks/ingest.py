"""Ingest found files: each becomes one batch, in the warehouse whole or not at all."""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.due import Due, due_files, identities, known_batches, settings_of
from tasks.duplicates import number_repeats, rules_of_warehouse
from tasks.errors import ReadError
from tasks.formats import CANONICAL, REJECTS, Export
from tasks.full_exports import in_order, newer
from tasks.parts import read_validated
from tasks.rules import USUAL, Rules
from tasks.sweep import Found
from tasks.validate import Validated, validate
from warehouse.batches import Batch, BatchCounts, store_batch
from warehouse.connect import connect

log = logging.getLogger("kappaflow")
NOTHING = BatchCounts(n_ratings=0, n_unchanged=0, n_skipped=0, n_rejected=0, questions=(), repeated=True)


@dataclass(frozen=True)
class Ingested:
    """What became of one file: its batch, its counts, and what to tell the user."""

    file_name: str
    status: str  # 'stored', 'rejected', 'missing': to be read again, but not there; 'failed': a live source, no answer
    reader: str | None
    counts: BatchCounts
    reason: str | None
    detail: str | None
    warnings: tuple[str, ...]


def ingest(
    db: Path, found: Sequence[Found], rules: Rules = USUAL, *, retry_rejects: bool = False
) -> Iterator[Ingested]:
    """Read, validate and store each file that is not in the warehouse yet; yields as it goes.

    A file is known by its bytes and its subfolder, and by its name where that says who rated. One that could not be
    read is tried again only when the settings that it is read with have changed, or there are new readers. With
    `retry_rejects` so is one with rejected rows, as a further attempt at the same batch. A full export that has been
    there before counts again when others have come in between.
    Raises nothing for a bad file: that is a batch with status 'rejected', and the others go on.
    """
    # Until nothing is due: a full export that comes in may make an older state a new one.
    while due := due_files(db, in_order(found), rules, retry_rejects):
        for number, one in enumerate(due, start=1):
            result = _ingest_one(db, one, rules)
            log.info("%d/%d %s: %s", number, len(due), one.file.file_name, in_words(result))
            yield result
        retry_rejects = False


def missing(db: Path, found: Sequence[Found], unseen: Collection[str] = ()) -> list[Ingested]:
    """The files with rejected rows that cannot be read again because they are no longer in their source; of the sources
    in `unseen` nothing is said, because nobody could look."""
    there = {batch_id for file in found for batch_id in identities(file)}
    gone = [
        one
        for batch_id, one in known_batches(db).items()
        if one.is_file and one.n_rejected and batch_id not in there and one.source not in unseen
    ]
    return [
        Ingested(
            one.file_name, "missing", None, NOTHING, "missing",
            f"It had {one.n_rejected:,} rejected rows and is no longer in its source ({one.source}): put it back, or "
            "name it: kappaflow ingest --retry-rejects FILE.", (),
        )
        for one in gone
    ]  # fmt: skip


def unsettled(db: Path, found: Sequence[Found], rules: Rules, retry_rejects: bool) -> list[Found]:
    """The files that `ingest` would read; of none of them the content is needed to say so."""
    return [one.file for one in due_files(db, found, rules, retry_rejects)]


def stored(db: Path, found: Sequence[Found]) -> list[Found]:
    """The files whose batch is in the warehouse."""
    known = known_batches(db) if found else {}
    return [file for file in found if any(known[name].status == "stored" for name in identities(file) if name in known)]


def _ingest_one(db: Path, due: Due, rules: Rules) -> Ingested:
    started = datetime.now(UTC)
    file = due.file
    try:
        export, checked = read_validated(file.path, file.options, labels=rules.labels)
        checked = replace(checked, ratings=number_repeats(checked.ratings, rules.duplicates))
    except ReadError as error:
        return _refuse(db, due, rules, started, "unreadable", f"{error} {error.hint}".strip())
    if file.full_export and (outdated := _outdated(db, file, checked)):
        return _refuse(db, due, rules, started, "outdated_export", outdated)
    return _store(db, due, rules, started, export, checked)


def _outdated(db: Path, file: Found, checked: Validated) -> str | None:
    """Why a full export that is older than what is known is not taken in."""
    with connect(db) as con:
        name = newer(con, file, checked.ratings["question"].unique().to_list())
    if name is None:
        return None
    return (
        f"It was written before {name}, which is the latest full export of its source: taking it in would bring back "
        "what has changed since. If it is the newer one, write it anew (touch it)."
    )


def _refuse(db: Path, due: Due, rules: Rules, started: datetime, reason: str, detail: str) -> Ingested:
    nothing = Export(format="", rows=pl.DataFrame(schema=CANONICAL), rejects=pl.DataFrame(schema=REJECTS))
    return _store(db, due, rules, started, nothing, validate(nothing), reason=reason, detail=detail)


def _store(
    db: Path,
    due: Due,
    rules: Rules,
    started: datetime,
    export: Export,
    checked: Validated,
    *,
    reason: str | None = None,
    detail: str | None = None,
) -> Ingested:
    file = due.file
    batch = Batch(
        batch_id=due.batch_id,
        source=file.source,
        file_name=file.file_name,
        sha256=file.sha256,
        reader=export.format or None,
        status="rejected" if reason else "stored",
        n_rows=checked.n_rows,
        n_skipped=checked.n_skipped,
        started_at=started,
        settings_hash=settings_of(file, rules),
        reason=reason,
        detail=detail,
        full_export=file.full_export,
        file_modified_at=file.modified_at,
    )
    with connect(db) as con:
        counts = store_batch(
            con,
            batch,
            checked.ratings,
            checked.rejects,
            export.metadata,
            now=datetime.now(UTC),
            rules=rules_of_warehouse(rules.duplicates),
            retry=due.retry,
        )
    return Ingested(file.file_name, batch.status, batch.reader, counts, reason, detail, export.warnings)


def in_words(result: Ingested) -> str:
    """What became of a file, for the log."""
    if result.status == "rejected":
        return f"not read. {result.detail}"
    counts = result.counts
    deleted = f", {counts.n_deleted:,} deleted" if counts.n_deleted else ""
    new = " new ratings" if counts.n_new is None else f" ratings ({counts.n_new:,} of them new)"
    return (
        f"{counts.n_ratings:,}{new}, {counts.n_unchanged:,} unchanged, {counts.n_skipped:,} skipped, "
        f"{counts.n_rejected:,} rejected{deleted} ({result.reader})"
    )
