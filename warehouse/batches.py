"""Store a batch in one transaction: its ratings, rejected rows, metadata and its own row.

The steps are the numbered files of queries/storing/. `_steps` says which of them a batch needs.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any, cast

import duckdb
import polars as pl

from schemas.rating_columns import (
    DUPLICATE_RULES,
    METADATA,
    RATER_KINDS,
    RATINGS,
    REGION_WORK,
    REJECT_KEYS,
    REJECTS,
    REQUIRED,
    VOTES,
)
from warehouse import live_cursor, sql
from warehouse.connect import bounded_memory
from warehouse.errors import WarehouseError, duckdb_errors
from warehouse.keys import keyed_rows
from warehouse.row_parts import RowParts
from warehouse.staging import StagedRows, staged_frames, staged_parts

RESTORE = "storing/09_restore_older_ratings"
_ADD_UP = ("n_ratings", "n_unchanged", "n_skipped", "n_rejected")
MAX_MEMORY_OF_PARTS = 512_000_000  # what DuckDB holds while it stores a file whose rows are on disk


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Describe a batch before it is stored. status: 'stored', or 'rejected' if nothing in the file could be read."""

    batch_id: str
    source: str | None
    file_name: str | None
    sha256: str | None
    reader: str | None
    status: str
    n_rows: int
    n_skipped: int
    started_at: datetime
    settings_hash: str | None = None
    reason: str | None = None
    detail: str | None = None
    full_export: bool = False
    file_modified_at: datetime | None = None
    reading: str | None = None  # what the settings said of what is taken from the file
    formerly: str | None = None  # the batch_id of its refusal, where that was another


@dataclass(frozen=True, kw_only=True)
class BatchCounts:
    """Count what became of the rows of a batch. `questions`: those whose ratings this call changed. `repeated`: the
    batch was stored before, and nothing changed. `n_new`: ratings that a further attempt added, None in a first one.
    `n_future`: ratings dated after they arrived, the latest at `last_future`. `n_not_in_force`: new ratings that do not
    count, because another version of the same rater and item does."""

    n_ratings: int
    n_unchanged: int
    n_skipped: int
    n_rejected: int
    questions: tuple[str, ...]
    repeated: bool
    n_deleted: int = 0
    n_new: int | None = None
    n_future: int = 0
    last_future: datetime | None = None
    n_not_in_force: int = 0


def store_batch(
    con: duckdb.DuckDBPyConnection,
    batch: Batch,
    ratings: pl.DataFrame | RowParts,
    rejects: pl.DataFrame,
    metadata: pl.DataFrame | RowParts,
    *,
    now: datetime,
    rules: Mapping[str, str] | None = None,
    retry: bool = False,
    shown: live_cursor.LiveBatch | None = None,
    votes: pl.DataFrame | None = None,
    region_work: pl.DataFrame | None = None,
) -> BatchCounts:
    """Store a batch in one transaction: all of it or nothing.

    The frames have the columns of schemas.rating_columns: RATINGS, REJECTS (with REJECT_KEYS or without), METADATA.
    `ratings` may have `name_in_file` too: the name that the file gave, where it is another name of the rater.
    Ratings and metadata of a large file are both in parts, the ratings in the order of their rows.

    An item and rater have one current rating per question: of several versions the latest by `rated_at`. Where that is
    null, or later than the arrival, the arrival counts. But if the latest of the others says the same as a version
    dated more than a day later than its arrival, that date was wrong, and the other one is current. Of equal times the
    last to arrive is current. The other versions stay in history.

    `rules` sets another rule for a question. `first` keeps the first version. `error` keeps the stored version and
    rejects every other one (reason `duplicate_rating`, counted in n_rejected). A row that repeats a version is counted
    as unchanged. With a time, that is any version with the same label, time and system_version; without a time, only
    the version before it.

    A batch that is stored already changes nothing: its counts are returned, with `repeated`. A rejected batch is stored
    if it can be read now, or if its settings changed, as a further attempt under the same batch_id. With `retry`, so is
    a stored batch whose settings changed: rows with the same content keep their ratings, rows that can be read now
    become ratings, and ratings that the file no longer has, or has otherwise, are withdrawn.

    A `full_export` deletes the ratings and work that earlier batches of its source brought to its questions and that it
    lacks.
    With `shown`, a batch of a live source does so within the tasks that it shows, and stores its cursor.

    `votes` (columns: VOTES) are votes on pairs of models, which are counted as ratings of the batch. Of several votes
    of a rater on an item, a pair and an order of the pair the last is current, whatever the rule. `region_work`
    (columns: REGION_WORK) is what raters marked in items, counted in the same way; the last work of a rater on an item
    is current.

    Raises WarehouseError, and stores nothing, if the counts do not add up to n_rows, or if a frame lacks a column or
    has a value that is not allowed.
    """
    incoming = _Incoming(
        batch=batch,
        ratings=ratings if isinstance(ratings, RowParts) else _ratings(batch, ratings),
        metadata=metadata,
        votes=_arrived(votes, VOTES, "The votes"),
        region_work=_arrived(region_work, REGION_WORK, "The marked items"),
        rejects=_rejects(rejects),
        rules=_rules(rules or {}),
        shown=shown,
    )
    if not isinstance(ratings, RowParts):
        return _store(con, incoming, now=now, retry=retry)
    try:
        with bounded_memory(con, MAX_MEMORY_OF_PARTS):
            return _store(con, incoming, now=now, retry=retry)
    except WarehouseError as error:
        if not isinstance(error.__cause__, duckdb.OutOfMemoryException):
            raise
    # What a history of that size needs: nothing of the first attempt is stored.
    return _store(con, incoming, now=now, retry=retry)


