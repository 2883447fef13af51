"""Read votes on pairs of models."""

from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


def votes_of(con: duckdb.DuckDBPyConnection, question: str, moment: datetime | None = None) -> pl.DataFrame:
    """Read the votes that count in one question, now or at a moment: item, cluster, rater, rater_kind (as the export
    had it), first, second (the models in the order in which they were shown), outcome (first, second, tie). Empty if
    there are none."""
    with duckdb_errors(f"read the votes of {question}"):
        return sql.frame(con, "preferences/votes", question=question, moment=moment)
