"""Files of a source that sends full exports: their order is that of the times at which they were written."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import duckdb
import polars as pl

from tasks.sweep import Found
from warehouse.reads import full_exports


def in_order(found: Sequence[Found]) -> list[Found]:
    """As they were found, with the full exports after the others, the oldest first: each shows what became of it."""
    return sorted(found, key=lambda file: (file.full_export, file.modified_at if file.full_export else datetime.min))


def counts_again(con: duckdb.DuckDBPyConnection, file: Found, batch_ids: Collection[str]) -> bool:
    """Whether a file with known bytes is a new state of its questions: others came in between, and it was written after
    them. `batch_ids` are the batches that these bytes may be."""
    known = full_exports(con, file.source)
    questions = known.filter(pl.col("batch_id").is_in(batch_ids))["question"].unique().to_list()
    latest = [_latest(known, question) for question in questions]
    others = [one for one in latest if one is not None and one["sha256"] != file.sha256]
    return bool(others) and all(one["modified_at"] < file.modified_at for one in latest if one is not None)


def newer(con: duckdb.DuckDBPyConnection, file: Found, questions: Sequence[str]) -> str | None:
    """The name of a full export of one of these questions that is newer than the file, or None."""
    known = full_exports(con, file.source)
    latest = (_latest(known, question) for question in questions)
    return next((one["file_name"] for one in latest if one and one["modified_at"] > file.modified_at), None)


def _latest(known: pl.DataFrame, question: str) -> dict[str, Any] | None:
    mine = known.filter(pl.col("question") == question, pl.col("modified_at").is_not_null())
    return mine.sort("modified_at", maintain_order=True).row(-1, named=True) if mine.height else None