@dataclass(frozen=True, kw_only=True)
class _Incoming:
    """A batch and its rows, which were checked; votes and work are numbered."""

    batch: Batch
    ratings: pl.DataFrame | RowParts
    metadata: pl.DataFrame | RowParts
    votes: pl.DataFrame
    region_work: pl.DataFrame
    rejects: pl.DataFrame
    rules: pl.DataFrame
    shown: live_cursor.LiveBatch | None


def _store(con: duckdb.DuckDBPyConnection, incoming: _Incoming, *, now: datetime, retry: bool) -> BatchCounts:
    batch, shown = incoming.batch, incoming.shown
    frames = {"incoming_rejects": incoming.rejects, "incoming_rules": incoming.rules, **live_cursor.frames(shown)}
    with duckdb_errors(f"store batch {batch.batch_id}"), sql.registered(con, **frames), sql.transaction(con):
        if batch.formerly is not None:
            sql.run(con, "batches/rename", batch_id=batch.batch_id, formerly=batch.formerly)
        earlier = _earlier_attempt(con, batch)
        if earlier is not None and _is_repeat(batch, earlier, retry):
            return BatchCounts(**earlier.counts, questions=(), repeated=True)
        arrived = cast(datetime, sql.value(con, "batches/arrival_time", now=now))
        attempt = earlier.attempt + 1 if earlier else 1
        values = _values(con, batch, arrived, attempt, shown)
        staged = _staged(con, incoming)
        others = {
            "incoming_votes": keyed_rows(con, incoming.votes), "incoming_work": keyed_rows(con, incoming.region_work),
        }  # fmt: skip
        with sql.registered(con, **staged.tables, **others):
            for step in _steps(con, incoming, staged, earlier):
                sql.run(con, step, **values)
            return _finish(con, incoming, values, earlier)


@dataclass(frozen=True)
class _EarlierBatch:
    """The latest attempt at a batch that the warehouse has a row of."""

    status: str
    source: str | None
    full_export: bool
    reading: str | None
    settings_hash: str | None
    attempt: int
    counts: dict[str, Any]


