"""Read and write what the warehouse keeps of a dataset: its files, its batches and its counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

import duckdb
import polars as pl

from schemas.rating_columns import REJECT_KEYS, REJECTS
from warehouse import keys, sql
from warehouse.batches import Batch, must_add_up
from warehouse.datasets.counting import DatasetCounts
from warehouse.errors import WarehouseError, duckdb_errors

KEYS = {"questions": "question_id", "raters": "rater_id", "labels": "label_id"}
FILES: Mapping[str, pl.DataType] = {
    "file_name": pl.String(),
    "size": pl.Int64(),
    "modified_ns": pl.Int64(),
    "footer": pl.String(),
    "n_rows": pl.Int64(),
    "first_item": pl.String(),
    "last_item": pl.String(),
    "batch_no": pl.Int32(),
}
RANGES: Mapping[str, pl.DataType] = {name: pl.String() for name in ("file_name", "first_item", "last_item")}
UNREADABLE: Mapping[str, pl.DataType] = {
    "file_name": pl.String(),
    "size": pl.Int64(),
    "modified_ns": pl.Int64(),
    "detail": pl.String(),
}
FILE_REJECTS: Mapping[str, pl.DataType] = {
    "place": pl.Int32(),
    "file_name": pl.String(),
    **REJECTS,
    **REJECT_KEYS,
    "n_rows": pl.Int64(),
}


class ChangedMeanwhileError(WarehouseError):
    """Another run counted the dataset while this one did."""


class NotAdditiveError(WarehouseError):
    """The difference between two counts does not fit what is stored: the whole dataset has to be counted."""


@dataclass(frozen=True)
class StoredDataset:
    """What is stored of a dataset: the settings it was counted with (None: never), its files and its batches.

    `unreadable` are the files that could not be read (columns: UNREADABLE).
    """

    settings_hash: str | None
    files: pl.DataFrame
    batches: pl.DataFrame
    unreadable: pl.DataFrame


@dataclass(frozen=True)
class CountedGroup:
    """Files that were counted as one batch. `n_rows` and `n_skipped` are their rows, `batch_no` is None at first."""

    batch: Batch
    arrived: datetime
    files: pl.DataFrame
    batch_no: int | None
    attempt: int


@dataclass(frozen=True)
class DatasetChange:
    """What a count of a dataset changes.

    `after` are its counts, of the touched items or of all. `before` are those of the touched items as they were stored;
    None if the whole dataset was counted. `groups` are the batches by their place, `rejects` their rejected rows
    (columns: FILE_REJECTS), `seen` what was stored when the count began. `ranges` has the lowest and the highest item
    of files (file_name, first_item, last_item), `version` is that of the Delta table.
    """

    source: str
    settings_hash: str
    groups: Sequence[CountedGroup]
    after: DatasetCounts
    before: DatasetCounts | None
    rejects: pl.DataFrame
    seen: StoredDataset
    n_last: int
    written: frozenset[int] = field(default_factory=frozenset)  # the places whose batches are written
    ranges: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=RANGES))
    version: int | None = None


def stored_dataset(con: duckdb.DuckDBPyConnection, source: str) -> StoredDataset:
    """Read what is stored of a dataset."""
    with duckdb_errors(f"read what is counted of {source}"):
        rows = sql.rows(con, "datasets/known", source=source)
        frames = [sql.frame(con, f"datasets/{name}", source=source) for name in ("files", "batches", "unreadable")]
    return StoredDataset(str(rows[0][0]) if rows else None, *frames)


def store_unreadable(con: duckdb.DuckDBPyConnection, source: str, files: pl.DataFrame) -> None:
    """Store which files of a dataset cannot be read (columns: UNREADABLE), in place of those stored before."""
    frame = sql.conform(files, UNREADABLE, "The unreadable files of a dataset")
    with (
        duckdb_errors(f"store the unreadable files of {source}"),
        sql.registered(con, incoming_unreadable=frame),
        sql.transaction(con),
    ):
        sql.run(con, "datasets/store_unreadable", source=source)


def counted_versions(con: duckdb.DuckDBPyConnection, source: str) -> list[tuple[int, datetime]]:
    """Return the versions of a Delta table that were counted, and when, in the order of the counts."""
    with duckdb_errors(f"list the counted versions of {source}"):
        rows = sql.rows(con, "datasets/versions", source=source)
    return [(int(str(version)), cast(datetime, at)) for version, at in rows]


def dataset_questions(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the questions whose ratings are in a dataset, each with its source."""
    with duckdb_errors("list the questions of datasets"):
        return {str(question): str(source) for question, source in sql.rows(con, "datasets/questions")}


