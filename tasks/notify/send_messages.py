"""Send the messages that wait in the outbox: one digest a channel, with the keys by which a receiver drops repeats."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tasks.notify import channels
from tasks.notify.channels import ChannelError
from tasks.notify.compose import compose
from tasks.notify.delivery import Delivery
from tasks.notify.message_context import MessageContext
from tasks.notify.sending_lock import sending_lock
from warehouse import sql
from warehouse.alerting.messages import (
    Digest,
    IncidentAlert,
    MessageRoute,
    count_paused,
    count_waiting,
    mark_failed,
    mark_sent,
    take_digests,
    write_reminders,
    write_unmuted,
)
from warehouse.connect import connect

log = logging.getLogger("kappaflow")
LOCK_SECONDS = 60.0
MAX_FREE_ATTEMPTS = 3  # so often a message is tried at each run, whenever that is
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=5), timedelta(days=1)


def send_messages(
    db: Path, routes: Sequence[MessageRoute], context: MessageContext, *, run_id: str | None
) -> list[Delivery]:
    """Write the messages that are due, such as reminders, and send each channel its waiting messages as one digest.

    If a channel fails, its Delivery says so, and its messages wait for a later run. The other digests of the channel
    wait, too. The warehouse is open only to read and to mark, never while a digest is sent. Raises only the errors of
    the warehouse.
    """
    names = list(dict.fromkeys(route.channel for route in routes))
    unset = [name for name in names if not channels.is_set(name)]
    with connect(db) as con, sql.transaction(con):
        now = datetime.now(UTC)
        write_unmuted(con, routes, run_id=run_id, now=now)
        write_reminders(con, routes, run_id=run_id, now=now)
        waiting = count_waiting(con, names)
    deliveries = [Delivery(name, "unset", waiting.get(name, 0)) for name in unset]
    if any(name not in unset for name in waiting):
        deliveries += _send_digests(db, [name for name in names if name not in unset], context)
    for delivery in deliveries:
        log.log(logging.INFO if delivery.status == "sent" else logging.WARNING, "%s", delivery.note)
    return deliveries


def next_attempt(n_failed: int, now: datetime) -> datetime:
    """Return when a message that failed so often may be tried again: the next runs, then after 5 minutes to a day.

    >>> start = datetime(2026, 3, 1)
    >>> [str(next_attempt(n, start) - start) for n in (1, 3, 4, 5, 9, 50)]
    ['0:00:00', '0:00:00', '0:05:00', '0:10:00', '2:40:00', '1 day, 0:00:00']
    """
    if n_failed <= MAX_FREE_ATTEMPTS:
        return now
    n_doublings = min(n_failed - MAX_FREE_ATTEMPTS - 1, 20)
    return now + min(FIRST_PAUSE * (1 << n_doublings), LONGEST_PAUSE)


def _send_digests(db: Path, names: Sequence[str], context: MessageContext) -> list[Delivery]:
    with sending_lock(db, wait_seconds=LOCK_SECONDS) as is_held:
        if not is_held:
            with connect(db, read_only=True) as con:
                return [Delivery(name, "busy", n_messages) for name, n_messages in count_waiting(con, names).items()]
        with connect(db) as con, sql.transaction(con):
            now = datetime.now(UTC)
            digests, alerts = take_digests(con, names, now=now)
            paused = count_paused(con, names, now=now)
        deliveries = [Delivery(name, "paused", n_messages) for name, n_messages in paused.items()]
        for digest in digests:
            if any(earlier.channel == digest.channel and earlier.status == "failed" for earlier in deliveries):
                continue
            deliveries.append(_send(db, digest, alerts, context))
        return deliveries


def _send(db: Path, digest: Digest, alerts: Sequence[IncidentAlert], context: MessageContext) -> Delivery:
    """Send one digest, and mark what became of it."""
    now = datetime.now(UTC)
    n_messages = len(digest.messages)
    try:
        channels.deliver(
            digest.channel,
            compose(digest, alerts, context, now=now),
            digest_id=digest.digest_id,
            message_ids=[message.message_id for message in digest.messages],
            alert_ids=[alert_id for message in digest.messages for alert_id in message.alert_ids],
        )
    except ChannelError as error:
        n_failed = 1 + max(message.n_attempts for message in digest.messages)
        with connect(db) as con, sql.transaction(con):
            mark_failed(
                con,
                digest,
                error=str(error),
                next_attempt_at=next_attempt(n_failed, now),
                refused=error.refused,
            )
        return Delivery(digest.channel, "failed", n_messages, str(error))
    with connect(db) as con, sql.transaction(con):
        mark_sent(con, digest.digest_id, now=datetime.now(UTC))
    return Delivery(digest.channel, "sent", n_messages)
