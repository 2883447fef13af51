"""The outbox: messages about alerts are written in the transaction of the alerts, and sent after it.

A message is one incident, event and channel. Messages that go to a channel together are a digest. The digest's id is
stored before it is sent. So a digest that may or may not have arrived is sent again unchanged, and later messages go
into another digest.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any, Self, TypeVar
from uuid import uuid4

import duckdb
import polars as pl

from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alert_mutes import without_muted

REMINDER = "reminder"
T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True)
class MessageRoute:
    """Which changes of alerts go to which channel. An empty tuple means all.

    - channel: name of the environment variable that holds the channel's address
    - questions, kinds: names, or patterns with * and ?
    - severities: warning, critical. owners: as in the settings. events: opened, closed
    - reminder_days: days after which an open alert that nobody acknowledged is sent again; None for never
    """

    channel: str
    questions: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    reminder_days: float | None = None

    def accepts(self, change: AlertChange) -> bool:
        """Return whether the change is to be told to this channel."""
        return (
            (change.event == REMINDER or not self.events or change.event in self.events)
            and _matches(change.question, self.questions)
            and _matches(change.kind, self.kinds)
            and (not self.severities or change.severity in self.severities)
            and (not self.owners or change.owner in self.owners)
        )


@dataclass(frozen=True)
class UnsentMessage:
    """A message that waits. The fields are columns of the table `messages`."""

    message_id: str
    incident_id: str
    question: str
    event: str
    alert_ids: tuple[str, ...]
    channel: str
    n_attempts: int


@dataclass(frozen=True)
class Digest:
    """Messages that are sent to a channel as one. `is_repeat`: it was tried before and may have arrived."""

    digest_id: str
    channel: str
    messages: tuple[UnsentMessage, ...]
    is_repeat: bool = False


@dataclass(frozen=True)
class IncidentAlert:
    """An alert as messages tell of it. The fields are columns of the table `alerts`."""

    alert_id: str
    incident_id: str
    question: str
    kind: str
    subject: str | None
    severity: str | None
    owner: str | None
    opened_at: datetime
    changed_on: date | None
    changed_low: date | None
    changed_high: date | None
    before: float | None
    after: float | None
    n_items: int | None
    acknowledged_at: datetime | None
    closed_at: datetime | None
    closed_because: str | None
    evidence: str | None
    detail: str | None
    label: str | None = None
    detected_on: date | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Return the alert of a row of the table `alerts` or of the view `alert_states`."""
        return cls(**{field.name: row[field.name] for field in fields(cls)})


def write_messages(
    con: duckdb.DuckDBPyConnection,
    changes: Sequence[AlertChange],
    routes: Sequence[MessageRoute],
    *,
    run_id: str | None,
    now: datetime,
) -> None:
    """Write a message for each incident, event and channel that accepts at least one of the incident's changes.

    Call it in the transaction that changes the alerts. A message lists all changed alerts of its incident, also those
    that its channel would not accept alone. Muted alerts are left out.
    """
    heard = without_muted(con, changes, now=now)
    for (incident_id, event), incident_changes in _grouped(
        heard, lambda change: (change.incident_id, change.event)
    ).items():
        channels = {
            route.channel: None for route in routes if any(route.accepts(change) for change in incident_changes)
        }
        for channel in channels:
            sql.run(
                con,
                "messages/write",
                message_id=str(uuid4()),
                incident_id=incident_id,
                question=incident_changes[0].question,
                event=event,
                alert_ids=[change.alert_id for change in incident_changes],
                channel=channel,
                run_id=run_id,
                now=now,
            )


def write_unmuted(
    con: duckdb.DuckDBPyConnection, routes: Sequence[MessageRoute], *, run_id: str | None, now: datetime
) -> None:
    """Write messages for alerts that are still open when their mute has ended and that had no message before.

    Call it in a transaction.
    """
    rows: list[Any] = sql.rows(con, "messages/unmuted", now=now)
    for channel in dict.fromkeys(route.channel for route in routes):
        untold = [AlertChange(*row[:-1]) for row in rows if channel not in (row[-1] or ())]
        of_channel = [route for route in routes if route.channel == channel]
        write_messages(con, untold, of_channel, run_id=run_id, now=now)