def foreign_question(con: duckdb.DuckDBPyConnection, source: str, questions: Sequence[str]) -> tuple[str, str] | None:
    """Return the first of these questions that has ratings from elsewhere, and from where."""
    rows = sql.rows(con, "datasets/other_ratings", source=source, questions=list(questions))
    return (str(rows[0][0]), "another dataset" if rows[0][1] else "other sources") if rows else None


def arrival(con: duckdb.DuckDBPyConnection, now: datetime) -> datetime:
    """Return the time at which new files of a dataset arrive: later than every batch."""
    return cast(datetime, sql.value(con, "batches/arrival_time", now=now))


def store_counts(con: duckdb.DuckDBPyConnection, change: DatasetChange, now: datetime) -> dict[int, tuple[int, int]]:
    """Store the counts of a dataset, its batches and its rejected rows in one transaction.

    Returns the new and unchanged ratings of each written place. Raises NotAdditiveError, and stores nothing, if
    only the whole dataset can be counted.
    """
    source = change.source
    with duckdb_errors(f"store the counts of {source}"), sql.transaction(con):
        stored = stored_dataset(con, source)
        if stored.settings_hash != change.seen.settings_hash or not stored.files.equals(change.seen.files):
            raise ChangedMeanwhileError(f"Another run has counted {source}.", "This one has nothing to add.")
        sql.run(con, "datasets/no_recount" if change.before is not None else "datasets/forget", source=source)
        numbers = {place: _number(con, group) for place, group in enumerate(change.groups)}
        places = pl.DataFrame(list(numbers.items()), schema={"place": pl.Int32, "batch_no": pl.Int32}, orient="row")
        after = _with_keys(con, change.after, places)
        before = _with_keys(con, change.before, places) if change.before is not None else None
        _merge(con, change, after, before)
        _finish(con, change, after, numbers, now)
        return _write_batches(con, change, after, numbers, now)


def _number(con: duckdb.DuckDBPyConnection, group: CountedGroup) -> int:
    if group.batch_no is not None:
        return group.batch_no
    ((number, _),) = sql.rows(con, "batches/number", batch_id=group.batch.batch_id, now=group.arrived)
    return int(str(number))


def _with_keys(con: duckdb.DuckDBPyConnection, counts: DatasetCounts, places: pl.DataFrame) -> DatasetCounts:
    """Replace the keys of the counting warehouse by those of this one, and places by batches."""
    names = ("contents", "counts", "windows", "groups", "last", "items", "future")
    frames = {name: getattr(counts, name) for name in names}
    for dictionary, key in KEYS.items():
        texts = counts.texts.filter(pl.col("dictionary") == dictionary).sort("key")
        own = keys.text_keys(con, f"keys/{dictionary}", texts["text"])
        key_pairs = pl.DataFrame({key: texts["key"].cast(pl.Int32), "own": own.cast(pl.Int32)})
        for name, frame in frames.items():
            if key in frame.columns:
                frames[name] = (
                    frame.with_columns(pl.col(key).cast(pl.Int32))
                    .join(key_pairs, on=key, how="left")
                    .with_columns(pl.col("own").alias(key))
                    .drop("own")
                )
    for name, frame in frames.items():
        if "place" in frame.columns:
            frames[name] = frame.with_columns(pl.col("place").cast(pl.Int32)).join(places, on="place", how="left")
    return DatasetCounts(counts.texts, **frames)


