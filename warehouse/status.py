"""Summarise the warehouse: what came in, each question, the last runs, the open alerts."""

from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


@dataclass(frozen=True)
class Status:
    """The state of the warehouse.

    n_files: files that came in, of which n_files_rejected could not be read. n_ratings: ratings in force.
    n_rejected: rejected rows. questions: question, n_ratings, n_items, n_raters (systems too), krippendorff_alpha
    of the people with low and high (null before the first evaluation). last_runs: the last five runs. open_alerts:
    the latest first, with their state (open, acknowledged, muted).
    """

    n_files: int
    n_files_rejected: int
    n_ratings: int
    n_rejected: int
    questions: pl.DataFrame
    last_runs: pl.DataFrame
    open_alerts: pl.DataFrame

    def to_json(self) -> dict[str, Any]:
        """Return plain values and lists of rows."""
        tables = {name: getattr(self, name).to_dicts() for name in ("questions", "last_runs", "open_alerts")}
        counts = {name: getattr(self, name) for name in ("n_files", "n_files_rejected", "n_ratings", "n_rejected")}
        return counts | tables


def read_status(con: duckdb.DuckDBPyConnection) -> Status:
    """Read the state from the counts of patterns, so that the time does not grow with the ratings."""
    with duckdb_errors("read its status"):
        questions = sql.frame(con, "status/questions")
        return Status(
            **sql.frame(con, "status/files").to_dicts()[0],
            n_ratings=int(questions["n_ratings"].sum()),
            questions=questions,
            last_runs=sql.frame(con, "status/last_runs"),
            open_alerts=sql.frame(con, "status/open_alerts"),
        )
