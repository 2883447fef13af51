"""Order the full exports of a source by the times at which they were written."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import duckdb
import polars as pl

from tasks.sources.folder import ExportFile
from warehouse.questions import full_exports


def in_order(files: Sequence[ExportFile]) -> list[ExportFile]:
    """Return the files in their order, with the full exports last and the oldest of them first.

    Each full export shows what changed since the one before, so the order matters.
    """
    return sorted(files, key=lambda file: (file.full_export, file.modified_at if file.full_export else datetime.min))


def counts_again(con: duckdb.DuckDBPyConnection, file: ExportFile, batch_ids: Collection[str]) -> bool:
    """Check whether a file whose bytes are already stored is a new state of its questions.

    That is so if other exports were stored in between and this file was written after them. `batch_ids` are the batches
    with the bytes of the file.
    """
    exports = full_exports(con, file.source)
    questions = exports.filter(pl.col("batch_id").is_in(batch_ids))["question"].unique().to_list()
    latest = [_latest(exports, question) for question in questions]
    others = [export for export in latest if export is not None and export["sha256"] != file.sha256]
    return bool(others) and all(export["modified_at"] < file.modified_at for export in latest if export is not None)


def newer(con: duckdb.DuckDBPyConnection, file: ExportFile, questions: Sequence[str]) -> str | None:
    """Return the name of a stored full export of one of these questions that is newer than the file, or None."""
    exports = full_exports(con, file.source)
    latest = (_latest(exports, question) for question in questions)
    return next((export["file_name"] for export in latest if export and export["modified_at"] > file.modified_at), None)


def _latest(exports: pl.DataFrame, question: str) -> dict[str, Any] | None:
    of_question = exports.filter(pl.col("question") == question, pl.col("modified_at").is_not_null())
    return of_question.sort("modified_at", maintain_order=True).row(-1, named=True) if of_question.height else None
