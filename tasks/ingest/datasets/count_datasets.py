"""Count datasets: ratings stay in their files, and the warehouse stores how many items have each rating pattern.

If the files that were counted are as they were, only the items in new files are counted: once as before, from the files
that are known, and once with the new files. The difference is added to the stored counts. If a file has changed or is
gone, or if settings that decide what a row means have changed, the whole dataset is counted. docs/decisions/0010 says
why.
"""

import hashlib
import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import duckdb
import polars as pl

from tasks.counted_words import counted
from tasks.errors import KappaflowError, ReadError, printable
from tasks.fingerprint import fingerprint
from tasks.formats.columns.column_roles import listed
from tasks.ingest.datasets.count_job import CountJob, CountOutcome
from tasks.ingest.datasets.count_rules import CountRules
from tasks.ingest.datasets.count_with_duckdb import DamagedFilesError, count_with_duckdb
from tasks.ingest.datasets.draft_folder import draft_folder
from tasks.ingest.datasets.unreadable_files import failed_files, noted_unreadable
from tasks.ingest.file_result import FileResult, future_notes
from tasks.ingest.ingest_files import NOTHING
from tasks.sources.dataset import IDENTITY, DatasetFiles, DatasetSource, same_files
from tasks.sources.datasets.dataset_files import KnownFiles, dataset_files
from warehouse.batches import Batch, BatchCounts
from warehouse.connect import connect
from warehouse.datasets.stored import (
    ChangedMeanwhileError,
    CountedGroup,
    DatasetChange,
    NotAdditiveError,
    StoredDataset,
    arrival,
    foreign_question,
    store_counts,
    stored_dataset,
)
from warehouse.errors import WarehouseBusyError, WarehouseError
from warehouse.raters.forgotten_names import ForgottenNames, forgotten_names

log = logging.getLogger("kappaflow")
READER, SPARK = "dataset", "spark"
MAX_GONE_NAMED = 5
COUNTED_AS = 3  # counts up when rows are counted otherwise: then each dataset is counted again


def count_datasets(
    db: Path, sources: Sequence[DatasetSource], rules: CountRules, *, again: bool = False
) -> list[FileResult]:
    """Count what is new in each dataset, and return what became of it. A dataset without anything new has no result.

    A file that cannot be read is rejected, and the others are counted. A dataset that cannot be counted raises no
    error: it becomes a result with status 'failed', and what was counted before stays. With `again`, each is counted
    as a whole, and files that could not be read are tried again.
    """
    results: list[FileResult] = []
    for source in sources:
        try:
            with _session(source):
                results += _count(db, source, rules, again)
        except ChangedMeanwhileError:
            continue
        except WarehouseBusyError:
            raise
        except (KappaflowError, WarehouseError, OSError, pl.exceptions.PolarsError) as error:
            to_do = getattr(error, "setting_hint", "") or getattr(error, "hint", "")
            detail = printable(f"{error} {to_do}".strip())
            log.warning("%s: not counted. %s", source.place, detail)
            results.append(FileResult(source.place, "failed", READER, NOTHING, "unreadable", detail, ()))
    return results


def _count(db: Path, source: DatasetSource, rules: CountRules, again: bool) -> list[FileResult]:
    with connect(db) as con:
        stored = stored_dataset(con, source.name)
        forgotten = forgotten_names(con, db)
    unreadable = stored.unreadable.clear() if again else stored.unreadable
    listed_files = _listed(source, KnownFiles(stored.files, unreadable))
    results = [
        *noted_unreadable(db, source, listed_files.unreadable, stored.unreadable),
        *failed_files(listed_files.failed),
    ]
    try:
        counted = _count_readable(db, source, rules, again, listed_files, stored, forgotten)
    except DamagedFilesError as error:
        files = listed_files.readable.join(
            pl.DataFrame(list(error.files.items()), schema=["file_name", "detail"], orient="row"), on="file_name"
        )
        damaged = pl.concat([listed_files.unreadable, files.select(listed_files.unreadable.columns)])
        results += noted_unreadable(db, source, damaged, listed_files.unreadable)
        return [*results, *_count(db, source, rules, again=False)]
    return [*results, *counted]


