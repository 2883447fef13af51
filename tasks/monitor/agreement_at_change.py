"""Compute the ordinary coefficient before and since a change of the agreement chart.

The chart follows a linearised score, which errs where the label shares become wholly different. So an alarm also shows
the coefficient itself.
"""

from collections.abc import Sequence
from datetime import date

import duckdb
import polars as pl

from schemas.rating_columns import IS_HUMAN
from stats.agreement import agreement
from stats.monitoring import ChartAlarm
from tasks.monitor.chart_drawing import DrawnCharts
from tasks.monitor.chart_sections import serving_section
from tasks.monitor.newcomers import estimate_text, first_days, newcomer_evidence
from warehouse.alerting.alerts import open_chart_kinds
from warehouse.charts import day_items, day_tables, first_ratings, rater_days

CONFIDENCE = 0.95


def agreement_evidence(con: duckdb.DuckDBPyConnection, drawn: DrawnCharts) -> str:
    """Return the coefficient with its interval before and since the change, if a new alarm of agreement is open.

    If agreement fell and the figures name raters who began then, their figures follow. Empty if there is no such alarm,
    or if its alert is open already.
    """
    question = drawn.inputs.plan.question.question
    alarms = [
        alarm
        for incident in drawn.incidents
        for alarm in incident.alarms
        if alarm.chart == "agreement" and alarm.closed_on is None
    ]
    if not alarms or "agreement" in open_chart_kinds(con, question):
        return ""
    return _evidence(con, drawn, alarms[-1])


def _evidence(con: duckdb.DuckDBPyConnection, drawn: DrawnCharts, alarm: ChartAlarm) -> str:
    section = serving_section([inputs.section for inputs in drawn.inputs.sections], ("agreement", None))
    reference = drawn.references[section.name]
    question = drawn.inputs.plan.question.question
    days = [day for day in day_items(con, question)["day"] if day <= alarm.opened_on]
    windows = {
        "before": [day for day in days if reference.period.first <= day < alarm.changed_on],
        "since": [day for day in days if day >= alarm.changed_on],
    }
    coefficient = drawn.inputs.plan.config.coefficient
    ratings = {name: _human_ratings(con, question, window, reference.labels) for name, window in windows.items()}
    rows = {
        name: agreement(frame, labels=reference.labels, coefficients=[coefficient], confidence=CONFIDENCE).row(
            0, named=True
        )
        for name, frame in ratings.items()
    }
    figures = [f"{estimate_text(row)} {name}" for name, row in rows.items() if row["estimate"] is not None]
    if not figures:
        return ""
    newcomers = ""
    if len(figures) == len(windows) and alarm.after < alarm.before:
        began = first_days(rater_days(con, question), alarm.changed_low, alarm.changed_high)
        began |= first_ratings(con, question, [*began])  # an item counts on the day of its latest rating
        estimates = rows["before"]["estimate"], rows["since"]["estimate"]
        newcomers = newcomer_evidence(ratings["since"], reference.labels, coefficient, estimates, began)
    return f"{coefficient} {', '.join(figures)} {alarm.changed_on}{newcomers}"


def _human_ratings(
    con: duckdb.DuckDBPyConnection, question: str, days: list[date], labels: Sequence[str]
) -> pl.DataFrame:
    """Return item (a pattern), n_items, rater, label of the human ratings of some days."""
    tables = day_tables(con, {question: days})[question]
    items = tables.items.group_by("pattern").agg(pl.col("n_items").sum())
    human = tables.ratings.filter(IS_HUMAN).join(items, on="pattern").rename({"pattern": "item"})
    return human.with_columns(pl.col("item").cast(pl.String)).filter(pl.col("label").is_in(labels))
