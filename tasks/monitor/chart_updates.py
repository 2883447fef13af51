"""Update the charts and their alerts of all questions whose counts changed: read, compute, write."""

import logging
from collections.abc import Iterator, Mapping, Sequence
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
from tasks.monitor.item_charts import draw_item_chart
from tasks.monitor.monitoring_configs import MonitoringConfigs
from tasks.monitor.pending_charts import pending_charts
from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange, Tell
from warehouse.alerting.alert_matching import ChartAlert
from warehouse.alerting.alerts import sync_chart_alerts
from warehouse.charts import OtherAnswers, StoredCharts, questions_without_labels, read_progress, write_charts
from warehouse.connect import connect
from warehouse.questions import StoredQuestion

log = logging.getLogger("kappaflow")
TOGETHER = 20  # questions that go through the detector at once


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
    day, pending = pending_charts(db, configs, now=now, today=today)
    with connect(db, read_only=True) as con:
        without_labels = questions_without_labels(con, [question.question for question in pending])
    questions = [question for question in pending if question.question not in without_labels]
    updates = _update_others(db, pending, without_labels, configs, day, now, tell) if without_labels else []
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


def _update_others(
    db: Path,
    pending: Sequence[StoredQuestion],
    without_labels: Mapping[str, OtherAnswers],
    configs: MonitoringConfigs,
    today: date,
    now: datetime,
    tell: Tell | None,
) -> list[ChartUpdate]:
    """Update the questions without labels, which have one chart each or none (see `questions_without_labels`)."""
    drawn = []
    with connect(db) as con:
        progress = read_progress(con, list(without_labels))
        for question in pending:
            name, settings = question.question, configs.of(question.question)
            until = today - timedelta(days=settings.charts.closing_lag_days)
            if answers := without_labels.get(name):
                drawn.append(draw_item_chart(con, question, answers, progress[name], settings, until=until))
        return _write(con, {chart.question: (chart.stored, chart.alerts) for chart in drawn}, now, tell)


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
    charts = {
        of.name: (of.stored, chart_alerts(of, configs.of(of.name).alerts, agreement_evidence(con, of))) for of in drawn
    }
    return _write(con, charts, now, tell)


def _write(
    con: duckdb.DuckDBPyConnection,
    charts: Mapping[str, tuple[StoredCharts, Sequence[ChartAlert] | None]],
    now: datetime,
    tell: Tell | None,
) -> list[ChartUpdate]:
    """Write charts, the alerts and the messages about them in one transaction.

    charts: question -> charts, alarms. Where the alarms are None, nothing is known of them: alerts stay as they are.
    """
    say = None if tell is None else partial(tell, con)
    with sql.transaction(con):
        write_charts(con, {name: stored for name, (stored, _) in charts.items()})
        updates = [
            ChartUpdate(name, tuple(sync_chart_alerts(con, question=name, alarms=alarms, now=now, tell=say)))
            for name, (_, alarms) in charts.items()
            if alarms is not None
        ]
    for update in updates:
        for change in update.changes:
            log.info("alert %s: %s %s %s", change.event, update.question, change.kind, change.subject or "")
    return updates
