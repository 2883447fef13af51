"""Ingest found files: each becomes one batch, in the warehouse whole or not at all."""

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import polars as pl

from tasks.duplicates import Duplicates, number_repeats, rules_of_warehouse
from tasks.errors import ReadError
from tasks.fingerprint import fingerprint
from tasks.formats import CANONICAL, FORMATS, REJECTS, Export
from tasks.formats.unpack import stem
from tasks.full_exports import counts_again, in_order, newer
from tasks.read import rater_in_name, read_export
from tasks.sweep import Found
from tasks.validate import Validated, validate
from warehouse.batches import Batch, BatchCounts, store_batch
from warehouse.connect import connect
from warehouse.reads import known_files

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


@dataclass(frozen=True)
class _Rules:
    """What the settings say of questions that matters on the way in: declared labels, and which duplicate counts."""

    labels: Mapping[str, Sequence[str]]
    duplicates: Mapping[str, Duplicates]


@dataclass(frozen=True)
class _Due:
    file: Found
    batch_id: str
    retry: bool


@dataclass(frozen=True)
class _Known:
    status: str
    settings_hash: str | None
    n_rejected: int
    file_name: str
    source: str
    is_file: bool  # else a live source, which is asked again


def ingest(
    db: Path,
    found: Sequence[Found],
    labels: Mapping[str, Sequence[str]],
    *,
    duplicates: Mapping[str, Duplicates] | None = None,
    retry_rejects: bool = False,
) -> Iterator[Ingested]:
    """Read, validate and store each file that is not in the warehouse yet; yields as it goes.

    A file is known by its bytes and its subfolder, and by its name where that says who rated. One that could not be
    read is tried again only when the settings that it is read with have changed, or there are new readers. With
    `retry_rejects` so is one with rejected rows, as a further attempt at the same batch. A full export that has been
    there before counts again when others have come in between.
    Raises nothing for a bad file: that is a batch with status 'rejected', and the others go on.
    """
    rules = _Rules(labels, duplicates or {})
    # Until nothing is due: a full export that comes in may make an older state a new one.
    while due := _due(db, in_order(found), rules, retry_rejects):
        for number, one in enumerate(due, start=1):
            result = _ingest_one(db, one, rules)
            log.info("%d/%d %s: %s", number, len(due), one.file.file_name, in_words(result))
            yield result
        retry_rejects = False


def missing(db: Path, found: Sequence[Found]) -> list[Ingested]:
    """The files with rejected rows that cannot be read again because they are no longer in their source."""
    there = {batch_id for file in found for batch_id in _identities(file)}
    gone = [one for batch_id, one in _known(db).items() if one.is_file and one.n_rejected and batch_id not in there]
    return [
        Ingested(
            one.file_name, "missing", None, NOTHING, "missing",
            f"It had {one.n_rejected:,} rejected rows and is no longer in its source ({one.source}): put it back, or "
            "name it: kappaflow ingest --retry-rejects FILE.", (),
        )
        for one in gone
    ]  # fmt: skip


def stored(db: Path, found: Sequence[Found]) -> list[Found]:
    """The files whose batch is in the warehouse."""
    known = _known(db) if found else {}
    return [
        file for file in found if any(known[name].status == "stored" for name in _identities(file) if name in known)
    ]


def _due(db: Path, found: Sequence[Found], rules: _Rules, retry_rejects: bool) -> list[_Due]:
    """What is to be read, each batch once: of equal files the first."""
    known = _known(db)
    due: dict[str, _Due] = {}
    for file in found:
        one = _unknown(file, rules, known) or (_rejects(file, rules, known) if retry_rejects else None)
        if one is None and file.full_export:
            one = _again(db, file, known)
        if one is not None:
            due.setdefault(one.batch_id, one)
    return list(due.values())


def _known(db: Path) -> dict[str, _Known]:
    columns = ("status", "settings_hash", "n_rejected", "file_name", "source")
    with connect(db) as con:
        rows = known_files(con)
    return {
        row["batch_id"]: _Known(**{name: row[name] for name in columns}, is_file=row["sha256"] is not None)
        for row in rows.to_dicts()
    }


def _unknown(file: Found, rules: _Rules, known: Mapping[str, _Known]) -> _Due | None:
    """The file, unless it is settled under either identity: which one it has shows only when it is opened."""
    settings = _settings(file, rules)
    for batch_id in _identities(file):
        one = known.get(batch_id)
        if one is not None and (one.status == "stored" or one.settings_hash == settings):
            return None
    return _Due(file, _identity(file, rater_in_name(file.path, file.options)), False)


def _rejects(file: Found, rules: _Rules, known: Mapping[str, _Known]) -> _Due | None:
    """The file, if rows of it were rejected under other settings than today's."""
    for batch_id in (*_identities(file), *(_later(file, batch_id) for batch_id in _identities(file))):
        one = known.get(batch_id)
        if one is not None and one.n_rejected and one.settings_hash != _settings(file, rules):
            return _Due(file, batch_id, True)
    return None


def _again(db: Path, file: Found, known: Mapping[str, _Known]) -> _Due | None:
    """A full export with known bytes, if it is a new state of its questions."""
    bytes_of = [batch_id for batch_id in _identities(file) if batch_id in known]
    later = [_later(file, batch_id) for batch_id in bytes_of]
    if not later or later[0] in known:
        return None
    with connect(db) as con:
        return _Due(file, later[0], False) if counts_again(con, file, bytes_of) else None


def _later(file: Found, batch_id: str) -> str:
    """The identity of a full export that has been there before: its time tells it from the first."""
    return hashlib.sha256(f"{batch_id}\n{file.modified_at.isoformat()}".encode()).hexdigest()


def _identities(file: Found) -> tuple[str, str]:
    return _identity(file, False), _identity(file, True)


def _identity(file: Found, by_name: bool) -> str:
    """The batch_id: the bytes, and what of the file's place says which question they answer, so that a renamed file is
    the same and equal bytes for two questions are not. `by_name` adds the file's name, where that is the rater: two
    people who answered alike have equal bytes."""
    folder = file.file_name.split("/")[0] if "/" in file.file_name else ""
    place = "" if file.options.question else folder
    parts = [file.sha256, file.options.prefix or "", place]
    if by_name:
        parts.append(stem(Path(file.file_name)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _settings(file: Found, rules: _Rules) -> str:
    # The fallback question is the file's place, not a setting: moving a file does not make it another.
    # The names of the readers and the version: a new one may read what was refused. A full export that is too old may
    # be written anew.
    options = replace(file.options, fallback_question=None)
    written = file.modified_at.isoformat() if file.full_export else None
    return fingerprint(options, rules.labels, rules.duplicates, sorted(FORMATS), version("kappaflow"), written)


def _ingest_one(db: Path, due: _Due, rules: _Rules) -> Ingested:
    started = datetime.now(UTC)
    file = due.file
    try:
        export = read_export(file.path, file.options)
        checked = validate(export, labels=rules.labels)
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


def _refuse(db: Path, due: _Due, rules: _Rules, started: datetime, reason: str, detail: str) -> Ingested:
    nothing = Export(format="", rows=pl.DataFrame(schema=CANONICAL), rejects=pl.DataFrame(schema=REJECTS))
    return _store(db, due, rules, started, nothing, validate(nothing), reason=reason, detail=detail)


def _store(
    db: Path,
    due: _Due,
    rules: _Rules,
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
        settings_hash=_settings(file, rules),
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