def _ratings(batch: Batch, ratings: pl.DataFrame) -> pl.DataFrame:
    """Check the ratings, and sort them by their row in the file."""
    name_in_file = pl.col("name_in_file") if "name_in_file" in ratings.columns else pl.lit(None, pl.String)
    file_names = ratings.select(name_in_file.alias("name_in_file"))
    ratings = sql.conform(ratings, RATINGS, "The ratings of a batch", numbered=True).with_columns(
        pl.lit(None, pl.String).alias("name_in_file")
        if file_names["name_in_file"].null_count() == file_names.height
        else file_names
    )
    if batch.status == "rejected" and not ratings.is_empty():
        raise WarehouseError(f"A rejected batch has no ratings, but {ratings.height} came with {batch.batch_id}.")
    # Expressions instead of columns: a column of one repeated value then takes no memory.
    for name, nulls in ratings.select(pl.col(REQUIRED).null_count()).row(0, named=True).items():
        if nulls:
            raise WarehouseError(f"A rating must have a {name}, but {nulls} of batch {batch.batch_id} have none.")
    for kind in sorted(set(ratings.select(pl.col("rater_kind").unique()).to_series()) - set(RATER_KINDS)):
        raise WarehouseError(f"A rater is one of {', '.join(RATER_KINDS)}, but batch {batch.batch_id} has {kind!r}.")
    ratings = ratings.with_columns(pl.col("rater_kind").cast(pl.Enum(RATER_KINDS)))
    if ratings["row_number"].is_sorted(nulls_last=True):
        return ratings
    return ratings.sort("row_number", nulls_last=True, maintain_order=True)


def _metadata(metadata: pl.DataFrame) -> pl.DataFrame:
    rows = sql.conform(metadata, METADATA, "The metadata of a batch", numbered=True)
    return rows.drop_nulls(["question", "item"])


def _staged(con: duckdb.DuckDBPyConnection, incoming: _Incoming) -> StagedRows:
    ratings, metadata = incoming.ratings, incoming.metadata
    if isinstance(ratings, pl.DataFrame) and isinstance(metadata, pl.DataFrame):
        return staged_frames(con, ratings, _metadata(metadata))
    if isinstance(ratings, RowParts) and isinstance(metadata, RowParts):
        return staged_parts(con, ratings.changed(partial(_ratings, incoming.batch)), metadata.changed(_metadata))
    raise WarehouseError("Ratings and metadata of a batch are both in parts, or neither.")


def _arrived(rows: pl.DataFrame | None, columns: Mapping[str, pl.DataType], name: str) -> pl.DataFrame:
    """Number the votes or the marked items in the order of the file."""
    if rows is None:
        rows = pl.DataFrame(schema=dict(columns))
    return sql.conform(rows, columns, f"{name} of a batch").with_columns(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("arrival")
    )


def _rejects(rejects: pl.DataFrame) -> pl.DataFrame:
    rejects = rejects.with_columns(pl.lit(None, pl.String).alias(n) for n in REJECT_KEYS if n not in rejects.columns)
    return sql.conform(rejects, {**REJECTS, **REJECT_KEYS}, "The rejects of a batch")


def _earlier_attempt(con: duckdb.DuckDBPyConnection, batch: Batch) -> _EarlierBatch | None:
    rows = sql.frame(con, "batches/known", batch_id=batch.batch_id).to_dicts()
    if not rows:
        return None
    row = rows[0]
    counts = {name: row.pop(name) for name in (*_ADD_UP, "n_deleted")}
    return _EarlierBatch(**row, counts=counts)


def _rules(rules: Mapping[str, str]) -> pl.DataFrame:
    if unknown := sorted(set(rules.values()) - set(DUPLICATE_RULES)):
        raise WarehouseError(f"A rule for duplicates is one of {', '.join(DUPLICATE_RULES)}, not {unknown[0]!r}.")
    return pl.DataFrame(list(rules.items()), schema={"question": pl.String, "rule": pl.String}, orient="row")


def _is_repeat(batch: Batch, earlier: _EarlierBatch, retry: bool) -> bool:
    if earlier.status == "stored" and (batch.status == "rejected" or not retry):
        return True
    return earlier.status == batch.status and batch.settings_hash == earlier.settings_hash


def _values(
    con: duckdb.DuckDBPyConnection, batch: Batch, now: datetime, attempt: int, shown: live_cursor.LiveBatch | None
) -> dict[str, object]:
    """Collect the parameters of the steps. `now` is this attempt's time, `arrived` that of the first attempt."""
    ((batch_no, arrived),) = sql.rows(con, "batches/number", batch_id=batch.batch_id, now=now)
    values = asdict(batch) | {"batch_no": batch_no, "arrived": arrived, "attempt": attempt, "now": now}
    return values | {"stream": shown.stream if shown else None, "cursor_at": shown.cursor if shown else None}


