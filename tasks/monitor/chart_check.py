"""Prove that the stored charts equal those that are computed from all counts."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import polars as pl

from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.monitor.chart_drawing import draw_charts
from tasks.monitor.chart_reading import ChartPlan, plan_charts, read_chart_inputs
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from warehouse.charts import (
    POINTS,
    SUMS,
    VERSION_SUMS,
    ChartProgress,
    forget_charts,
    questions_without_labels,
    read_progress,
    stored_points,
)
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance.doctor import Finding
from warehouse.migrate import pending
from warehouse.questions import StoredQuestion, stored_questions

CHECK = "charts differ from counts"
TO_DO = "Run `kappaflow doctor --fix`, then `kappaflow run`: it computes the charts again from all counts."


def charts_finding(db: Path, configs: MonitoringConfigs, *, fix: bool = False) -> list[Finding]:
    """Compute the charts of all questions from all counts, and compare them with the stored ones, figure by figure.

    A question is left out if its ratings or settings changed since its charts were stored, or if a change was accepted
    as the new normal: the next run updates it. With `fix`, the charts of a question that differ are forgotten. No
    finding where the warehouse cannot be read: other checks say so.
    """
    if not db.exists():
        return []
    try:
        with connect(db, read_only=not fix) as con:
            if pending(con):
                return []
            questions = [question for question in stored_questions(con) if _differs(con, question, configs)]
            if fix:
                for question in questions:
                    forget_charts(con, question.question)
    except WarehouseError:
        return []
    if not questions:
        return [Finding(CHECK, "warehouse", True, "None.", n_rows=0)]
    if fix:
        detail = f"Those of {counted(len(questions), 'question')} were forgotten. The next run computes them again."
        return [Finding(CHECK, "warehouse", True, detail, n_rows=0)]
    rows = tuple({"question": question.question} for question in questions)
    detail = "A question whose stored charts are not those of its counts by day."
    return [Finding(CHECK, "warehouse", False, detail, TO_DO, len(rows), rows)]


def _differs(con: duckdb.DuckDBPyConnection, question: StoredQuestion, configs: MonitoringConfigs) -> bool:
    name, settings = question.question, configs.of(question.question)
    if questions_without_labels(con, [name]):
        return False  # each update draws their chart from all items
    progress = read_progress(con, [name])[name]
    state = progress.state
    if state is None or state.revision != question.revision:
        return False
    update, plan = (
        _plan(con, question, progress, settings, until=state.charted_until, rebuild=rebuild)
        for rebuild in (False, True)
    )
    if plan is None or update is not None:
        return False
    inputs = read_chart_inputs(con, [plan])
    (drawn,) = draw_charts(inputs)
    pairs = (
        (progress.sums, drawn.stored.sums, SUMS),
        (progress.version_sums, drawn.stored.version_sums, VERSION_SUMS),
        (stored_points(con, name), drawn.stored.points, POINTS),
    )
    was, now = ({"sections": charts.sections, "detector": charts.detector} for charts in (state, drawn.stored.state))
    if not state.detector:  # stored before version 35: the next update adds it
        was["detector"] = now["detector"]
    return was != now or any(
        list(_ordered(before, list(schema))) != list(_ordered(now, list(schema))) for before, now, schema in pairs
    )


def _plan(
    con: duckdb.DuckDBPyConnection,
    question: StoredQuestion,
    progress: ChartProgress,
    settings: QuestionMonitoring,
    *,
    until: date,
    rebuild: bool,
) -> ChartPlan | None:
    """Return what is to be computed, None if nothing is due or can be."""
    try:
        return plan_charts(con, question, progress, settings.question, settings.charts, until=until, rebuild=rebuild)
    except InputError:
        return None


def _ordered(rows: pl.DataFrame, columns: list[str]) -> Iterator[tuple[object, ...]]:
    return rows.select(columns).sort(columns, nulls_last=True).iter_rows()