def _merge(
    con: duckdb.DuckDBPyConnection, change: DatasetChange, after: DatasetCounts, before: DatasetCounts | None
) -> None:
    signed = [(1, after), *([(-1, before)] if before is not None else [])]
    contents = pl.concat([part.contents.with_columns(sign=pl.lit(sign, pl.Int32)) for sign, part in signed])
    counts = pl.concat([part.counts.with_columns(sign=pl.lit(sign, pl.Int32)) for sign, part in signed])
    touched = before.items if before is not None else after.items.clear()
    frames = {
        "incoming_contents": contents,
        "incoming_counts": counts,
        "incoming_last": after.last,
        "incoming_touched": touched,
    }
    with sql.registered(con, **frames):
        sql.run(con, "datasets/patterns")
        sql.run(con, "datasets/merge")
        lost = sql.value(con, "datasets/last_items", source=change.source, n=change.n_last)
        if before is not None and (lost or sql.value(con, "datasets/negative")):
            raise NotAdditiveError("The counts of the dataset do not add up.", "Count all of it.")


def _finish(
    con: duckdb.DuckDBPyConnection,
    change: DatasetChange,
    after: DatasetCounts,
    numbers: Mapping[int, int],
    now: datetime,
) -> None:
    written = pl.Series(sorted(change.written), dtype=pl.Int32)
    files = [
        group.files.drop("first_item", "last_item", strict=False).with_columns(
            batch_no=pl.lit(numbers[place], pl.Int32)
        )
        for place, group in enumerate(change.groups)
        if place in change.written
    ]
    frames = {
        "incoming_windows": after.windows.filter(pl.col("place").is_in(written.implode())),
        "incoming_groups": after.groups.filter(pl.col("place").is_in(written.implode())),
        "incoming_files": sql.conform(
            pl.concat(files).join(change.ranges, on="file_name", how="left"), FILES, "The files of a dataset"
        ),
    }
    values = {"source": change.source, "settings_hash": change.settings_hash, "version": change.version, "now": now}
    with sql.registered(con, **frames):
        sql.run(con, "datasets/finish", **values)


def _write_batches(
    con: duckdb.DuckDBPyConnection,
    change: DatasetChange,
    after: DatasetCounts,
    numbers: Mapping[int, int],
    now: datetime,
) -> dict[int, tuple[int, int]]:
    """Write the row of each batch, and its rejected rows."""
    totals = after.groups.group_by("place").agg(pl.col("n_ratings", "n_unchanged").sum())
    by_place = {place: (int(new), int(same)) for place, new, same in totals.rows()}
    future = {row["place"]: row for row in after.future.to_dicts()}
    rejected = dict(change.rejects.group_by("place").agg(pl.col("n_rows").sum()).rows())
    with sql.registered(con, incoming_rejects=sql.conform(change.rejects, FILE_REJECTS, "Rejected rows")):
        for place in sorted(change.written):
            group = change.groups[place]
            n_ratings, n_unchanged = by_place.setdefault(place, (0, 0))
            batch = group.batch
            counts = {
                "n_ratings": n_ratings,
                "n_unchanged": n_unchanged,
                "n_skipped": batch.n_skipped,
                "n_rejected": int(rejected.get(place, 0)),
                "n_deleted": 0,
            }
            must_add_up(batch, counts)
            values = {"place": place, "attempt": group.attempt, "now": group.arrived, "batch_id": batch.batch_id}
            sql.run(con, "datasets/rejects", **values)
            row = {name: getattr(batch, name) for name in BATCH_ROW}
            late = future.get(place, {"n_future": 0, "last_future_at": None})
            values |= {"n_future": late["n_future"], "last_future": late["last_future_at"]}
            sql.run(con, "storing/25_batch_row", **row, **counts, **values)
    return {place: by_place[place] for place in change.written}


BATCH_ROW = (
    "source", "file_name", "sha256", "reader", "status", "reason", "detail", "settings_hash", "n_rows", "full_export",
    "file_modified_at", "reading", "started_at",
)  # fmt: skip
