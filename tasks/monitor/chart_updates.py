"""Update the charts and their alerts of all questions whose counts changed: read, compute, write."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path

import duckdb

from stats.errors import StatsError
from tasks.errors import InputError
from tasks.monitor.agreement_at_change import agreement_evidence
from tasks.monitor.chart_alerts import chart_alerts
from tasks.monitor.chart_drawing import DrawnCharts, draw_charts
from tasks.monitor.chart_reading import ChartInputs, plan_charts, read_chart_inputs
from tasks.monitor.monitoring_configs import MonitoringConfigs
from tasks.monitor.pending_charts import pending_charts
from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alerts import sync_chart_alerts
from warehouse.charts import read_progress, write_charts
from warehouse.connect import connect
from warehouse.questions import StoredQuestion

log = logging.getLogger("kappaflow")
TOGETHER = 20  # questions that go through the detector at once
Tell = Callable[[duckdb.DuckDBPyConnection, Sequence[AlertChange]], None]


@dataclass(frozen=True)
class ChartUpdate:
    """The outcome of one question: the alerts that changed. `error` says why there are no charts; None if there are."""

    question: str
    changes: tuple[AlertChange, ...] = ()
    error: str | None = None


def update_charts(
    db: Path, configs: MonitoringConfigs, *, now: datetime, today: date | None = None, tell: Tell | None = None
) -> list[ChartUpdate]:
    """Update the charts of all questions that are due, and open and close their alerts.

    `today` is the current day, by default that of `now` in the project's time zone. `tell` writes the messages about
    changed alerts, in the transaction that stores them. Questions that were up to date are left out of the result.
    """
    day, questions = pending_charts(db, configs, now=now, today=today)
    updates = []
    for first in range(0, len(questions), TOGETHER):
        inputs, failed = _read(db, questions[first : first + TOGETHER], configs, day)
        updates += failed
        drawn = list(_drawn(inputs))
        updates += [outcome for outcome in drawn if isinstance(outcome, ChartUpdate)]
        with connect(db) as con:
            updates += _store(
                con, [outcome for outcome in drawn if isinstance(outcome, DrawnCharts)], configs, now, tell
            )
    return updates


def _read(
    db: Path, questions: Sequence[StoredQuestion], configs: MonitoringConfigs, today: date
) -> tuple[list[ChartInputs], list[ChartUpdate]]:
    """Read the inputs of the questions that are due, and the questions whose labels cannot be ordered."""
    plans, failed = [], []
    with connect(db, read_only=True) as con:
        progress = read_progress(con, [question.question for question in questions])
        for question in questions:
            name, settings = question.question, configs.of(question.question)
            until = today - timedelta(days=settings.charts.closing_lag_days)
            try:
                plan = plan_charts(con, question, progress[name], settings.question, settings.charts, until=until)
            except InputError as error:
                failed.append(ChartUpdate(name, error=f"{error} {error.hint}".strip()))
                continue
            if plan is not None:
                plans.append(plan)
        return read_chart_inputs(con, plans), failed


def _drawn(inputs: list[ChartInputs]) -> Iterator[DrawnCharts | ChartUpdate]:
    """Draw the charts of all questions together; if that fails, one after another, to tell which one fails."""
    try:
        yield from draw_charts(inputs)
    except StatsError:
        for chart_inputs in inputs:
            try:
                yield from draw_charts([chart_inputs])
            except StatsError as error:
                yield ChartUpdate(chart_inputs.plan.question.question, error=str(error))


def _store(
    con: duckdb.DuckDBPyConnection,
    drawn: Sequence[DrawnCharts],
    configs: MonitoringConfigs,
    now: datetime,
    tell: Tell | None,
) -> list[ChartUpdate]:
    """Write the charts of questions, the alerts and the messages about them in one transaction."""
    with sql.transaction(con):
        alarms = [
            chart_alerts(charts, configs.of(charts.name).alerts, agreement_evidence(con, charts)) for charts in drawn
        ]
        write_charts(con, {charts.name: charts.stored for charts in drawn})
        updates = [
            ChartUpdate(
                charts.name,
                tuple(
                    sync_chart_alerts(
                        con,
                        question=charts.name,
                        alarms=of_question,
                        now=now,
                        tell=None if tell is None else partial(tell, con),
                    )
                ),
            )
            for charts, of_question in zip(drawn, alarms, strict=True)
        ]
    for update in updates:
        for change in update.changes:
            log.info("alert %s: %s %s %s", change.event, update.question, change.kind, change.subject or "")
    return updates
