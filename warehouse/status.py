"""Summarise the warehouse: what came in, each question, the last runs, the open alerts."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


@dataclass(frozen=True)
class Status:
    """The state of the warehouse.

    n_files: files that came in, of which n_files_rejected could not be read and n_files_withdrawn no longer count, as
    somebody withdrew them. n_ratings: ratings in force. n_rejected: rejected rows. questions: question, n_ratings,
    n_items, n_raters (people and systems, not gold), n_annotators (the people), n_systems, krippendorff_alpha of the
    people with its weights, low and high (null before the first evaluation). regions: question, n_regions, n_items,
    n_raters, coefficient (f1_exact of spans, f1_iou50 of boxes), estimate, low, high. n_votes: votes on pairs of models
    in force. models: question, rank, model, strength, low, high, rank_low, rank_high, n_votes, votes_of, reason.
    last_runs: the last five runs. open_alerts: critical before warnings, the latest first, with their state (open,
    acknowledged, muted). newest_ratings_at: when the newest ratings came in; null without any. newest_day: the latest
    day with a human rating, in the project's time zone. evaluated_at: when the last evaluation ended. evaluation_lag_s:
    seconds from the arrival of the newest ratings to the end of the first evaluation after it; null before that.
    """

    n_files: int
    n_files_rejected: int
    n_files_withdrawn: int
    n_ratings: int
    n_rejected: int
    questions: pl.DataFrame
    regions: pl.DataFrame
    n_votes: int
    models: pl.DataFrame
    last_runs: pl.DataFrame
    open_alerts: pl.DataFrame
    newest_ratings_at: datetime | None
    newest_day: date | None
    evaluated_at: datetime | None
    evaluation_lag_s: float | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values and lists of rows."""
        names = ("questions", "regions", "models", "last_runs", "open_alerts")
        tables = {name: getattr(self, name).to_dicts() for name in names}
        return {name: tables.get(name, getattr(self, name)) for name in self.__dataclass_fields__}


def read_status(con: duckdb.DuckDBPyConnection) -> Status:
    """Read the state from the counts of patterns, so that the time does not grow with the ratings."""
    with duckdb_errors("read its status"):
        questions = sql.frame(con, "status/questions")
        return Status(
            **sql.frame(con, "status/files").to_dicts()[0],
            n_ratings=int(questions["n_ratings"].sum()),
            questions=questions,
            regions=sql.frame(con, "status/regions"),
            **sql.frame(con, "status/votes").to_dicts()[0],
            models=sql.frame(con, "status/models"),
            last_runs=sql.frame(con, "status/last_runs"),
            open_alerts=sql.frame(con, "status/open_alerts"),
            **sql.frame(con, "status/freshness").to_dicts()[0],
        )
