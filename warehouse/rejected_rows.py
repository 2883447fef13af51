"""Read the rejected rows."""

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


def rejected_rows(
    con: duckdb.DuckDBPyConnection,
    *,
    file: str | None = None,
    question: str | None = None,
    reason: str | None = None,
    all_attempts: bool = False,
) -> pl.DataFrame:
    """Read the rejected rows, sorted by file and row: file_name, row_number, column_name, value, reason, detail,
    question, item, rater, attempt, rejected_at, batch_id.

    Reads the latest attempt at each file, or all attempts. `file` is a name as in `batches`, or its last part. A row
    without a question is listed under each question of its file.
    """
    attempts = "all" if all_attempts else "latest"
    with duckdb_errors("list the rejected rows"):
        return sql.frame(con, "rejects/rejected_rows", file=file, question=question, reason=reason, attempts=attempts)
