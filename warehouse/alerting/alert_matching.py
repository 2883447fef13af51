"""Match the alarms of recomputed charts with the alerts that were stored before.

Charts are computed again from all data, so that late or corrected ratings may move an alarm, end it or remove it. An
alarm and an alert of the same chart are the same if the intervals of their change overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import uuid4

CHART_KINDS = ("agreement", "labels", "rater", "rater_labels", "rater_speed", "system", "version")
"""Kinds of alerts that come from charts. All other kinds come from rules."""


@dataclass(frozen=True)
class ChartAlert:
    """An alarm of a chart, as an alert.

    - kind, subject: the chart; the subject of a label chart is the label that contributes most.
    - incident: alarms of one question with the same number have one cause.
    - closed_because: why the alarm is over: recovered or replaced; None while it is open.
    - The other fields are columns of the table `alerts`.
    """

    kind: str
    subject: str | None
    severity: str
    changed_on: date
    changed_low: date
    changed_high: date
    detected_on: date
    before: float | None
    after: float | None
    n_items: int
    evidence: str
    detail: str
    incident: int
    owner: str | None = None
    closed_because: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class StoredAlert:
    """An alert of a chart that is in the warehouse."""

    alert_id: str
    incident_id: str
    kind: str
    subject: str | None
    severity: str
    owner: str | None
    changed_on: date
    changed_low: date
    changed_high: date
    detected_on: date
    closed_because: str | None

    @property
    def is_open(self) -> bool:
        """Return whether the alert is open."""
        return self.closed_because is None


@dataclass(frozen=True)
class AlertDecisions:
    """What is to be done: alarms that open an alert, with its ids, and alerts to be closed, with the reason."""

    opened: list[tuple[str, str, ChartAlert]] = field(default_factory=list)
    closed: list[tuple[StoredAlert, str]] = field(default_factory=list)


def match_alerts(stored: Sequence[StoredAlert], alarms: Sequence[ChartAlert]) -> AlertDecisions:
    """Decide which alarms are new, and which stored alerts are over.

    An alert that somebody closed or accepted is not opened again by the same alarm. An open alert without an alarm is
    closed as revised: corrected data no longer show it.
    """
    decisions, matched = AlertDecisions(), set[str]()
    incident_ids: dict[int, str] = {}
    new: list[ChartAlert] = []
    for alarm in alarms:
        alert = _matching_alert(alarm, [candidate for candidate in stored if candidate.alert_id not in matched])
        if alert is None:
            new.append(alarm)
            continue
        matched.add(alert.alert_id)
        if alert.closed_because in ("recovered", "revised", "replaced") and alarm.closed_because is None:
            new.append(alarm)
            continue
        incident_ids.setdefault(alarm.incident, alert.incident_id)
        if alert.is_open and alarm.closed_because:
            decisions.closed.append((alert, alarm.closed_because))
    for alarm in new:
        incident_id = incident_ids.setdefault(alarm.incident, uuid4().hex)
        decisions.opened.append((uuid4().hex, incident_id, alarm))
    decisions.closed.extend((alert, "revised") for alert in stored if alert.is_open and alert.alert_id not in matched)
    return decisions


def _matching_alert(alarm: ChartAlert, stored: Sequence[StoredAlert]) -> StoredAlert | None:
    """Return the stored alert of this alarm: an open one first, else the one whose change is nearest."""
    same = [
        alert
        for alert in stored
        if _chart(alert) == _chart(alarm)
        and alert.changed_low <= alarm.changed_high
        and alarm.changed_low <= alert.changed_high
    ]
    same.sort(key=lambda alert: (not alert.is_open, abs(alert.changed_on - alarm.changed_on), alert.alert_id))
    return same[0] if same else None


def _chart(alert: Any) -> tuple[str, str | None]:
    return alert.kind, None if alert.kind == "labels" else alert.subject
