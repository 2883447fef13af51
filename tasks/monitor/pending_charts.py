"""Find the questions whose charts are due."""

from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb

from tasks.evaluate.question_config import QuestionConfig
from tasks.fingerprint import as_json
from tasks.monitor.monitor_config import MonitorConfig
from tasks.monitor.monitoring_configs import MonitoringConfigs
from warehouse.charts import questions_with_pending_charts, questions_without_labels
from warehouse.connect import connect
from warehouse.project_time import stored_timezone
from warehouse.questions import StoredQuestion, stored_questions


def pending_charts(
    db: Path, configs: MonitoringConfigs, *, now: datetime, today: date | None = None
) -> tuple[date, list[StoredQuestion]]:
    """Return the current day, and the questions whose charts `update_charts` would update.

    `today` is the current day, by default that of `now` in the project's time zone.
    """
    with connect(db, read_only=True) as con:
        day = today or now.astimezone(ZoneInfo(stored_timezone(con))).date()
        return day, _pending_questions(con, configs, day)


def chart_settings(config: QuestionConfig, monitor: MonitorConfig) -> str:
    """Return a text that changes with the settings and the version of kappaflow that the charts depend on."""
    return as_json(monitor, config.labels, config.scale)


def item_chart_settings(config: QuestionConfig, monitor: MonitorConfig, evaluated_by: str | None) -> str:
    """Return the text of a question without labels: its chart rests on the figures of an evaluation, too."""
    return as_json(monitor, config.labels, config.scale, evaluated_by)


def _pending_questions(con: duckdb.DuckDBPyConnection, configs: MonitoringConfigs, today: date) -> list[StoredQuestion]:
    """Return the questions whose charts may have changed, by one query for all questions."""
    of = {question.question: configs.of(question.question) for question in stored_questions(con)}
    lag = min((config.charts.closing_lag_days for config in of.values()), default=0)
    others = questions_without_labels(con, list(of))
    settings = {
        name: item_chart_settings(config.question, config.charts, others[name].evaluated_by)
        if name in others
        else chart_settings(config.question, config.charts)
        for name, config in of.items()
    }
    return questions_with_pending_charts(con, settings, today - timedelta(days=lag))
