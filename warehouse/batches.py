"""Storing a batch: ratings, rejects, metadata and the batch's own row in one transaction, or nothing of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import cast

import duckdb
import polars as pl

from warehouse import live, patterns, sql
from warehouse.errors import WarehouseError, duckdb_errors
from warehouse.keys import keyed

RATINGS: Mapping[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "rater": pl.String(),
    "rater_kind": pl.String(),
    "system_version": pl.String(),
    "label": pl.String(),
    "rated_at": pl.Datetime("us", "UTC"),
    "score": pl.Float64(),
    "duration_s": pl.Float64(),
    "row_number": pl.Int64(),
    "source_ref": pl.String(),
}
REJECTS: Mapping[str, pl.DataType] = {
    "row_number": pl.Int64(),
    "column_name": pl.String(),
    "value": pl.String(),
    "reason": pl.String(),
    "detail": pl.String(),
}
OF_REJECTS: Mapping[str, pl.DataType] = dict.fromkeys(("question", "item", "rater"), pl.String())
"""What may be known of a rejected row besides; a frame without these columns knows nothing."""
METADATA: Mapping[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "key": pl.String(),
    "value": pl.String(),
}
RATER_KINDS = ("human", "system", "gold")
RULES = ("latest", "first", "error")
_ADD_UP = ("n_ratings", "n_unchanged", "n_skipped", "n_rejected")
_STEPS = (
    "store_withdraw",
    "store_once",
    "store_gone",
    "store_first",
    "store_settle",
    "store_decide",
    "store_apply",
    "store_delete",
    "store_restore",
    *patterns.UPKEEP,
    "store_count",
    "store_rest",
    "store_refused",
    "live_write",
)
_OF_FIRST = frozenset({"store_first"})
_OF_FURTHER = frozenset({"store_settle", "store_decide", "store_refused"})
_OF_LIVE = frozenset({"store_gone", "store_restore", "live_write"})
_NEVER_NULL = ("question", "item", "rater", "rater_kind", "label")


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What is known of a batch before it is stored. status: 'stored', or 'rejected' when nothing could be read."""

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


@dataclass(frozen=True, kw_only=True)
class BatchCounts:
    """What became of the annotations of a batch, and the questions whose ratings changed by this call. n_new: of the
    ratings of a further attempt at a stored batch, those that it brought; None otherwise."""

    n_ratings: int
    n_unchanged: int
    n_skipped: int
    n_rejected: int
    questions: tuple[str, ...]
    repeated: bool
    n_deleted: int = 0
    n_new: int | None = None


def store_batch(
    con: duckdb.DuckDBPyConnection,
    batch: Batch,
    ratings: pl.DataFrame,
    rejects: pl.DataFrame,
    metadata: pl.DataFrame,
    *,
    now: datetime,
    rules: Mapping[str, str] | None = None,
    retry: bool = False,
    shown: live.Shown | None = None,
) -> BatchCounts:
    """Store a batch in one transaction, all of it or nothing. Frames: see RATINGS, REJECTS, METADATA.

    One question, item and rater have one current rating: of several versions the one given last (rated_at; where it
    is null, or after the arrival, the arrival), of those the one that arrived last. The others stay in history.
    `rules` names questions with another rule: `first` keeps the first one in force; `error` the one that is there, and
    refuses every other one (reason `duplicate_rating`, counted in n_rejected). A row
    that repeats a known version is counted as unchanged: with a time, any version of the same label, time and
    system_version; without, only the version before it.

    A batch that is stored already changes nothing and returns its counts (`repeated`). A rejected batch is read
    again where it now can be read, or where the settings differ: a further attempt under the same batch_id. With
    `retry` so is a stored one, where the settings differ: rows that say what they said keep their ratings, those that
    now can be read become ratings, and ratings that the file now tells otherwise are withdrawn.

    A `full_export` marks as deleted what earlier batches of its source brought to its questions and it does not have.
    With `shown` so does a batch of a live source, within the tasks that it shows; its cursor is stored with it.

    Raises WarehouseError, and stores nothing, where the counts do not add up to n_rows or a frame is not as said.
    """
    ratings = _ratings(batch, ratings)
    metadata = sql.conform(metadata, METADATA, "The metadata of a batch", numbered=True).drop_nulls(
        ["question", "item"]
    )
    frames = {"incoming_rejects": _rejects(rejects), "incoming_rules": _rules(rules or {})} | live.frames(shown)
    with duckdb_errors(f"store batch {batch.batch_id}"), sql.registered(con, **frames), sql.transaction(con):
        known = _known(con, batch)
        if known is not None and _is_repeat(batch, known, retry):
            return BatchCounts(**known.counts, questions=(), repeated=True)
        arrived = cast(datetime, sql.value(con, "batch_clock", now=now))
        attempt = known.attempt + 1 if known else 1
        values = _values(con, batch, arrived, attempt, shown)
        staged = keyed(con, ratings, metadata)
        with sql.registered(con, **staged):
            for step in _steps(con, batch, staged, known, shown):
                sql.run(con, step, **values)
            return _finish(con, batch, values, frames["incoming_rejects"].height, known)


@dataclass(frozen=True)
class _Known:
    status: str
    source: str | None
    full_export: bool
    settings_hash: str | None
    attempt: int
    counts: dict[str, int]


