"""The rows that were refused, for the command that lists them."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.errors import InputError
from tasks.formats.reasons import REASONS
from warehouse.connect import connect
from warehouse.reads import table
from warehouse.rejects import rejected_rows


@dataclass(frozen=True)
class Rejected:
    """`summary`: one row per file and reason, refused files first (file_name, reason, n_rejected or null for a whole
    file, first_row, last_row, detail, attempt). `rows`: one per rejected row."""

    summary: pl.DataFrame
    rows: pl.DataFrame


def read_rejects(
    db: Path,
    *,
    file: str | None = None,
    question: str | None = None,
    reason: str | None = None,
    all_attempts: bool = False,
) -> Rejected:
    """What was refused, of the latest attempt at each file or of all.

    Raises InputError for a file or a question that the warehouse does not know, and for a reason that does not exist.
    """
    if reason is not None and reason not in REASONS:
        raise InputError(f"There is no reason {reason!r}.", f"The reasons are {', '.join(REASONS)}.")
    with connect(db, read_only=True) as con:
        batches, asked = table(con, "batches"), table(con, "batch_questions")
        rows = rejected_rows(con, file=file, question=question, reason=reason, all_attempts=all_attempts)
    if file is not None and batches.filter(_is_named(file)).is_empty():
        raise InputError(f"No file {file!r} was taken in.", 'Files: kappaflow sql "select file_name from batches".')
    known = {*asked["question"], *rows["question"].drop_nulls()}
    if question is not None and question not in known:
        raise InputError(f"There is no question {question!r}.", "Questions: kappaflow status.")
    return Rejected(pl.concat([_refused(batches, file, question, reason), _counted(rows)]), rows)


def _is_named(file: str) -> pl.Expr:
    return (pl.col("file_name") == file) | (pl.col("file_name").str.split("/").list.last() == file)


def _counted(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per file, attempt and reason."""
    return (
        rows.group_by("file_name", "batch_id", "attempt", "reason", maintain_order=True)
        .agg(
            n_rejected=pl.len().cast(pl.Int64),
            first_row=pl.col("row_number").min(),
            last_row=pl.col("row_number").max(),
            detail=pl.col("detail").first(),
        )
        .select(*_SUMMARY)
        .sort("file_name", "attempt", "n_rejected", "reason", descending=[False, False, True, False])
    )


def _refused(batches: pl.DataFrame, file: str | None, question: str | None, reason: str | None) -> pl.DataFrame:
    """One row per file that could not be read at all; no question is known of such a file."""
    refused = batches.filter(
        pl.col("status") == "rejected",
        pl.lit(True) if file is None else _is_named(file),
        pl.lit(True) if reason is None else pl.col("reason") == reason,
        pl.lit(question is None),
    )
    unknown = [pl.lit(None, pl.Int64).alias(name) for name in ("n_rejected", "first_row", "last_row")]
    return (
        refused.with_columns(unknown)
        .select(pl.col(name).cast(kind) for name, kind in _SUMMARY.items())
        .sort("file_name")
    )


_SUMMARY = {
    "file_name": pl.String,
    "reason": pl.String,
    "n_rejected": pl.Int64,
    "first_row": pl.Int64,
    "last_row": pl.Int64,
    "detail": pl.String,
    "attempt": pl.Int32,
    "batch_id": pl.String,
}
