"""Read what the charts of questions are computed from, and store the charts.

The counts by day are kept by `store_batch`. Reading those of a few days costs what these days hold, however many
ratings there are.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

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


STATES: Mapping[str, pl.DataType] = {
    "question": pl.String(),
    "revision": pl.Int64(),
    "charted_until": pl.Date(),
    "settings": pl.String(),
    "sections": pl.String(),
    "detector": pl.String(),
    "points_from": pl.Date(),
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
class ChartProgress:
    """Where the charts of a question stand.

    - labels: of all ratings in force. days: day, n_items (items with a human rating) of each day. rater_days: day,
      rater, rater_kind, n_ratings (of items with a human rating).
    - accepted: kind, subject, changed_on of the changes that were accepted as the new normal, of each the latest.
    - state: what the stored charts were computed with; None before the first charts.
    - changed_days: days whose counts changed since.
    - sums (SUMS), version_sums (VERSION_SUMS): what is stored of them.
    - first_answers: system, version, first_at, of systems with several versions whose first answers all have a time.
    """

    labels: pl.Series
    days: pl.DataFrame
    rater_days: pl.DataFrame
    accepted: pl.DataFrame
    state: ChartState | None
    changed_days: frozenset[date]
    sums: pl.DataFrame
    version_sums: pl.DataFrame
    first_answers: pl.DataFrame


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


def questions_with_pending_charts(
    con: duckdb.DuckDBPyConnection, settings: Mapping[str, str], until: date
) -> list[StoredQuestion]:
    """List the questions whose charts are not up to date, by name. settings: question -> text as in ChartState.

    `until` is the last closed day.
    """
    lists = {"questions": list(settings), "settings": list(settings.values())}
    with duckdb_errors("find the charts that are due"):
        rows = cast(list[tuple[str, int]], sql.rows(con, "charts/pending", until=until, **lists))
    return [StoredQuestion(question, revision) for question, revision in rows]


def read_progress(con: duckdb.DuckDBPyConnection, questions: Sequence[str]) -> dict[str, ChartProgress]:
    """Read where the charts of questions stand. Several questions take hardly longer than one."""
    names = ("labels", "day_items", "rater_days", "accepted", "state", "changed_days", "sums", "version_sums")
    labels, days, rater_days, accepted, states, changed, sums, version_sums, first_answers = (
        _read(con, name, questions) for name in (*names, "first_answers")
    )
    return {
        question: ChartProgress(
            labels=labels[question]["label"],
            days=days[question],
            rater_days=rater_days[question],
            accepted=accepted[question],
            state=_state(states[question]),
            changed_days=frozenset(changed[question]["day"]),
            sums=sums[question],
            version_sums=version_sums[question],
            first_answers=first_answers[question],
        )
        for question in questions
    }


def day_items(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read day and n_items (items with a human rating) of each day."""
    return _read(con, "day_items", [question])[question]


