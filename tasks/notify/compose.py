"""Compose the text of a digest: what happened, how sure it is, since when, what to look at, the queries behind it."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import jinja2

from tasks.monitor.alert_findings import Wording, finding, title
from tasks.notify.alert_words import CHART_KINDS, advice, closing, evidence, false_alarms
from tasks.notify.message_context import MessageContext
from tasks.notify.message_styles import MarkdownStyle, MessageStyle, PlainStyle
from tasks.templates import templates
from warehouse.alerting.alert_figures import figures_query
from warehouse.alerting.messages import REMINDER, Digest, IncidentAlert, UnsentMessage

MAX_IN_FULL = 20  # messages of a digest; of the next ones only the heading is shown
MAX_HEADINGS = 100
EVENTS = {"opened": "opened", "closed": "closed", REMINDER: "still open"}
CLOSED_SINCE = "opened and closed since"  # where a message waited until its alerts were closed
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class DigestText:
    """A digest in words. `mood` is bad if a critical alert is open, good if all its alerts are closed, and none of them
    because its figure is gone."""

    title: str
    text: str
    markdown: str
    mood: Literal["good", "warning", "bad"]


@dataclass(frozen=True)
class _Entry:
    heading: str
    sentences: tuple[str, ...]
    owner: str | None
    alert_ids: tuple[str, ...]
    incident_id: str
    has_chart: bool
    figures: tuple[str, ...]
    shows: tuple[str, ...]
    sql: str


def compose(digest: Digest, alerts: Sequence[IncidentAlert], context: MessageContext, *, now: datetime) -> DigestText:
    """Write a digest as plain text and as Markdown. `alerts` are all alerts of its incidents."""
    today = now.astimezone(ZoneInfo(context.timezone)).date()
    digest = replace(digest, messages=_without_repeats(digest.messages))
    return DigestText(
        title=_title(digest, alerts, context),
        text=_render("message.txt.j2", digest, alerts, context, PlainStyle(), today),
        markdown=_render("message.md.j2", digest, alerts, context, MarkdownStyle(), today),
        mood=_mood(digest, alerts),
    )


def _without_repeats(messages: Sequence[UnsentMessage]) -> tuple[UnsentMessage, ...]:
    """Leave out closings that another message of the digest tells of: one that waited says that its alerts closed."""
    of_others = {alert_id for message in messages if message.event != "closed" for alert_id in message.alert_ids}
    return tuple(
        message for message in messages if message.event != "closed" or not of_others.issuperset(message.alert_ids)
    )


def _title(digest: Digest, alerts: Sequence[IncidentAlert], context: MessageContext) -> str:
    style = PlainStyle()
    name = style.name(context.name)
    if len(digest.messages) == 1:
        return f"{name}: {_heading(digest.messages[0], alerts, style)}"
    counts = Counter(_event(message, alerts) for message in digest.messages)
    events = ", ".join(f"{counts[words]} {words}" for words in (*EVENTS.values(), CLOSED_SINCE) if counts[words])
    return f"{name}: {len(digest.messages)} alerts, {events}"


def _render(
    template: str,
    digest: Digest,
    alerts: Sequence[IncidentAlert],
    context: MessageContext,
    style: MessageStyle,
    today: date,
) -> str:
    wording = Wording(style, today, context.coefficient)
    sql = f"kappaflow sql --project {shlex.quote(str(context.folder))}"
    in_full, others = digest.messages[:MAX_IN_FULL], digest.messages[MAX_IN_FULL:]
    rendered = (
        _environment()
        .get_template(template)
        .render(
            entries=[_entry(message, alerts, context, wording, sql) for message in in_full],
            more=[_heading(message, alerts, style) for message in others[:MAX_HEADINGS]],
            n_hidden=len(others[MAX_HEADINGS:]),
            sql=sql,
            report=style.code(str(context.report)),
            snapshot=style.code(str(context.snapshot)),
        )
    )
    return re.sub(r"\n{3,}", "\n\n", rendered).strip() + "\n"


def _entry(
    message: UnsentMessage, alerts: Sequence[IncidentAlert], context: MessageContext, wording: Wording, sql: str
) -> _Entry:
    of_message, others = _split_incident(message, alerts)
    incident = [*of_message, *others]
    style = wording.style
    if message.event == "closed":
        sentences = [closing(alert, wording) for alert in of_message]
        still_open = [title(alert, style) for alert in others if alert.closed_at is None]
        sentences += [f"Still open: {', '.join(still_open)}."] if still_open else []
    else:
        sentences = [f"{finding(alert, wording)}{evidence(alert, wording)}" for alert in of_message]
        sentences += [closing(alert, wording) for alert in of_message if alert.closed_at is not None]
        sentences += false_alarms(of_message, context.false_alarms_per_year)
        sentences += advice(incident, style)
    owners = sorted({alert.owner for alert in of_message if alert.owner})
    return _Entry(
        heading=style.strong(_heading(message, alerts, style)),
        sentences=tuple(sentences),
        owner=", ".join(style.name(owner) for owner in owners) or None,
        alert_ids=message.alert_ids,
        incident_id=message.incident_id,
        has_chart=any(alert.kind in CHART_KINDS for alert in of_message),
        figures=_figures(of_message),
        shows=tuple(
            f"kappaflow alerts show --project {shlex.quote(str(context.folder))} {alert.alert_id}"
            for alert in of_message
        ),
        sql=sql,
    )


def _figures(alerts: Sequence[IncidentAlert]) -> tuple[str, ...]:
    """Return the queries behind the alerts that have no chart."""
    queries = [figures_query(alert.kind, alert.alert_id) for alert in alerts if alert.kind not in CHART_KINDS]
    return tuple(query for query in queries if query)


def _heading(message: UnsentMessage, alerts: Sequence[IncidentAlert], style: MessageStyle) -> str:
    """Return the event, the question and what the alerts are about."""
    of_message, _ = _split_incident(message, alerts)
    about = ", ".join(dict.fromkeys(title(alert, style) for alert in of_message))
    critical = message.event != "closed" and any(alert.severity == "critical" for alert in of_message)
    event = _event(message, alerts)
    what = f"{'Critical alert' if critical else 'Alert'} {event} in {style.name(message.question)}"
    return f"{what}: {about}" if about else what


def _event(message: UnsentMessage, alerts: Sequence[IncidentAlert]) -> str:
    """Return what happened, in words."""
    of_message, _ = _split_incident(message, alerts)
    all_closed = bool(of_message) and all(alert.closed_at is not None for alert in of_message)
    return CLOSED_SINCE if all_closed and message.event != "closed" else EVENTS[message.event]


def _split_incident(
    message: UnsentMessage, alerts: Sequence[IncidentAlert]
) -> tuple[list[IncidentAlert], list[IncidentAlert]]:
    """Return the alerts that the message tells of, and the others of its incident."""
    incident = [alert for alert in alerts if alert.incident_id == message.incident_id]
    of_message = [alert for alert in incident if alert.alert_id in message.alert_ids]
    return of_message, [alert for alert in incident if alert.alert_id not in message.alert_ids]


def _mood(digest: Digest, alerts: Sequence[IncidentAlert]) -> Literal["good", "warning", "bad"]:
    opened = [message for message in digest.messages if message.event != "closed"]
    if not opened:
        return "warning" if any(alert.closed_because == "no figure" for alert in alerts) else "good"
    opened_alerts = [alert for message in opened for alert in _split_incident(message, alerts)[0]]
    return (
        "bad" if any(alert.severity == "critical" and alert.closed_at is None for alert in opened_alerts) else "warning"
    )


@cache
def _environment() -> jinja2.Environment:
    """Return the environment of the templates. The styles make all names harmless, so nothing is escaped here."""
    return templates(_HERE, autoescape=False)
