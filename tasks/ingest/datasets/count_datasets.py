"""Count datasets: ratings stay in their files, and the warehouse stores how many items have each rating pattern.

If the files that were counted are as they were, only the items in new files are counted: once as before, from the files
that are known, and once with the new files. The difference is added to the stored counts. If a file has changed or is
gone, or if settings that decide what a row means have changed, the whole dataset is counted. docs/decisions/0010 says
why.
"""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from tasks.errors import KappaflowError, ReadError, printable
from tasks.fingerprint import fingerprint
from tasks.formats.columns.column_roles import listed
from tasks.ingest.datasets.count_rules import CountRules
from tasks.ingest.datasets.dataset_rows import Bucket, DatasetColumns, DatasetReader, n_buckets_of
from tasks.ingest.datasets.draft_folder import draft_folder
from tasks.ingest.duplicates import number_repeats, rules_of_warehouse
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import NOTHING
from tasks.ingest.rater_names import rename_raters
from tasks.sources.dataset import DatasetSource, dataset_files, same_files
from warehouse.batches import Batch, BatchCounts
from warehouse.connect import connect
from warehouse.datasets.counting import EXAMPLES, CountingWarehouse, DatasetCounts
from warehouse.datasets.stored import (
    REJECTS,
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

log, steps = logging.getLogger("kappaflow"), logging.getLogger("kappaflow.steps")
READER = "dataset"
COUNTED_AS = 1  # counts up when rows are counted otherwise: then each dataset is counted again
MAX_PATTERN_RATINGS = 20_000_000
"""Above it the patterns would be about as large as the ratings."""


@dataclass(frozen=True)
class _Count:
    """A dataset that is counted: its source, the rules, and the files by place, in the order of their arrival."""

    db: Path
    source: DatasetSource
    rules: CountRules
    groups: tuple[CountedGroup, ...]
    files: pl.DataFrame
    settings_hash: str
    seen: StoredDataset
    forgotten: ForgottenNames


def count_datasets(
    db: Path, sources: Sequence[DatasetSource], rules: CountRules, *, again: bool = False
) -> list[FileResult]:
    """Count what is new in each dataset, and return what became of it. A dataset without anything new has no result.

    A dataset that cannot be counted raises no error: it becomes a result with status 'failed', and what was counted
    before stays. With `again`, each is counted as a whole.
    """
    results = []
    for source in sources:
        try:
            result = _count(db, source, rules, again)
        except ChangedMeanwhileError:
            continue
        except WarehouseBusyError:
            raise
        except (KappaflowError, WarehouseError, OSError, pl.exceptions.PolarsError) as error:
            detail = printable(f"{error} {getattr(error, 'hint', '')}".strip())
            log.warning("%s: not counted. %s", source.path, detail)
            result = FileResult(str(source.path), "failed", READER, NOTHING, "unreadable", detail, ())
        if result is not None:
            results.append(result)
    return results


def _count(db: Path, source: DatasetSource, rules: CountRules, again: bool) -> FileResult | None:
    started = datetime.now(UTC)
    files = dataset_files(source)
    with connect(db) as con:
        stored = stored_dataset(con, source.name)
        forgotten = forgotten_names(con, db)
        arrived = arrival(con, started)
    settings = _settings_hash(source, rules, forgotten)
    whole = again or stored.settings_hash != settings
    if not whole and same_files(files, stored.files.sort("file_name")):
        return None
    known = files.join(stored.files.select("file_name", "size", "modified_ns", "footer", "batch_no", "n_rows"),
                       on=["file_name", "size", "modified_ns", "footer"], how="left")  # fmt: skip
    whole = whole or known["batch_no"].drop_nulls().len() < stored.files.height
    files = known.with_columns(
        n_rows=pl.Series([_n_rows(path, n) for path, n in known.select("path", "n_rows").rows()], dtype=pl.Int64)
    )
    groups = _groups(source, files, stored, arrived, settings)
    ordered = pl.concat([group.files for group in groups]) if groups else files
    count = _Count(db, source, rules, groups, ordered, settings, stored, forgotten)
    try:
        return _counted(count, whole)
    except NotAdditiveError:
        log.info("%s: counted as a whole, since the difference does not fit what is stored", source.path)
        return _counted(count, whole=True)


def _settings_hash(source: DatasetSource, rules: CountRules, forgotten: ForgottenNames) -> str:
    options = replace(source.options, limits=type(source.options.limits)())
    kinds = rules.kinds.sort(rules.kinds.columns).rows()
    names = sorted(fingerprint(value) for value in forgotten.pseudonyms)
    ingest = (rules.ingest.labels, rules.ingest.duplicates, rules.ingest.aliases)
    return fingerprint(COUNTED_AS, options, source.question, ingest, kinds, rules.timezone, rules.n_last, names)


def _n_rows(path: str, known: int | None) -> int:
    if known is not None:
        return known
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, ValueError) as error:
        raise ReadError(f"{Path(path).name} cannot be read: {error}", "Write it again.") from error


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
    return first if not others else f"{first} and {others:,} more {'file' if others == 1 else 'files'}"


