"""The outbox: who is told what, digests, back-off, reminders."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pytest

from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.messages import (
    Digest,
    MessageRoute,
    count_waiting,
    mark_failed,
    mark_sent,
    take_digests,
    write_messages,
    write_reminders,
)

Con = duckdb.DuckDBPyConnection
TEAM, BOSS = MessageRoute("TEAM"), MessageRoute("BOSS", severities=("critical",))


def change(alert_id: str = "a1", incident_id: str = "i1", **fields: Any) -> AlertChange:
    defaults = {"question": "tone", "kind": "rater", "subject": "r3", "severity": "warning", "owner": None}
    return AlertChange(**{"alert_id": alert_id, "incident_id": incident_id, "event": "opened", **defaults, **fields})


def open_alert(con: Con, now: datetime, *changes: AlertChange) -> None:
    for each in changes:
        con.execute(
            "insert into alerts by name select $alert_id as alert_id, $incident_id as incident_id,"
            " $question as question, $kind as kind, $subject as subject, $severity as severity, $owner as owner,"
            " $now as opened_at",
            {**{name: value for name, value in vars(each).items() if name != "event"}, "now": now},
        )


def write(con: Con, now: datetime, *changes: AlertChange, routes: tuple[MessageRoute, ...] = (TEAM,)) -> None:
    with sql.transaction(con):
        write_messages(con, changes, routes, run_id="run", now=now)


def take(con: Con, now: datetime, *channels: str) -> list[Digest]:
    with sql.transaction(con):
        return take_digests(con, channels or ("TEAM",), now=now)[0]


def stored(con: Con) -> list[tuple[Any, ...]]:
    return con.sql("select channel, incident_id, event, alert_ids from messages order by all").fetchall()


@pytest.mark.parametrize(
    ("route", "accepted"),
    [
        ({}, True),
        ({"questions": ("tone",)}, True),
        ({"questions": ("t*",)}, True),
        ({"questions": ("other", "x*")}, False),
        ({"kinds": ("rater*", "system")}, True),
        ({"kinds": ("agreement",)}, False),
        ({"severities": ("warning", "critical")}, True),
        ({"severities": ("critical",)}, False),
        ({"owners": ("ann",)}, False),
        ({"events": ("closed",)}, False),
        ({"events": ("opened", "closed")}, True),
        ({"questions": ("tone",), "kinds": ("system",)}, False),
    ],
)
def test_a_route_accepts_what_all_of_its_filters_accept(route: dict[str, Any], accepted: bool) -> None:
    assert MessageRoute("TEAM", **route).accepts(change()) is accepted


def test_a_question_whose_name_looks_like_a_pattern_is_found_by_its_name() -> None:
    assert MessageRoute("TEAM", questions=("tone [de]",)).accepts(change(question="tone [de]"))


def test_one_message_per_incident_event_and_channel(con: Con, now: datetime) -> None:
    changes = (
        change("a1", kind="agreement", subject=None, severity="critical"),
        change("a2"),
        change("a3", "i2"),
        change("a0", event="closed"),
    )
    write(con, now, *changes, routes=(TEAM, BOSS, MessageRoute("TEAM", kinds=("rater",))))
    assert stored(con) == [
        ("BOSS", "i1", "opened", ["a1", "a2"]),
        ("TEAM", "i1", "closed", ["a0"]),
        ("TEAM", "i1", "opened", ["a1", "a2"]),
        ("TEAM", "i2", "opened", ["a3"]),
    ]
    assert con.sql("select distinct question, run_id, n_attempts, sent_at from messages").fetchall() == [
        ("tone", "run", 0, None)
    ]


def test_without_routes_or_changes_nothing_is_written(con: Con, now: datetime) -> None:
    write(con, now, change(), routes=())
    write(con, now)
    assert stored(con) == []


def test_a_message_is_not_written_if_its_transaction_fails(con: Con, now: datetime) -> None:
    con.execute("begin")
    write_messages(con, [change()], [TEAM], run_id=None, now=now)
    con.execute("rollback")
    assert stored(con) == []


def test_a_digest_holds_all_that_waits_for_a_channel_and_its_id_is_stored(con: Con, now: datetime) -> None:
    write(con, now, change(), change("a2", "i2", severity="critical"), routes=(TEAM, BOSS))
    digests = take(con, now, "TEAM", "BOSS", "NEVER")
    assert [(digest.channel, len(digest.messages)) for digest in digests] == [("BOSS", 1), ("TEAM", 2)]
    assert con.sql("select distinct channel, digest_id from messages order by channel").fetchall() == [
        (digest.channel, digest.digest_id) for digest in digests
    ]
    assert count_waiting(con, ["TEAM", "NEVER"]) == {"TEAM": 2}


def test_what_was_taken_but_not_marked_is_the_same_digest_again_and_new_messages_are_another(
    con: Con, now: datetime
) -> None:
    write(con, now, change())
    first = take(con, now)
    write(con, now + timedelta(hours=1), change("a2", "i2"))
    again = take(con, now + timedelta(hours=1))
    assert again[0] == replace(first[0], is_repeat=True)
    assert [message.alert_ids for message in again[1].messages] == [("a2",)]
    assert again[1].digest_id != first[0].digest_id


def test_what_was_sent_is_not_sent_again(con: Con, now: datetime) -> None:
    write(con, now, change())
    (digest,) = take(con, now)
    mark_sent(con, digest.digest_id, now=now)
    assert take(con, now + timedelta(days=400)) == []
    assert con.sql("select n_attempts, next_attempt_at, sent_at, error from messages").fetchall() == [
        (1, None, now, None)
    ]


def test_a_channel_waits_for_its_next_attempt_and_then_sends_all(con: Con, now: datetime) -> None:
    write(con, now, change())
    (digest,) = take(con, now)
    later = now + timedelta(hours=2)
    mark_failed(con, digest, error="HTTP 500", next_attempt_at=later, refused=True)
    assert take(con, now + timedelta(hours=1)) == []
    write(con, now + timedelta(hours=1), change("a2", "i2"))
    (both,) = take(con, now + timedelta(hours=1))
    assert len(both.messages) == 2
    assert sorted(message.n_attempts for message in both.messages) == [0, 1]


def test_a_channel_does_not_wait_for_a_time_of_a_clock_that_was_ahead(con: Con, now: datetime) -> None:
    write(con, now, change())
    (digest,) = take(con, now)
    mark_failed(con, digest, error="HTTP 500", next_attempt_at=now + timedelta(days=1), refused=True)
    assert take(con, now) == []
    assert len(take(con, now - timedelta(hours=1))) == 1


def test_a_digest_that_may_have_arrived_stays_the_same(con: Con, now: datetime) -> None:
    write(con, now, change())
    (digest,) = take(con, now)
    mark_failed(con, digest, error="no answer", next_attempt_at=now, refused=False)
    (again,) = take(con, now)
    assert again.digest_id == digest.digest_id
    assert again.messages[0].n_attempts == 1


def test_a_digest_that_may_have_arrived_stays_the_same_even_if_it_is_refused_later(con: Con, now: datetime) -> None:
    write(con, now, change())
    take(con, now)  # killed here: nobody knows
    (repeat,) = take(con, now)
    mark_failed(con, repeat, error="HTTP 503", next_attempt_at=now, refused=True)
    assert take(con, now)[0].digest_id == repeat.digest_id


def test_the_alerts_of_the_incidents_come_with_the_digests(con: Con, now: datetime) -> None:
    open_alert(con, now, change("a1"), change("a2", kind="agreement", subject=None), change("a3", "other"))
    write(con, now, change("a1"))
    with sql.transaction(con):
        _, alerts = take_digests(con, ["TEAM"], now=now)
    assert [(alert.alert_id, alert.kind, alert.subject) for alert in alerts] == [
        ("a2", "agreement", None), ("a1", "rater", "r3")]  # fmt: skip


def remind(con: Con, now: datetime, *routes: MessageRoute) -> None:
    with sql.transaction(con):
        write_reminders(con, routes, run_id="run", now=now)


def test_an_open_alert_is_told_again_after_the_days_of_its_route(con: Con, now: datetime) -> None:
    weekly = MessageRoute("TEAM", reminder_days=7)
    open_alert(con, now, change())
    write(con, now, change())
    remind(con, now + timedelta(days=8), weekly, TEAM)
    assert [row[2] for row in stored(con)] == ["opened"], "the first message still waits"
    mark_sent(con, take(con, now)[0].digest_id, now=now + timedelta(days=1))
    remind(con, now + timedelta(days=7), weekly, TEAM)
    assert [row[2] for row in stored(con)] == ["opened"]
    remind(con, now + timedelta(days=8), weekly, weekly, TEAM)
    remind(con, now + timedelta(days=30), weekly)
    assert [row[2] for row in stored(con)] == ["opened", "reminder"]


def test_a_closed_an_acknowledged_and_an_unwanted_alert_are_not_told_again(con: Con, now: datetime) -> None:
    open_alert(con, now, change("closed", "i1"), change("seen", "i2"), change("other", "i3", kind="system"))
    con.execute("update alerts set closed_at = opened_at where alert_id = 'closed'")
    con.execute("update alerts set acknowledged_at = opened_at where alert_id = 'seen'")
    remind(con, now + timedelta(days=9), MessageRoute("TEAM", kinds=("rater",), reminder_days=7))
    assert stored(con) == []
    remind(con, now + timedelta(days=9), MessageRoute("TEAM", events=("closed",), reminder_days=7))
    assert stored(con) == [("TEAM", "i3", "reminder", ["other"])]


def test_the_charts_of_an_incident_are_those_of_its_alerts(con: Con, now: datetime) -> None:
    con.execute(
        "insert into internal.questions by name"
        " select unnest([1, 2]) as question_id, unnest(['tone', 'other']) as question, 1 as revision"
    )
    for question, chart, subject, label in (
        (1, "rater", "r3", None), (1, "rater", "r1", None), (1, "labels", "x", "x"), (1, "labels", "y", "y"),
        (1, "agreement", None, None), (2, "rater", "r3", None),
    ):  # fmt: skip
        con.execute(
            "insert into internal.chart_points values ($1, $2, $3, $4, '2026-03-01', 20, 0, -1, 1, 0, 1000, false)",
            [question, chart, subject, label],
        )
    open_alert(con, now, change("a1"), change("a2", kind="labels", subject="x"), change("a3", "i2", kind="agreement"))
    rows = con.sql("select question, chart, subject from incident_charts('i1')").fetchall()
    assert rows == [("tone", "labels", "x"), ("tone", "labels", "y"), ("tone", "rater", "r3")]
