"""What was refused: rejected rows, and how many of them for which reason."""

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
    """One row per rejected row, in the order of files and rows: file_name, row_number, column_name, value, reason,
    detail, question, item, rater, attempt, rejected_at, batch_id.

    Of the latest attempt at each file, or of all. `file` is a name as in `batches`, or its last part. A row that does
    not tell its question stands under each question of its file.
    """
    attempts = "all" if all_attempts else "latest"
    with duckdb_errors("list the rejected rows"):
        return sql.frame(con, "rejects", file=file, question=question, reason=reason, attempts=attempts)