def _batch(
    source: DatasetSource, batch_id: str, name: str, files: pl.DataFrame, arrived: datetime, settings: str
) -> Batch:
    return Batch(
        batch_id=batch_id, source=source.name, file_name=name, sha256=None, reader=READER, status="stored",
        n_rows=int(files["n_rows"].sum()), n_skipped=0, started_at=arrived, settings_hash=settings,
    )  # fmt: skip


def _counted(count: _Count, whole: bool) -> FileResult:
    """Count the dataset, or what is new in it, and store the counts."""
    source, new = count.source, count.groups[-1]
    places = range(len(count.groups)) if whole else (len(count.groups) - 1,)
    with draft_folder(count.db.parent) as drafts, closing(DatasetReader(source, count.files, drafts)) as reader:
        columns = reader.columns()
        after, before, rejects = _count_rows(count, reader, columns, drafts, whole)
    if not same_files(dataset_files(source), count.files.sort("file_name")):
        raise ReadError(f"Files of {source.path} changed while they were counted.", "The next run counts them.")
    change = DatasetChange(
        source.name, count.settings_hash, count.groups, after, before, rejects, count.seen, count.rules.n_last,
        frozenset(places),
    )  # fmt: skip
    with connect(count.db) as con:
        written = store_counts(con, change, new.arrived)
    total = [sum(counts) for counts in zip(*written.values(), strict=True)]
    n_rejected = int(rejects.filter(pl.col("place").is_in(list(places)))["n_rows"].sum())
    counts = BatchCounts(
        n_ratings=total[0], n_unchanged=total[1], n_skipped=0, n_rejected=n_rejected, questions=(), repeated=False
    )
    files = count.files if whole else new.files
    name = f"{source.path} ({files.height:,} {'file' if files.height == 1 else 'files'})"
    log.info("%s: %s ratings counted, %s rejected", name, f"{counts.n_ratings:,}", f"{n_rejected:,}")
    notes = columns.notes
    if n_rejected:
        notes += (f"{n_rejected:,} rows were rejected; `kappaflow rejects` counts them by file and reason.",)
    return FileResult(name, "stored", READER, counts, None, None, notes)


def _count_rows(
    count: _Count, reader: DatasetReader, columns: DatasetColumns, drafts: Path, whole: bool
) -> tuple[DatasetCounts, DatasetCounts | None, pl.DataFrame]:
    """Count the rows: of all items, or of the touched ones, with the new files and without them."""
    labels, n_buckets = count.rules.ingest.labels, n_buckets_of(count.files)
    after = _counting(count, drafts)
    before = None if whole else _counting(count, drafts, list_items=True)
    rejects: list[pl.DataFrame] = []
    new = count.groups[-1].files
    buckets = reader.buckets(columns, n_buckets, labels) if whole else reader.touched(columns, new, labels)
    try:
        for bucket in buckets:
            steps.debug("counting %s, bucket %d/%d", count.source.path, bucket.number + 1, n_buckets)
            parts = list(_by_group(count, bucket))
            rejects += _store_bucket(count, after, bucket.number, parts)
            if before is not None:
                _store_bucket(count, before, bucket.number, parts[:-1])
            if after.n_pattern_ratings() > MAX_PATTERN_RATINGS:
                raise ReadError(
                    f"The ratings of {count.source.path} hardly repeat: their patterns alone have more than "
                    f"{MAX_PATTERN_RATINGS:,} ratings.",
                    "A dataset is for questions with few raters an item, who return. Ingest the files as a folder.",
                )
        return after.counts(), before.counts() if before else None, _summed(rejects)
    finally:
        after.close()
        if before is not None:
            before.close()


