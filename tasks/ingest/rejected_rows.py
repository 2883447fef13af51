"""List the rejected rows and files, for the command `rejects`."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.errors import InputError
from tasks.formats.parsing.reject_rows import REASONS
from warehouse.connect import connect
from warehouse.questions import read_table
from warehouse.rejected_rows import rejected_rows


@dataclass(frozen=True)
class RejectSummary:
    """Rejected files and rows.

    `summary` has one row per file, attempt and reason: file_name, reason, n_rejected, first_row, last_row, detail,
    attempt, batch_id. Files that were rejected as a whole come first; their n_rejected is null. `rows` has one row per
    rejected row.
    """

    summary: pl.DataFrame
    rows: pl.DataFrame


def read_rejects(
    db: Path,
    *,
    file: str | None = None,
    question: str | None = None,
    reason: str | None = None,
    all_attempts: bool = False,
) -> RejectSummary:
    """Read the rejected rows and files of the latest attempt at each file, or of all attempts.

    Raises InputError if the file or the question is not in the warehouse, or if the reason does not exist.
    """
    if reason is not None and reason not in REASONS:
        raise InputError(f"There is no reason {reason!r}.", f"The reasons are {', '.join(REASONS)}.")
    with connect(db, read_only=True) as con:
        batches, batch_questions = read_table(con, "batches"), read_table(con, "batch_questions")
        rows = rejected_rows(con, file=file, question=question, reason=reason, all_attempts=all_attempts)
    if file is not None and rows.is_empty() and batches.filter(_is_named(file)).is_empty():
        raise InputError(f"No file {file!r} was read.", 'Files: kappaflow sql "select file_name from batches".')
    questions = {*batch_questions["question"], *rows["question"].drop_nulls()}
    if question is not None and question not in questions:
        raise InputError(f"There is no question {question!r}.", "Questions: kappaflow status.")
    return RejectSummary(pl.concat([_refused(batches, file, question, reason), _counted(rows)]), rows)


def _is_named(file: str) -> pl.Expr:
    return (pl.col("file_name") == file) | (pl.col("file_name").str.split("/").list.last() == file)


def _counted(rows: pl.DataFrame) -> pl.DataFrame:
    """Count the rejected rows by file, attempt and reason.

    Of a dataset the first rows are listed. A row without a number counts the others, so the last one is not known.
    """
    return (
        rows.group_by("file_name", "batch_id", "attempt", "reason", maintain_order=True)
        .agg(
            n_rejected=pl.col("n_rows").sum().cast(pl.Int64),
            first_row=pl.col("row_number").min(),
            last_row=pl.when(pl.col("row_number").is_not_null().all()).then(pl.col("row_number").max()),
            detail=pl.col("detail").sort_by("row_number", nulls_last=True, maintain_order=True).first(),
        )
        .select(*_SUMMARY)
        .sort("file_name", "attempt", "n_rejected", "reason", descending=[False, False, True, False])
    )


def _refused(batches: pl.DataFrame, file: str | None, question: str | None, reason: str | None) -> pl.DataFrame:
    """Return one row per file that could not be read at all. The question of such a file is unknown."""
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