def _count_readable(
    db: Path,
    source: DatasetSource,
    rules: CountRules,
    again: bool,
    listed_files: DatasetFiles,
    stored: StoredDataset,
    forgotten: ForgottenNames,
) -> list[FileResult]:
    settings, files = _settings_hash(source, rules, forgotten), listed_files.readable
    whole = again or stored.settings_hash != settings
    if not whole and same_files(files, stored.files):
        return []
    with connect(db) as con:
        arrived = arrival(con, datetime.now(UTC))
    known_files = stored.files.select(
        *IDENTITY, "batch_no", pl.col("n_rows").alias("known_rows"), "first_item", "last_item"
    )
    files = files.join(known_files, on=list(IDENTITY), how="left")
    files = files.with_columns(n_rows=pl.coalesce("n_rows", "known_rows")).drop("known_rows")
    whole = whole or files["batch_no"].drop_nulls().len() < stored.files.height
    groups = _groups(source, files, stored, arrived, settings)
    ordered = pl.concat([group.files for group in groups]) if groups else files
    job = CountJob(source, rules, groups, ordered, forgotten, whole)
    try:
        return [_counted(db, job, settings, stored, listed_files.version)]
    except NotAdditiveError:
        log.info("%s: counted as a whole, since the difference does not fit what is stored", source.place)
        return [_counted(db, replace(job, whole=True), settings, stored, listed_files.version)]


def _settings_hash(source: DatasetSource, rules: CountRules, forgotten: ForgottenNames) -> str:
    options = replace(source.options, limits=type(source.options.limits)())
    kinds = rules.kinds.sort(rules.kinds.columns).rows()
    names = sorted(fingerprint(value) for value in forgotten.pseudonyms)
    ingest = (rules.ingest.labels, rules.ingest.duplicates, rules.ingest.aliases)
    slices = [rules.slices] if rules.slices else []  # so that datasets that were counted before there were slices stay
    return fingerprint(
        COUNTED_AS, options, source.question, ingest, kinds, rules.timezone, rules.n_last, names, *slices
    )


def _groups(
    source: DatasetSource, files: pl.DataFrame, stored: StoredDataset, arrived: datetime, settings: str
) -> tuple[CountedGroup, ...]:
    """Return the files as batches, in the order of their arrival. The files that are new are the last one."""
    groups = []
    for row in stored.batches.iter_rows(named=True):
        own = files.filter(pl.col("batch_no") == row["batch_no"])
        name = row["file_name"] if own.is_empty() else _name(own)
        batch = _batch(source, row["batch_id"], name, own, row["arrived_at"], settings)
        groups.append(CountedGroup(batch, row["arrived_at"], own, row["batch_no"], row["attempt"] + 1))
    new = files.filter(pl.col("batch_no").is_null())
    if new.height:
        identity = [source.name, arrived.isoformat(), *map(str, new.select("file_name", "footer").rows())]
        batch_id = hashlib.sha256("\n".join(identity).encode()).hexdigest()
        batch = _batch(source, batch_id, _name(new), new, arrived, settings)
        groups.append(CountedGroup(batch, arrived, new, None, 1))
    return tuple(groups)


def _name(files: pl.DataFrame) -> str:
    first = str(files["file_name"].sort()[0])
    others = files.height - 1
    return first if not others else f"{first} and {counted(others, 'more file')}"


def _batch(
    source: DatasetSource, batch_id: str, name: str, files: pl.DataFrame, arrived: datetime, settings: str
) -> Batch:
    return Batch(
        batch_id=batch_id, source=source.name, file_name=name, sha256=None, reader=READER, status="stored",
        n_rows=int(files["n_rows"].sum()), n_skipped=0, started_at=arrived, settings_hash=settings,
    )  # fmt: skip


