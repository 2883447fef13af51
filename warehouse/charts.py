"""Read what the charts of a question are computed from, and store the charts.

The counts by day are kept by `store_batch`. Reading those of a few days costs what these days hold, however many
ratings there are.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors
from warehouse.questions import StoredQuestion

SUMS: Mapping[str, pl.DataType] = {
    "section": pl.String(),
    "chart": pl.String(),
    "subject": pl.String(),
    "label": pl.String(),
    "day": pl.Date(),
    "n_items": pl.Int64(),
    "score_sum": pl.Int64(),
}
VERSION_SUMS: Mapping[str, pl.DataType] = {
    "section": pl.String(),
    "system": pl.String(),
    "version": pl.String(),
    "day": pl.Date(),
    "n_items": pl.Int64(),
    "score_sum": pl.Int64(),
    "centred_sum": pl.Float64(),
    "centred_squares": pl.Float64(),
}
POINTS: Mapping[str, pl.DataType] = {
    "chart": pl.String(),
    "subject": pl.String(),
    "label": pl.String(),
    "day": pl.Date(),
    "n_items": pl.Int64(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "statistic": pl.Float64(),
    "threshold": pl.Float64(),
    "is_reference": pl.Boolean(),
}
MISSING: Mapping[str, pl.DataType] = {
    "chart": pl.String(),
    "subject": pl.String(),
    "reason": pl.String(),
    "detail": pl.String(),
}
VERSIONS: Mapping[str, pl.DataType] = {
    "system": pl.String(),
    "old_version": pl.String(),
    "version": pl.String(),
    "first_day": pl.Date(),
    "decided_on": pl.Date(),
    "n_before": pl.Int64(),
    "n_after": pl.Int64(),
    "verdict": pl.String(),
    "before": pl.Float64(),
    "after": pl.Float64(),
    "difference": pl.Float64(),
    "se": pl.Float64(),
    "e": pl.Float64(),
    "reason": pl.String(),
    "detail": pl.String(),
}


@dataclass(frozen=True)
class ChartState:
    """What the stored charts of a question were computed with.

    - revision: the question's revision whose counts they show. charted_until: the last day that was closed.
    - settings: a text that changes with the settings. sections: what each reference fixed, as JSON, by name.
    - detector: for each section the charts with what the detector knew of them, as JSON.
    """

    revision: int
    charted_until: date
    settings: str
    sections: Mapping[str, Any]
    detector: Mapping[str, Any]


@dataclass(frozen=True)
class StoredCharts:
    """The charts of a question as they are to be stored.

    - state: what they were computed with.
    - sums (SUMS), version_sums (VERSION_SUMS): the sums of the days that were computed, and of no others.
    - days (section, day): these days. kept_sections: sections whose stored sums of other days stay.
    - points (POINTS): all points from the day `points_from` on. Stored points before it stay.
    - missing (MISSING), versions (VERSIONS): all of them.
    """

    state: ChartState
    sums: pl.DataFrame
    version_sums: pl.DataFrame
    days: pl.DataFrame
    kept_sections: tuple[str, ...]
    points: pl.DataFrame
    points_from: date
    missing: pl.DataFrame
    versions: pl.DataFrame


@dataclass(frozen=True)
class DayTables:
    """Counts of some days of a question: see `stats.monitoring.DailyCounts`. `ratings` also has rater_kind."""

    items: pl.DataFrame
    ratings: pl.DataFrame
    durations: pl.DataFrame
    versions: pl.DataFrame


def due_questions(con: duckdb.DuckDBPyConnection, settings: Mapping[str, str], until: date) -> list[StoredQuestion]:
    """List the questions whose charts are not up to date, by name. settings: question -> text as in ChartState.

    `until` is the last closed day.
    """
    rows = pl.DataFrame(list(settings.items()), schema={"question": pl.String, "settings": pl.String}, orient="row")
    with duckdb_errors("find the charts that are due"), sql.registered(con, incoming_settings=rows):
        return [StoredQuestion(**row) for row in sql.frame(con, "charts/due", until=until).to_dicts()]


def day_items(con: duckdb.DuckDBPyConnection, question: str, until: date) -> pl.DataFrame:
    """Read day and n_items (items with a human rating) of each day up to `until`."""
    return _read(con, "day_items", question, until=until)


def rater_days(con: duckdb.DuckDBPyConnection, question: str, until: date) -> pl.DataFrame:
    """Read day, rater, rater_kind and n_ratings (of items with a human rating) up to `until`."""
    return _read(con, "rater_days", question, until=until)


def batch_days(con: duckdb.DuckDBPyConnection, question: str, file_names: Sequence[str]) -> tuple[date, date] | None:
    """Return the first and last day of the items that these files rated, None if they rated none."""
    first, last, _ = _read(con, "batch_days", question, names=list(file_names)).row(0)
    return None if first is None else (first, last)


def day_tables(con: duckdb.DuckDBPyConnection, question: str, days: Sequence[date]) -> DayTables:
    """Read the counts of these days."""
    names = ("items", "ratings", "durations", "versions")
    return DayTables(*(_read(con, name, question, days=list(days)) for name in names))


def labels_in_use(con: duckdb.DuckDBPyConnection, question: str) -> pl.Series:
    """Read the labels of all current ratings of the question."""
    return _read(con, "labels", question)["label"]


def changed_days(con: duckdb.DuckDBPyConnection, question: str, revision: int) -> list[date]:
    """List the days whose counts changed after this revision of the question."""
    return _read(con, "changed_days", question, revision=revision)["day"].to_list()


def chart_state(con: duckdb.DuckDBPyConnection, question: str) -> ChartState | None:
    """Read what the stored charts were computed with; None if there are none."""
    rows = _read(con, "state", question).to_dicts()
    if not rows:
        return None
    return ChartState(**{**rows[0], **{name: json.loads(rows[0][name] or "{}") for name in ("sections", "detector")}})


def stored_sums(con: duckdb.DuckDBPyConnection, question: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read the stored sums (SUMS) and sums by version (VERSION_SUMS)."""
    return _read(con, "sums", question), _read(con, "version_sums", question)


