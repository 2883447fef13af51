"""Ingest found files: each becomes one batch, in the warehouse whole or not at all."""

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.fingerprint import fingerprint
from tasks.formats import CANONICAL, REJECTS, Export
from tasks.read import read_export
from tasks.sweep import Found
from tasks.validate import validate
from warehouse.batches import Batch, BatchCounts, store_batch
from warehouse.connect import connect
from warehouse.reads import known_files

log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class Ingested:
    """What became of one file: its batch, its counts, and what to tell the user."""

    file_name: str
    status: str  # 'stored' or 'rejected'
    reader: str | None
    counts: BatchCounts
    reason: str | None
    detail: str | None
    warnings: tuple[str, ...]


def ingest(db: Path, found: Sequence[Found], labels: Mapping[str, Sequence[str]]) -> Iterator[Ingested]:
    """Read, validate and store each file that is not in the warehouse yet; yields as it goes.

    A file is known by its bytes and its subfolder. One that could not be read is tried again only when the settings
    that it is read with have changed. Raises nothing for a bad file: that is a batch with status 'rejected', and the
    others go on.
    """
    known = _known(db)
    unknown = [file for file in found if not _is_known(file, _settings(file, labels), known)]
    fresh = list({_identity(file): file for file in reversed(unknown)}.values())[::-1]  # the first of equal files
    for number, file in enumerate(fresh, start=1):
        result = _ingest_one(db, file, labels)
        log.info("%d/%d %s: %s", number, len(fresh), file.file_name, _in_words(result))
        yield result


def _known(db: Path) -> dict[str, str | None]:
    """batch_id of each file that is settled: None where it is stored, else the settings that could not read it."""
    with connect(db) as con:
        rows = known_files(con)
    settled = rows.select("batch_id", pl.when(pl.col("status") != "stored").then(pl.col("settings_hash")))
    return dict(settled.iter_rows())


def _is_known(file: Found, settings: str, known: Mapping[str, str | None]) -> bool:
    return known.get(_identity(file), "") in (None, settings)


def _identity(file: Found) -> str:
    """The batch_id: the bytes, and what of the file's place says which question they answer, so that a renamed file is
    the same and equal bytes for two questions are not."""
    folder = file.file_name.split("/")[0] if "/" in file.file_name else ""
    place = "" if file.options.question else folder
    return hashlib.sha256("\n".join((file.sha256, file.options.prefix or "", place)).encode()).hexdigest()


def _settings(file: Found, labels: Mapping[str, Sequence[str]]) -> str:
    # The fallback question is the file's place, not a setting: moving a file does not make it another.
    return fingerprint(replace(file.options, fallback_question=None), labels)


def _ingest_one(db: Path, file: Found, labels: Mapping[str, Sequence[str]]) -> Ingested:
    started = datetime.now(UTC)
    try:
        export = read_export(file.path, file.options)
    except ReadError as error:
        refused = Export(format="", rows=pl.DataFrame(schema=CANONICAL), rejects=pl.DataFrame(schema=REJECTS))
        return _store(db, file, labels, started, refused, reason="unreadable", detail=f"{error} {error.hint}".strip())
    return _store(db, file, labels, started, export)


def _store(
    db: Path,
    file: Found,
    labels: Mapping[str, Sequence[str]],
    started: datetime,
    export: Export,
    *,
    reason: str | None = None,
    detail: str | None = None,
) -> Ingested:
    checked = validate(export, labels=labels)
    batch = Batch(
        batch_id=_identity(file),
        source=file.source,
        file_name=file.file_name,
        sha256=file.sha256,
        reader=export.format or None,
        status="rejected" if reason else "stored",
        n_rows=checked.n_rows,
        n_skipped=checked.n_skipped,
        started_at=started,
        settings_hash=_settings(file, labels),
        reason=reason,
        detail=detail,
    )
    with connect(db) as con:
        counts = store_batch(con, batch, checked.ratings, checked.rejects, export.metadata, now=datetime.now(UTC))
    return Ingested(file.file_name, batch.status, batch.reader, counts, reason, detail, export.warnings)


def _in_words(result: Ingested) -> str:
    if result.status == "rejected":
        return f"not read. {result.detail}"
    counts = result.counts
    return (
        f"{counts.n_ratings:,} new ratings, {counts.n_unchanged:,} unchanged, {counts.n_skipped:,} skipped, "
        f"{counts.n_rejected:,} rejected ({result.reader})"
    )