def _counting(count: _Count, drafts: Path, *, list_items: bool = False) -> CountingWarehouse:
    rules = count.rules
    return CountingWarehouse(
        drafts / "counting", count.source.memory, kinds=rules.kinds, timezone=rules.timezone, n_last=rules.n_last,
        list_items=list_items,
    )  # fmt: skip


def _by_group(count: _Count, bucket: Bucket) -> Iterator[tuple[int, pl.DataFrame, pl.DataFrame]]:
    """Yield the place, the ratings and the rejected rows of each group of files."""
    rules, source = count.rules.ingest, count.source
    checked = rename_raters(bucket.checked, rules.aliases, source.options, count.forgotten)
    start = 0
    for place, group in enumerate(count.groups):
        end = start + int(group.files["n_rows"].sum())
        is_own = pl.col("row_number").is_between(start + 1, end)
        start = end
        ratings = number_repeats(checked.ratings.filter(is_own), rules.duplicates)
        yield place, ratings, checked.rejects.filter(is_own)


def _store_bucket(
    count: _Count, counting: CountingWarehouse, bucket: int, parts: Sequence[tuple[int, pl.DataFrame, pl.DataFrame]]
) -> list[pl.DataFrame]:
    rules = rules_of_warehouse(count.rules.ingest.duplicates)
    rejects = []
    for place, ratings, rejected in parts:
        _refuse_foreign(count, ratings)
        if ratings.height:
            counting.store(place, bucket, ratings, now=count.groups[place].arrived, rules=rules)
        if rejected.height:
            rejects.append(rejected.with_columns(place=pl.lit(place, pl.Int32)))
    refused = counting.next_bucket()
    return [_first(count, frame) for frame in (*rejects, refused) if frame.height]


def _refuse_foreign(count: _Count, ratings: pl.DataFrame) -> None:
    questions = ratings["question"].unique().cast(pl.String).to_list()
    with connect(count.db, read_only=True) as con:
        found = foreign_question(con, count.source.name, questions)
    if found:
        question, where = found
        raise ReadError(
            f"The question {listed([question])} of {count.source.path} has ratings from {where}.",
            "A question has its ratings in one dataset, or in the warehouse: set prefix in this [[source]].",
        )


def _first(count: _Count, rejects: pl.DataFrame) -> pl.DataFrame:
    """Keep the first rejected rows of each file and reason, and count the others."""
    starts = count.files.select(
        "file_name", start=(pl.col("n_rows").cum_sum() - pl.col("n_rows")).cast(pl.Int64)
    ).with_columns(row_number=pl.col("start") + 1)
    placed = rejects.with_columns(pl.col("row_number").cast(pl.Int64)).sort("row_number")
    placed = placed.join_asof(starts.filter(count.files["n_rows"] > 0), on="row_number").with_columns(
        row_number=pl.col("row_number") - pl.col("start"), n_rows=pl.lit(1, pl.Int64)
    )
    return _summed([placed.select(list(REJECTS))])


def _summed(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Join lists of rejected rows. Those beyond the first of each file and reason become one row."""
    keys, schema = ["place", "file_name", "reason"], pl.Schema(REJECTS)
    rows = pl.concat([pl.DataFrame(schema=schema), *(part.cast(schema) for part in parts)])
    rows = rows.sort(*keys, "row_number", nulls_last=True)
    named = rows.filter(pl.col("row_number").is_not_null())
    number = pl.int_range(pl.len()).over(keys)
    first = named.filter(number < EXAMPLES)
    rest = pl.concat([named.filter(number >= EXAMPLES), rows.filter(pl.col("row_number").is_null())])
    more = rest.group_by(keys, maintain_order=True).agg(pl.col("n_rows").sum())
    text = pl.format("{} more rows of this file have this reason; the first ones are listed.", "n_rows")
    others = [name for name in REJECTS if name not in (*keys, "n_rows", "detail")]
    more = more.with_columns(text.alias("detail"), *(pl.lit(None, REJECTS[name]).alias(name) for name in others))
    return pl.concat([first, more.select(list(REJECTS))]).sort(*keys, "row_number", nulls_last=True)
