"""Draw the agreement chart of spans, boxes, rankings and texts, and say what its alarms found.

It follows the mean agreement on the items of a day, by the coefficient that stands for the question. Annotators and
labels have no charts. Each evaluation compares all items again, so each update draws all days again.
"""

from dataclasses import dataclass, replace
from datetime import date

import duckdb
import numpy as np
import polars as pl

from stats.monitoring import MissingChart, ReferenceSettings, ScoreChart, incidents, score_chart
from tasks.monitor.alert_findings import Wording, finding
from tasks.monitor.chart_alerts import back_since, chart_alert, over_year
from tasks.monitor.chart_drawing import NORMAL_95, chart_points
from tasks.monitor.chart_reading import FIRST_DAY
from tasks.monitor.monitor_config import MonitorConfig
from tasks.monitor.monitoring_configs import QuestionMonitoring
from tasks.monitor.pending_charts import item_chart_settings
from tasks.notify.alert_words import LOOK_AT_PAIRS
from tasks.notify.message_styles import PlainStyle
from tasks.region_coefficients import HEADLINES
from warehouse.alerting.alert_matching import ChartAlert
from warehouse.charts import (
    MISSING,
    SUMS,
    VERSION_SUMS,
    VERSIONS,
    ChartProgress,
    ChartState,
    OtherAnswers,
    StoredCharts,
    batch_days,
    item_agreement,
)
from warehouse.questions import StoredQuestion

NOT_COMPARED = MissingChart(
    "agreement",
    None,
    "too_few_items",
    "No item up to the last closed day is compared: it takes two annotators who worked on it, and answers of one kind.",
)


@dataclass(frozen=True)
class DrawnItemChart:
    """The chart of one question: what is to be stored, and its alarms as alerts; None if no items are compared."""

    question: str
    stored: StoredCharts
    alerts: list[ChartAlert] | None


def draw_item_chart(
    con: duckdb.DuckDBPyConnection,
    question: StoredQuestion,
    answers: OtherAnswers,
    progress: ChartProgress,
    settings: QuestionMonitoring,
    *,
    until: date,
) -> DrawnItemChart:
    """Draw the chart of a question from all its items up to a day. Votes on models have none."""
    name, config = question.question, settings.charts
    texts = item_chart_settings(settings.question, config, answers.evaluated_by)
    state = ChartState(question.revision, until, texts, {}, {})
    if not answers.has_items:
        return DrawnItemChart(name, _stored(ScoreChart(None, None, None), state), [])
    items = item_agreement(con, name, HEADLINES, until)
    if items.is_empty():  # the points and the alerts of an earlier chart stay: nothing is known of them now
        chart = ScoreChart(None, None, NOT_COMPARED)
        return DrawnItemChart(name, replace(_stored(chart, state), points_from=date.max), None)
    scores = items.select("day", score=pl.col("value") / pl.col("weight"))
    chart = score_chart(scores, settings=_reference(con, name, progress, config), budget=config.budget)
    return DrawnItemChart(name, _stored(chart, state), _alerts(items, chart, settings))


def _reference(
    con: duckdb.DuckDBPyConnection, question: str, progress: ChartProgress, config: MonitorConfig
) -> ReferenceSettings:
    """Return the reference days that the settings ask for; from an accepted change on, the first days since."""
    batches = batch_days(con, question, config.reference_batches) if config.reference_batches else None
    reference = config.reference(batches)
    accepted = progress.accepted.filter(kind="agreement")["changed_on"].to_list()
    return replace(reference, start=max(accepted), first=None, last=None) if accepted else reference


def _stored(chart: ScoreChart, state: ChartState) -> StoredCharts:
    missing = [] if chart.missing is None else [vars(chart.missing)]
    return StoredCharts(
        state=state,
        sums=pl.DataFrame(schema=dict(SUMS)),
        version_sums=pl.DataFrame(schema=dict(VERSION_SUMS)),
        days=pl.DataFrame(schema={"section": pl.String, "day": pl.Date}),
        kept_sections=(),
        points=chart_points([chart.history] if chart.history else [], FIRST_DAY, lowest=0.0),
        points_from=FIRST_DAY,
        missing=pl.DataFrame(missing, schema=dict(MISSING)),
        versions=pl.DataFrame(schema=dict(VERSIONS)),
    )


def _alerts(items: pl.DataFrame, chart: ScoreChart, settings: QuestionMonitoring) -> list[ChartAlert]:
    """Return all alarms as alerts, open or over, with the coefficient before the change and since."""
    if chart.history is None or chart.period is None:
        return []
    alerts = []
    changed = pl.lit(False)  # days of an earlier change that is over: they are neither before nor since
    for number, incident in enumerate(incidents(chart.history.alarms)):
        for alarm in incident.alarms:
            is_before = pl.col("day").is_between(chart.period.first, alarm.changed_on, closed="left")
            before = items.filter(is_before & ~changed)
            if alarm.closed_on is not None:
                changed |= pl.col("day").is_between(alarm.changed_on, alarm.closed_on, closed="left")
            since = items.filter(pl.col("day").is_between(alarm.changed_on, alarm.opened_on))
            windows = f"{items['coefficient'][0]} {_figure(before)} before, {_figure(since)} since {alarm.changed_on}"
            alert = chart_alert(alarm, incident, number, settings.alerts, windows)
            todo = back_since(alarm.closed_on) if alarm.closed_on else f"{LOOK_AT_PAIRS} "
            sentence = finding(alert, Wording(PlainStyle(), None, ""))
            detail = f"{sentence} {todo}{over_year(settings.charts.false_alarms_per_year)}"
            alerts.append(replace(alert, detail=detail))
    return alerts


def _figure(items: pl.DataFrame) -> str:
    """Write the coefficient of some items with a 95 % interval: a ratio of sums, linearised."""
    value, weight = items["value"].to_numpy(), items["weight"].to_numpy()
    n, ratio = len(value), value.sum() / weight.sum()
    half = NORMAL_95 * np.sqrt(n / max(n - 1, 1) * ((value - ratio * weight) ** 2).sum()) / weight.sum()
    if half == 0:  # one item, or items that are all alike: no width is no certainty
        return f"{ratio:.3f}"
    return f"{ratio:.3f} [{max(ratio - half, 0.0):.3f}, {min(ratio + half, 1.0):.3f}]"
