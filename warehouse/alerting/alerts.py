"""Store alerts: open one when its condition is first met, and close it when the condition no longer holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alert_matching import CHART_KINDS, AlertDecisions, ChartAlert, StoredAlert, match_alerts
from warehouse.errors import WarehouseError, duckdb_errors

ALERTS: Mapping[str, pl.DataType] = {
    "kind": pl.String(),
    "subject": pl.String(),
    "severity": pl.String(),
    "evidence": pl.String(),
    "detail": pl.String(),
    "owner": pl.String(),
    "after": pl.Float64(),
    "n_items": pl.Int64(),
}
OPTIONAL = ("subject", "owner", "after", "n_items")
NEW_ALERTS: Mapping[str, pl.DataType] = {
    "alert_id": pl.String(),
    "incident_id": pl.String(),
    "kind": pl.String(),
    "subject": pl.String(),
    "severity": pl.String(),
    "changed_on": pl.Date(),
    "changed_low": pl.Date(),
    "changed_high": pl.Date(),
    "detected_on": pl.Date(),
    "before": pl.Float64(),
    "after": pl.Float64(),
    "n_items": pl.Int64(),
    "evidence": pl.String(),
    "detail": pl.String(),
    "owner": pl.String(),
    "closed_because": pl.String(),
    "label": pl.String(),
}
Tell = Callable[[Sequence[AlertChange]], None]
"""Write the messages about changes. It is called within the transaction that stores them."""


@dataclass(frozen=True)
class RulesJudged:
    """What the rules of a question could judge. It says why an alert is over.

    - limits: kind -> whether the rule needs a figure, of the rules that have a limit.
    - figures: kind and subject of the figures that were held to a limit.
    """

    limits: dict[str, bool] = field(default_factory=dict)
    figures: set[tuple[str, str | None]] = field(default_factory=set)


def sync_alerts(
    con: duckdb.DuckDBPyConnection,
    *,
    question: str,
    open_alerts: pl.DataFrame,
    now: datetime,
    judged: RulesJudged | None = None,
    tell: Tell | None = None,
) -> None:
    """Make `open_alerts` the open alerts of the rules of a question, in one transaction. Alerts of charts stay.

    An alert that is over is closed as recovered; as `no limit` or `no figure` if `judged` says that there was nothing
    to judge. Where a person closed the alert, a new one is opened only after the condition had ended.
    Columns: ALERTS, of which OPTIONAL may be missing; one row per kind and subject. Raises WarehouseError if a
    kind is null, one of a chart, or occurs twice for a subject.
    """
    missing = [name for name in OPTIONAL if name not in open_alerts.columns]
    alerts = sql.conform(
        open_alerts.with_columns(pl.lit(None, ALERTS[name]).alias(name) for name in missing), ALERTS, "Alerts"
    )
    if alerts["kind"].null_count() or alerts.select("kind", "subject").is_duplicated().any():
        raise WarehouseError(
            f"A question has at most one alert of a kind and subject, but {question} has "
            f"{sorted(alerts['kind'], key=str)}.",
            "Give each alert its own subject.",
        )
    if charts := sorted(set(alerts["kind"]) & set(CHART_KINDS)):
        raise WarehouseError(f"A rule cannot open alerts of the kind {charts[0]}: they come from charts.")
    figures = pl.DataFrame(
        list(judged.figures) if judged else [], schema={"kind": pl.String, "subject": pl.String}, orient="row"
    )
    of_rules = {"question": question, "chart_kinds": list(CHART_KINDS)}
    of_figures = [kind for kind, is_of_figure in judged.limits.items() if is_of_figure] if judged else []
    limits = list(judged.limits) if judged else None
    with (
        duckdb_errors(f"store the alerts of {question}"),
        sql.registered(con, incoming_alerts=alerts, incoming_figures=figures),
        sql.transaction(con),
    ):
        closed = sql.frame(con, "alerts/close", now=now, limits=limits, of_figures=of_figures, **of_rules)
        sql.run(con, "alerts/refresh", question=question)
        opened = sql.frame(con, "alerts/open", question=question, now=now)
        sql.run(con, "alerts/recover_closed", now=now, of_figures=of_figures, **of_rules)
        if tell:
            tell([*_changes(closed, "closed"), *_changes(opened, "opened")])


def sync_chart_alerts(
    con: duckdb.DuckDBPyConnection,
    *,
    question: str,
    alarms: Sequence[ChartAlert],
    now: datetime,
    tell: Tell | None = None,
) -> list[AlertChange]:
    """Bring the alerts of a question's charts up to date, within the current transaction. Return what changed.

    `alarms` are all alarms of the charts, open or over. See `warehouse.alerting.alert_matching` for which are new.
    """
    with duckdb_errors(f"store the alerts of {question}"):
        rows = sql.frame(con, "alerts/of_charts", question=question, kinds=list(CHART_KINDS)).to_dicts()
        decisions = match_alerts([StoredAlert(**row) for row in rows], alarms)
        changes = _decided_changes(question, decisions)
        if changes:
            with sql.registered(con, incoming_alerts=_new_alerts(decisions), incoming_closed=_closed(decisions)):
                sql.run(con, "alerts/apply", question=question, now=now)
        if tell and changes:
            tell(changes)
    return changes


def questions_with_rule_alerts(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the questions whose rules have an alert that is open, or that a person closed while its cause goes on."""
    with duckdb_errors("read the alerts of the rules"):
        return [str(name) for (name,) in sql.rows(con, "alerts/rule_questions", chart_kinds=list(CHART_KINDS))]


def open_chart_kinds(con: duckdb.DuckDBPyConnection, question: str) -> set[str]:
    """Return the kinds of charts that have an open alert."""
    with duckdb_errors(f"read the alerts of {question}"):
        return {str(kind) for (kind,) in sql.rows(con, "alerts/open_kinds", question=question)} & set(CHART_KINDS)


def _new_alerts(decisions: AlertDecisions) -> pl.DataFrame:
    rows = [
        {**asdict(alarm), "alert_id": alert_id, "incident_id": incident_id}
        for alert_id, incident_id, alarm in decisions.opened
    ]
    return sql.conform(
        pl.DataFrame(rows, schema_overrides=NEW_ALERTS) if rows else pl.DataFrame(schema=NEW_ALERTS),
        NEW_ALERTS,
        "Alerts",
    )


def _closed(decisions: AlertDecisions) -> pl.DataFrame:
    rows = [(alert.alert_id, because) for alert, because in decisions.closed]
    return pl.DataFrame(rows, schema={"alert_id": pl.String, "closed_because": pl.String}, orient="row")


def _decided_changes(question: str, decisions: AlertDecisions) -> list[AlertChange]:
    changes = []
    for alert_id, incident_id, alarm in decisions.opened:
        shared = (alert_id, incident_id, question, alarm.kind, alarm.subject, alarm.severity, alarm.owner)
        changes.append(AlertChange(*shared, "opened"))
        if alarm.closed_because:
            changes.append(AlertChange(*shared, "closed"))
    for alert, _ in decisions.closed:
        of_alert = (alert.incident_id, question, alert.kind, alert.subject, alert.severity, alert.owner)
        changes.append(AlertChange(alert.alert_id, *of_alert, "closed"))
    return changes


def _changes(rows: pl.DataFrame, event: str) -> list[AlertChange]:
    return [AlertChange(**row, event=event) for row in rows.to_dicts()]