def stored_points(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the stored points (POINTS), in no particular order."""
    return _read(con, "points", question)


def forget_charts(con: duckdb.DuckDBPyConnection, question: str) -> None:
    """Let the next run compute the charts of a question from all its days."""
    with duckdb_errors(f"forget the charts of {question}"):
        sql.run(con, "charts/forget", question=question)


def accepted_changes(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read kind, subject and changed_on of the changes that were accepted as the new normal, of each the latest."""
    return _read(con, "accepted", question)


def write_charts(con: duckdb.DuckDBPyConnection, question: str, charts: StoredCharts) -> None:
    """Store the charts of a question, within the current transaction."""
    frames = {
        "incoming_sums": sql.conform(charts.sums, SUMS, "Chart sums"),
        "incoming_version_sums": sql.conform(charts.version_sums, VERSION_SUMS, "Sums by version"),
        "incoming_days": charts.days.select(pl.col("section").cast(pl.String), pl.col("day").cast(pl.Date)),
        "incoming_points": sql.conform(charts.points, POINTS, "Chart points"),
        "incoming_missing": sql.conform(charts.missing, MISSING, "Missing charts"),
        "incoming_versions": sql.conform(charts.versions, VERSIONS, "Comparisons of versions"),
    }
    state = charts.state
    with duckdb_errors(f"store the charts of {question}"), sql.registered(con, **frames):
        sql.run(
            con,
            "charts/replace",
            question=question,
            kept_sections=list(charts.kept_sections),
            points_from=charts.points_from,
            revision=state.revision,
            charted_until=state.charted_until,
            settings=state.settings,
            sections=json.dumps(state.sections),
            detector=json.dumps(state.detector),
        )


def _read(con: duckdb.DuckDBPyConnection, name: str, question: str, **values: object) -> pl.DataFrame:
    with duckdb_errors(f"read the charts of {question}"):
        return sql.frame(con, f"charts/{name}", question=question, **values)