def _ratings(batch: Batch, ratings: pl.DataFrame) -> pl.DataFrame:
    """The ratings in the order of the file."""
    ratings = sql.conform(ratings, RATINGS, "The ratings of a batch", numbered=True)
    if batch.status == "rejected" and not ratings.is_empty():
        raise WarehouseError(f"A rejected batch has no ratings, but {ratings.height} came with {batch.batch_id}.")
    # asked as expressions: a column of one value is then not written out
    for name, nulls in ratings.select(pl.col(_NEVER_NULL).null_count()).row(0, named=True).items():
        if nulls:
            raise WarehouseError(f"A rating must have a {name}, but {nulls} of batch {batch.batch_id} have none.")
    for found in sorted(set(ratings.select(pl.col("rater_kind").unique()).to_series()) - set(RATER_KINDS)):
        raise WarehouseError(f"A rater is one of {', '.join(RATER_KINDS)}, but batch {batch.batch_id} has {found!r}.")
    ratings = ratings.with_columns(pl.col("rater_kind").cast(pl.Enum(RATER_KINDS)))
    if ratings["row_number"].is_sorted(nulls_last=True):
        return ratings
    return ratings.sort("row_number", nulls_last=True, maintain_order=True)


def _rejects(rejects: pl.DataFrame) -> pl.DataFrame:
    unknown = [name for name in OF_REJECTS if name not in rejects.columns]
    rejects = rejects.with_columns(pl.lit(None, pl.String).alias(name) for name in unknown)
    return sql.conform(rejects, {**REJECTS, **OF_REJECTS}, "The rejects of a batch")


def _known(con: duckdb.DuckDBPyConnection, batch: Batch) -> _Known | None:
    found = sql.frame(con, "batch_known", batch_id=batch.batch_id).to_dicts()
    if not found:
        return None
    row = found[0]
    counts = {name: row.pop(name) for name in (*_ADD_UP, "n_deleted")}
    return _Known(**row, counts=counts)


def _rules(rules: Mapping[str, str]) -> pl.DataFrame:
    if unknown := sorted(set(rules.values()) - set(RULES)):
        raise WarehouseError(f"A rule for duplicates is one of {', '.join(RULES)}, not {unknown[0]!r}.")
    return pl.DataFrame(list(rules.items()), schema={"question": pl.String, "rule": pl.String}, orient="row")


def _is_repeat(batch: Batch, known: _Known, retry: bool) -> bool:
    if known.status == "stored" and (batch.status == "rejected" or not retry):
        return True
    return known.status == batch.status and batch.settings_hash == known.settings_hash


def _values(
    con: duckdb.DuckDBPyConnection, batch: Batch, now: datetime, attempt: int, shown: live.Shown | None
) -> dict[str, object]:
    """What the steps may name: the batch, its number, when it arrived first, and what it shows of a live source."""
    ((batch_no, arrived),) = sql.rows(con, "batch_number", batch_id=batch.batch_id, now=now)
    values = asdict(batch) | {"batch_no": batch_no, "arrived": arrived, "attempt": attempt, "now": now}
    return values | {"stream": shown.stream if shown else None, "cursor_at": shown.cursor if shown else None}


def _steps(
    con: duckdb.DuckDBPyConnection,
    batch: Batch,
    staged: Mapping[str, pl.DataFrame],
    known: _Known | None,
    shown: live.Shown | None,
) -> list[str]:
    """The steps that the batch needs. What it says is compared only where there is something to compare it with."""
    asked = staged["staged"]["question_id"].unique().to_list()
    is_first = staged["repeated"].is_empty() and not sql.value(con, "batch_meets", question_ids=asked)
    left_out = (_OF_FURTHER if is_first else _OF_FIRST) | (frozenset() if shown else _OF_LIVE)
    left_out |= frozenset() if batch.full_export else {"store_delete"}
    left_out |= {"store_withdraw"} if known is None else {"store_once"}
    return [step for step in _STEPS if step not in left_out]


def _finish(
    con: duckdb.DuckDBPyConnection, batch: Batch, values: Mapping[str, object], n_rejected: int, known: _Known | None
) -> BatchCounts:
    """Count what became of the batch, and write its row."""
    batch_no, now = values["batch_no"], values["now"]
    by_question = sql.frame(con, "batch_counts", batch_no=batch_no)
    rest = sql.frame(con, "batch_rest", batch_no=batch_no, now=now).row(0, named=True)
    counts = {
        "n_ratings": int(by_question["n_ratings"].sum()),
        "n_unchanged": int(by_question["n_unchanged"].sum()),
        "n_skipped": batch.n_skipped,
        "n_rejected": n_rejected + rest["n_refused"],
        "n_deleted": rest["n_deleted"],
    }
    _must_add_up(batch, counts)
    further = known if known is not None and known.status == "stored" else None
    # However the file was found this time, it came from where it came from.
    origin = {"source": further.source, "full_export": further.full_export or batch.full_export} if further else {}
    sql.run(con, "batch_write", **{**values, **counts, **origin})
    changed = by_question.filter("is_changed")["question"].to_list()
    return BatchCounts(**counts, questions=tuple(changed), repeated=False, n_new=rest["n_new"] if further else None)


def _must_add_up(batch: Batch, counts: Mapping[str, int]) -> None:
    if sum(counts[name] for name in _ADD_UP) == batch.n_rows:
        return
    found = ", ".join(f"{name} {counts[name]}" for name in _ADD_UP)
    raise WarehouseError(
        f"Each row of a batch ends as exactly one of rating, unchanged, skipped or rejected: batch {batch.batch_id} "
        f"has {batch.n_rows} rows, but {found}.",
        "This is an error of the reader, not of the data. Nothing was stored; please report it with the file's format.",
    )