def rater_days(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read day, rater, rater_kind and n_ratings (of items with a human rating) of each day and rater."""
    return _read(con, "rater_days", [question])[question]


def first_ratings(con: duckdb.DuckDBPyConnection, question: str, raters: Sequence[str]) -> dict[str, date]:
    """Return the day of the first rating of each rater. Those without ratings, as in datasets, are left out."""
    with duckdb_errors(f"read the ratings of {question}"):
        return dict(sql.frame(con, "charts/first_ratings", question=question, raters=list(raters)).rows())


def batch_days(con: duckdb.DuckDBPyConnection, question: str, file_names: Sequence[str]) -> tuple[date, date] | None:
    """Return the first and last day of the items that these files rated, None if they rated none."""
    with duckdb_errors(f"read the charts of {question}"):
        first, last, _ = sql.frame(con, "charts/batch_days", question=question, names=list(file_names)).row(0)
    return None if first is None else (first, last)


def rater_labels(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Return how many items each rater gave each label: rater, rater_kind, label, n_items."""
    return sql.read(con, "charts/rater_labels", f"read the charts of {question}", question=question)


def day_tables(con: duckdb.DuckDBPyConnection, days: Mapping[str, Sequence[date]]) -> dict[str, DayTables]:
    """Read the counts of some days of questions. days: question -> its days."""
    names = ("items", "ratings", "durations", "versions")
    rows = [(question, day) for question, of_question in days.items() for day in of_question]
    wanted = pl.DataFrame(rows, schema={"question": pl.String, "day": pl.Date}, orient="row")
    with sql.registered(con, incoming_days=wanted):
        tables = [_split(_frame(con, name), list(days)) for name in names]
    return {question: DayTables(*(table[question] for table in tables)) for question in days}


@dataclass(frozen=True)
class OtherAnswers:
    """A question without labels. has_items: its answers are spans, boxes, rankings or texts, and not votes on models.
    evaluated_by: the run on whose figures its chart rests; None before the first."""

    has_items: bool
    evaluated_by: str | None


def questions_without_labels(con: duckdb.DuckDBPyConnection, questions: Sequence[str]) -> dict[str, OtherAnswers]:
    """Return those of the questions that have no labels."""
    with duckdb_errors("read the charts"):
        rows = sql.rows(con, "charts/without_labels", questions=list(questions))
    return {str(name): OtherAnswers(bool(has_items), cast(str | None, run)) for name, has_items, run in rows}


def item_agreement(
    con: duckdb.DuckDBPyConnection, question: str, coefficients: Sequence[str], until: date
) -> pl.DataFrame:
    """Read how far raters agree on each item up to a day: coefficient, day, item, value, weight.

    The agreement on an item is value / weight, that on several items sum(value) / sum(weight).
    """
    with duckdb_errors(f"read the charts of {question}"):
        values = {"question": question, "coefficients": list(coefficients), "until": until}
        return sql.frame(con, "charts/item_agreement", **values)


def stored_points(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the stored points (POINTS), in no particular order."""
    return _read(con, "points", [question])[question]


def forget_charts(con: duckdb.DuckDBPyConnection, question: str) -> None:
    """Let the next run compute the charts of a question from all its days."""
    with duckdb_errors(f"forget the charts of {question}"):
        sql.run(con, "charts/forget", question=question)


def write_charts(con: duckdb.DuckDBPyConnection, charts: Mapping[str, StoredCharts]) -> None:
    """Store the charts of questions, within the current transaction. charts: question -> its charts."""
    if not charts:
        return
    frames = {
        "incoming_sums": _joined(charts, "sums", SUMS, "Chart sums"),
        "incoming_version_sums": _joined(charts, "version_sums", VERSION_SUMS, "Sums by version"),
        "incoming_days": _joined(charts, "days", {name: SUMS[name] for name in ("section", "day")}, "Days"),
        "incoming_points": _joined(charts, "points", POINTS, "Chart points"),
        "incoming_missing": _joined(charts, "missing", MISSING, "Missing charts"),
        "incoming_versions": _joined(charts, "versions", VERSIONS, "Comparisons of versions"),
        "incoming_states": pl.DataFrame([_state_row(name, stored) for name, stored in charts.items()], schema=STATES),
        "incoming_kept": pl.DataFrame(
            [(name, section) for name, stored in charts.items() for section in stored.kept_sections],
            schema={"question": pl.String, "section": pl.String},
            orient="row",
        ),
    }
    with duckdb_errors("store the charts"), sql.registered(con, **frames):
        sql.run(con, "charts/replace")


def _read(con: duckdb.DuckDBPyConnection, name: str, questions: Sequence[str]) -> dict[str, pl.DataFrame]:
    return _split(_frame(con, name, questions=list(questions)), questions)


def _frame(con: duckdb.DuckDBPyConnection, name: str, **values: object) -> pl.DataFrame:
    return sql.read(con, f"charts/{name}", "read the charts", **values)


def _split(table: pl.DataFrame, questions: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Divide the rows by the column question. A question without rows has an empty table."""
    tables = table.partition_by("question", as_dict=True, include_key=False, maintain_order=True)
    empty = table.clear().drop("question")
    return {question: tables.get((question,), empty) for question in questions}


def _joined(
    charts: Mapping[str, StoredCharts], field: str, schema: Mapping[str, pl.DataType], what: str
) -> pl.DataFrame:
    """Put the tables of all questions together, with a column question."""
    return pl.concat(
        sql.conform(getattr(stored, field), schema, what).with_columns(question=pl.lit(name))
        for name, stored in charts.items()
    )


def _state(rows: pl.DataFrame) -> ChartState | None:
    if rows.is_empty():
        return None
    (row,) = rows.to_dicts()
    return ChartState(**{**row, **{name: json.loads(row[name] or "{}") for name in ("sections", "detector")}})


def _state_row(question: str, charts: StoredCharts) -> dict[str, object]:
    state = charts.state
    return {
        "question": question,
        "revision": state.revision,
        "charted_until": state.charted_until,
        "settings": state.settings,
        "sections": json.dumps(state.sections),
        "detector": json.dumps(state.detector),
        "points_from": charts.points_from,
    }
