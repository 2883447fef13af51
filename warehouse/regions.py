"""Read the spans and boxes that raters marked."""

from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


def region_work_of(con: duckdb.DuckDBPyConnection, question: str, moment: datetime | None = None) -> pl.DataFrame:
    """Read the work that counts in one question, now or at a moment: item, rater, rater_kind (as the export had it),
    regions (JSON), text_length, batch_id, worked_at (else when it arrived). Empty if nobody marked anything."""
    with duckdb_errors(f"read the spans and boxes of {question}"):
        return sql.frame(con, "regions/work", question=question, moment=moment)