def _steps(
    con: duckdb.DuckDBPyConnection, incoming: _Incoming, staged: StagedRows, earlier: _EarlierBatch | None
) -> list[str]:
    """List the steps that this batch needs, in order. Versions are compared only if there are stored ones, or rows that
    share an item and rater. RESTORE follows each of the two steps that remove ratings."""
    compare = staged.has_repeated or sql.value(con, "batches/meets_ratings", question_ids=staged.question_ids)
    live, with_work = incoming.shown is not None, not incoming.region_work.is_empty()
    steps = [
        ("storing/01_withdraw_changed", earlier is not None),
        (RESTORE, earlier is not None),
        ("storing/02_first_attempt", earlier is None),
        ("storing/03_delete_missing_answers", live),
        ("storing/04_first_ratings", not compare),
        ("storing/05_match_stored_versions", compare),
        ("storing/06_choose_current", compare),
        ("storing/07_write_ratings", True),
        ("storing/08_delete_missing_ratings", incoming.batch.full_export),
        (RESTORE, live),
        ("storing/10_touched_items", True),
        ("storing/11_item_patterns", True),
        ("storing/12_pattern_counts", True),
        ("storing/13_daily_counts", True),
        ("storing/14_rating_counts_and_unused_patterns", True),
        ("storing/15_batch_windows", True),
        ("storing/16_preferences", not incoming.votes.is_empty() or earlier is not None),
        ("storing/17_delete_missing_work", live or (incoming.batch.full_export and with_work)),
        ("storing/18_region_work", with_work or earlier is not None),
        ("storing/19_question_revisions", True),
        ("storing/20_metadata_and_rejects", True),
        ("storing/21_refused_duplicates", compare),
        ("storing/22_live_state", live),
    ]
    return [step for step, is_needed in steps if is_needed]


def _finish(
    con: duckdb.DuckDBPyConnection, incoming: _Incoming, values: Mapping[str, object], earlier: _EarlierBatch | None
) -> BatchCounts:
    """Count what became of the rows, check that they add up, and write the batch's row (steps 23 to 25)."""
    batch, batch_no, now = incoming.batch, values["batch_no"], values["now"]
    by_question = sql.frame(con, "storing/23_count_by_question", batch_no=batch_no)
    arrived = values["arrived"]
    totals = sql.frame(con, "storing/24_count_batch", batch_no=batch_no, now=now, arrived=arrived).row(0, named=True)
    counts = {
        "n_ratings": int(by_question["n_ratings"].sum()),
        "n_unchanged": int(by_question["n_unchanged"].sum()),
        "n_skipped": batch.n_skipped,
        "n_rejected": incoming.rejects.height + totals["n_refused"],
        "n_deleted": totals["n_deleted"],
    }
    must_add_up(batch, counts)
    future = {name: totals[name] for name in ("n_future", "last_future")}
    further = earlier if earlier is not None and earlier.status == "stored" else None
    # However the file was found and read this time, its identity is that of the first time.
    origin: dict[str, object] = {"source": further.source, "reading": further.reading} if further else {}
    full_export = batch.full_export or (further is not None and further.full_export)
    sql.run(con, "storing/25_batch_row", **{**values, **counts, **future, **origin, "full_export": full_export})
    changed = by_question.filter("is_changed")["question"].to_list()
    new = {"n_new": totals["n_new"] if further else None, "n_not_in_force": totals["n_not_in_force"]}
    return BatchCounts(**counts, **future, **new, questions=tuple(changed), repeated=False)


def must_add_up(batch: Batch, counts: Mapping[str, int]) -> None:
    """Raise WarehouseError if the rows of a batch do not add up."""
    if sum(counts[name] for name in _ADD_UP) == batch.n_rows:
        return
    listed = ", ".join(f"{name} {counts[name]}" for name in _ADD_UP)
    raise WarehouseError(
        f"Each row of a batch ends as exactly one of rating, unchanged, skipped or rejected: batch {batch.batch_id} "
        f"has {batch.n_rows} rows, but {listed}.",
        "This is an error of the reader, not of the data. Nothing was stored; please report it with the file's format.",
    )
