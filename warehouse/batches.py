"""Storing a batch: ratings, rejects, metadata and the batch's own row in one transaction, or nothing of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import cast

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors

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
METADATA: Mapping[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "key": pl.String(),
    "value": pl.String(),
}
RATER_KINDS = ("human", "system", "gold")
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


@dataclass(frozen=True, kw_only=True)
class BatchCounts:
    """What became of the annotations of a batch, and the questions whose ratings changed by this call."""

    n_ratings: int
    n_unchanged: int
    n_skipped: int
    n_rejected: int
    questions: tuple[str, ...]
    repeated: bool


def store_batch(
    con: duckdb.DuckDBPyConnection,
    batch: Batch,
    ratings: pl.DataFrame,
    rejects: pl.DataFrame,
    metadata: pl.DataFrame,
    *,
    now: datetime,
) -> BatchCounts:
    """Store a batch in one transaction, all of it or nothing. Frames: see RATINGS, REJECTS, METADATA.

    One question, item and rater have one current rating: of several versions the one given last (rated_at; where it
    is null, or after the arrival, the arrival), of those the one that arrived last. The others stay in history. A row
    that repeats a known version is counted as unchanged: with a time, any version of the same label, time and
    system_version; without, only the version before it.

    A batch that is stored already changes nothing and returns its counts (`repeated`). A rejected batch is read
    again where it now can be read, or where the settings differ: a further attempt under the same batch_id.

    Raises WarehouseError, and stores nothing, where the counts do not add up to n_rows or a frame is not as said.
    """
    frames = _frames(batch, ratings, rejects, metadata)
    with duckdb_errors(f"store batch {batch.batch_id}"), sql.registered(con, **frames), sql.transaction(con):
        known = _known(con, batch)
        if known is not None and _is_repeat(batch, known):
            return BatchCounts(**known.counts, questions=(), repeated=True)
        arrived = cast(datetime, sql.value(con, "batch_clock", now=now))
        attempt = known.attempt + 1 if known else 1
        return _store(con, batch, frames, arrived, attempt)


@dataclass(frozen=True)
class _Known:
    status: str
    settings_hash: str | None
    attempt: int
    counts: dict[str, int]


def _frames(
    batch: Batch, ratings: pl.DataFrame, rejects: pl.DataFrame, metadata: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """The frames as the SQL reads them; `arrival` numbers ratings in the order of the file."""
    ratings = sql.conform(ratings, RATINGS, "The ratings of a batch")
    if batch.status == "rejected" and not ratings.is_empty():
        raise WarehouseError(f"A rejected batch has no ratings, but {ratings.height} came with {batch.batch_id}.")
    for name in _NEVER_NULL:
        if nulls := ratings[name].null_count():
            raise WarehouseError(f"A rating must have a {name}, but {nulls} of batch {batch.batch_id} have none.")
    if not (kinds := ratings["rater_kind"].is_in(RATER_KINDS)).all():
        found = ratings["rater_kind"].filter(~kinds)[0]
        raise WarehouseError(f"A rater is one of {', '.join(RATER_KINDS)}, but batch {batch.batch_id} has {found!r}.")
    ratings = ratings.sort("row_number", nulls_last=True, maintain_order=True)
    return {
        "incoming_ratings": ratings.with_row_index("arrival"),
        "incoming_rejects": sql.conform(rejects, REJECTS, "The rejects of a batch"),
        "incoming_metadata": sql.conform(metadata, METADATA, "The metadata of a batch").with_row_index(
            "arrival", offset=ratings.height
        ),
    }


def _known(con: duckdb.DuckDBPyConnection, batch: Batch) -> _Known | None:
    found = sql.frame(con, "batch_known", batch_id=batch.batch_id).to_dicts()
    if not found:
        return None
    counts = {name: found[0][name] for name in ("n_ratings", "n_unchanged", "n_skipped", "n_rejected")}
    return _Known(found[0]["status"], found[0]["settings_hash"], found[0]["attempt"], counts)


def _is_repeat(batch: Batch, known: _Known) -> bool:
    if known.status == "stored":
        return True
    return batch.status == "rejected" and batch.settings_hash == known.settings_hash


def _store(
    con: duckdb.DuckDBPyConnection, batch: Batch, frames: Mapping[str, pl.DataFrame], arrived: datetime, attempt: int
) -> BatchCounts:
    batch_no = sql.value(con, "batch_number", batch_id=batch.batch_id)
    for step in ("store_stage", "store_settle", "store_decide", "store_apply", "store_rest"):
        sql.run(
            con,
            step,
            batch_no=batch_no,
            batch_id=batch.batch_id,
            file_name=batch.file_name,
            attempt=attempt,
            now=arrived,
        )
    by_question = sql.frame(con, "batch_counts", batch_no=batch_no)
    counts = {
        "n_ratings": int(by_question["n_ratings"].sum()),
        "n_unchanged": int(by_question["n_unchanged"].sum()),
        "n_skipped": batch.n_skipped,
        "n_rejected": frames["incoming_rejects"].height,
    }
    _must_add_up(batch, counts)
    sql.run(con, "batch_write", **asdict(batch) | counts, attempt=attempt, now=arrived)
    changed = by_question.filter(pl.col("n_ratings") > 0)["question"].to_list()
    return BatchCounts(**counts, questions=tuple(changed), repeated=False)


def _must_add_up(batch: Batch, counts: Mapping[str, int]) -> None:
    if sum(counts.values()) == batch.n_rows:
        return
    found = ", ".join(f"{name} {count}" for name, count in counts.items())
    raise WarehouseError(
        f"Each row of a batch ends as exactly one of rating, unchanged, skipped or rejected: batch {batch.batch_id} "
        f"has {batch.n_rows} rows, but {found}.",
        "This is an error of the reader, not of the data. Nothing was stored; please report it with the file's format.",
    )