def write_reminders(
    con: duckdb.DuckDBPyConnection, routes: Sequence[MessageRoute], *, run_id: str | None, now: datetime
) -> None:
    """Write a reminder for each incident that is open and not acknowledged, where the route's `reminder_days` are over.

    The days count from the last message on the incident that was sent to the channel, else from the opening of its
    first alert. While a message on the incident waits for the channel, there is no reminder. Call it in a transaction.
    """
    reminding = [route for route in routes if route.reminder_days is not None]
    if not reminding:
        return
    channels = [route.channel for route in reminding]
    open_alerts: list[Any] = sql.rows(con, "messages/open_alerts", now=now)
    last_sent: dict[Any, Any] = {
        tuple(row[:2]): row[2:] for row in sql.rows(con, "messages/last_sent", channels=channels)
    }
    incidents = _grouped(open_alerts, lambda row: row[2])
    for route in reminding:
        for incident_id, rows in incidents.items():
            opened_at, alerts = rows[0][0], [AlertChange(*row[1:]) for row in rows]
            sent_at, is_waiting = last_sent.get((incident_id, route.channel), (None, False))
            is_due = now - (sent_at or opened_at) >= timedelta(days=route.reminder_days or 0)
            if is_due and not is_waiting and any(route.accepts(alert) for alert in alerts):
                write_messages(con, alerts, [MessageRoute(route.channel)], run_id=run_id, now=now)
                last_sent[incident_id, route.channel] = (None, True)


def incident_alerts(con: duckdb.DuckDBPyConnection, incident_ids: Sequence[str]) -> list[IncidentAlert]:
    """Read all alerts of these incidents, the oldest first."""
    rows: list[Any] = sql.rows(con, "messages/alerts_of_incidents", incident_ids=list(incident_ids))
    return [IncidentAlert(*row) for row in rows]


def messages_of(con: duckdb.DuckDBPyConnection, alert_id: str) -> pl.DataFrame:
    """Read the messages that tell of an alert, the oldest first."""
    return sql.read(con, "messages/of_alert", "read the messages of an alert", alert_id=alert_id)


def count_waiting(con: duckdb.DuckDBPyConnection, channels: Sequence[str]) -> dict[str, int]:
    """Return the number of unsent messages of each channel that has any."""
    rows: list[Any] = sql.rows(con, "messages/waiting", channels=list(channels))
    return dict(rows)


def count_paused(con: duckdb.DuckDBPyConnection, channels: Sequence[str], *, now: datetime) -> dict[str, int]:
    """Return the number of unsent messages of each channel that failed and is to be tried again later."""
    return Counter(channel for *_, channel, _, _, is_due in _unsent_rows(con, channels, now) if not is_due)


def take_digests(
    con: duckdb.DuckDBPyConnection, channels: Sequence[str], *, now: datetime
) -> tuple[list[Digest], list[IncidentAlert]]:
    """Return the digests to send now, and all alerts of their incidents. Call it in a transaction.

    A channel is due if one of its messages may be tried now; then all of its messages are sent. Digests whose fate is
    unknown come first, as they were. All other messages of the channel go into one new digest, whose id is stored.
    """
    sendable = [(_unsent(*row), digest_id) for *row, digest_id, is_due in _unsent_rows(con, channels, now) if is_due]
    messages = [message for message, _ in sendable]
    digest_of = {message.message_id: digest_id for message, digest_id in sendable}
    digests = []
    for channel, of_channel in _grouped(messages, lambda message: message.channel).items():
        by_digest = _grouped(of_channel, lambda message: digest_of[message.message_id])
        new = by_digest.pop(None, [])
        digests += [Digest(digest_id, channel, tuple(again), is_repeat=True) for digest_id, again in by_digest.items()]
        if new:
            digests.append(Digest(str(uuid4()), channel, tuple(new)))
            message_ids = [message.message_id for message in new]
            sql.run(con, "messages/group_in_digest", digest_id=digests[-1].digest_id, message_ids=message_ids)
    incident_ids = sorted({message.incident_id for message in messages})
    return digests, incident_alerts(con, incident_ids)


def mark_sent(con: duckdb.DuckDBPyConnection, digest_id: str, *, now: datetime) -> None:
    """Record that the channel took the digest."""
    sql.run(con, "messages/mark_sent", digest_id=digest_id, now=now)


def mark_failed(
    con: duckdb.DuckDBPyConnection, digest: Digest, *, error: str, next_attempt_at: datetime, refused: bool
) -> None:
    """Record that the channel did not take the digest, and when it may be tried again.

    With `refused`, this attempt surely did not arrive. Unless an earlier one may have, the messages may go into another
    digest.
    """
    sql.run(
        con,
        "messages/mark_failed",
        digest_id=digest.digest_id,
        error=error,
        next_attempt_at=next_attempt_at,
        is_free=refused and not digest.is_repeat,
    )


def _unsent_rows(con: duckdb.DuckDBPyConnection, channels: Sequence[str], now: datetime) -> list[Any]:
    return sql.rows(con, "messages/unsent", channels=list(channels), now=now)


def _unsent(
    message_id: str, incident_id: str, question: str, event: str, alert_ids: list[str], channel: str, n_attempts: int
) -> UnsentMessage:
    return UnsentMessage(message_id, incident_id, question, event, tuple(alert_ids), channel, n_attempts)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _grouped(values: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups
