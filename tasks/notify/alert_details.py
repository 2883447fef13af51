"""Collect the details of one alert: the finding in words, the figures, the queries, what to look at."""

import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from tasks.errors import InputError
from tasks.monitor.act_on_alerts import find_alerts
from tasks.monitor.alert_findings import Wording, finding
from tasks.notify.alert_words import advice, closing, false_alarms
from tasks.notify.message_context import MessageContext
from tasks.notify.message_styles import PlainStyle
from warehouse.alerting.alert_actions import chart_days
from warehouse.alerting.alert_figures import figures_query
from warehouse.alerting.messages import incident_alerts, messages_of
from warehouse.connect import connect


@dataclass(frozen=True)
class AlertDetails:
    """One alert in full.

    - alert: its row of `alert_states`. sentences: the finding, how sure it is, what became of it.
    - look_at: what to do first. queries: the SQL behind it, by what it shows.
    - days: days of its chart around the change; empty for a rule. messages: who was told.
    - incident: rows of the other alerts of the same cause.
    """

    alert: dict[str, Any]
    sentences: tuple[str, ...]
    look_at: tuple[str, ...]
    queries: dict[str, str]
    days: pl.DataFrame
    messages: pl.DataFrame
    incident: list[dict[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Return the alert's columns, and the rest beside them."""
        return self.alert | {
            "sentences": list(self.sentences),
            "look_at": list(self.look_at),
            "queries": self.queries,
            "chart_days": self.days.to_dicts(),
            "messages": self.messages.to_dicts(),
            "incident": [
                {name: row[name] for name in ("alert_id", "kind", "subject", "state")} for row in self.incident
            ],
        }


def read_alert_details(snapshot: Path, id_start: str, context: MessageContext, *, now: datetime) -> AlertDetails:
    """Read one alert, by the first characters of its id. Raises InputError as `find_alerts`."""
    with connect(snapshot, read_only=True) as con:
        rows = find_alerts(con, id_start)
        if rows.height > 1:
            ids = ", ".join(rows["alert_id"])
            raise InputError(f"{id_start!r} is an incident of {rows.height} alerts.", f"Show one of them: {ids}.")
        alert = rows.row(0, named=True)
        incident = incident_alerts(con, [alert["incident_id"]])
        others = find_alerts(con, alert["incident_id"]).filter(pl.col("alert_id") != alert["alert_id"])
        days, messages = chart_days(con, alert["alert_id"]), messages_of(con, alert["alert_id"])
    own = next(member for member in incident if member.alert_id == alert["alert_id"])
    style = PlainStyle()
    wording = Wording(style, now.astimezone(ZoneInfo(context.timezone)).date(), context.coefficient)
    sentences = [finding(own, wording), *false_alarms([own], context.false_alarms_per_year)]
    if own.closed_at is not None:
        sentences.append(closing(own, wording))
    return AlertDetails(
        alert=alert,
        sentences=tuple(sentences),
        look_at=tuple(advice(incident, style)),
        queries=_commands(alert, context.folder),
        days=days,
        messages=messages,
        incident=others.to_dicts(),
    )


def _commands(alert: dict[str, Any], folder: Path) -> dict[str, str]:
    """Return commands that print the alert and what is behind it."""
    ask = f"kappaflow sql --project {shlex.quote(str(folder))}"
    queries = {"alert": f"from alert_states where alert_id = '{alert['alert_id']}'"}
    if behind := figures_query(alert["kind"], alert["alert_id"]):
        queries["figures"] = behind
    return {what: f'{ask} "{query}"' for what, query in queries.items()}