def _counted(db: Path, job: CountJob, settings: str, seen: StoredDataset, version: int | None) -> FileResult:
    """Count the dataset, or what is new in it, and store the counts."""
    source = job.source
    places = frozenset(range(len(job.groups))) if job.whole else frozenset({len(job.groups) - 1})
    with draft_folder(db.parent) as drafts:
        outcome = _count_rows(db, job, drafts)
    if not same_files(_listed(source, KnownFiles(job.files, seen.unreadable)).readable, job.files):
        raise ReadError(f"Files of {source.place} changed while they were counted.", "The next run counts them.")
    change = DatasetChange(
        source.name, settings, job.groups, outcome.after, outcome.before, outcome.rejects, seen, job.rules.n_last,
        places, outcome.ranges, version,
    )  # fmt: skip
    with connect(db) as con:
        _refuse_foreign(con, source, outcome.after.questions())
        written = store_counts(con, change, job.groups[-1].arrived)
    total = [sum(counts) for counts in zip(*written.values(), strict=True)]
    n_rejected = int(outcome.rejects.filter(pl.col("place").is_in(sorted(places)))["n_rows"].sum())
    future = outcome.after.future.filter(pl.col("place").is_in(sorted(places)))
    counts = BatchCounts(
        n_ratings=total[0], n_unchanged=total[1], n_skipped=0, n_rejected=n_rejected, questions=(), repeated=False,
        n_future=int(future["n_future"].sum()), last_future=cast("datetime | None", future["last_future_at"].max()),
    )  # fmt: skip
    n_files = job.files.height if job.whole else job.groups[-1].files.height
    name = f"{source.place} ({counted(n_files, 'file')})"
    log.info("%s: %s ratings counted, %s rejected", name, f"{counts.n_ratings:,}", f"{n_rejected:,}")
    notes = outcome.notes + future_notes(counts)
    if n_rejected:
        rejected = counted(n_rejected, "row was", "rows were")
        notes += (f"{rejected} rejected; `kappaflow rejects` counts by file and reason.",)
    if version is None:  # a Delta table replaces its files, and says which ones count
        notes += _gone_note(seen.files["file_name"].to_list(), job.files["file_name"].to_list())
    return FileResult(name, "stored", READER, counts, None, None, notes)


def _gone_note(before: Sequence[str], now: Sequence[str]) -> tuple[str, ...]:
    """Name the files that were counted before and are not counted now: their ratings are lost to all figures."""
    gone = sorted(set(before) - set(now))
    if not gone:
        return ()
    files = counted(len(gone), "file that was counted before is", "files that were counted before are")
    shown = ", ".join(printable(name) for name in gone[:MAX_GONE_NAMED]) + (
        ", ..." if len(gone) > MAX_GONE_NAMED else ""
    )
    return (f"{files} gone or cannot be read: {shown}. Ratings that no other file holds count no longer.",)


def _count_rows(db: Path, job: CountJob, drafts: Path) -> CountOutcome:
    if job.source.engine == SPARK:
        from tasks.ingest.datasets.count_with_spark import count_with_spark  # pyspark is an extra

        return count_with_spark(job, drafts)

    def check(questions: list[str]) -> None:
        with connect(db, read_only=True) as con:
            _refuse_foreign(con, job.source, questions)

    return count_with_duckdb(job, drafts, check)


def _listed(source: DatasetSource, known_files: KnownFiles) -> DatasetFiles:
    if source.table is not None:
        from tasks.ingest.datasets.spark_table import table_files

        return table_files(source)
    return dataset_files(source, known_files)


def _session(source: DatasetSource) -> AbstractContextManager[Any]:
    """Return a session that lasts from listing the files of a table to counting them."""
    if source.table is None:
        return nullcontext()
    from tasks.ingest.datasets.spark_session import spark_session

    return spark_session(source.master)


def _refuse_foreign(con: duckdb.DuckDBPyConnection, source: DatasetSource, questions: Sequence[str]) -> None:
    """Raise ReadError if one of the questions has ratings from elsewhere."""
    if foreign := foreign_question(con, source.name, questions):
        question, where = foreign
        raise ReadError(
            f"The question {listed([question])} of {source.place} has ratings from {where}.",
            "A question has its ratings in one dataset, or in the warehouse: set prefix in this [[source]].",
        )
