"""Sending: digests, failures, back-off, repeats, two runs at once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tasks.notify import channels, send_messages
from tasks.notify.delivery import Delivery
from tasks.notify.sending_lock import sending_lock
from tests.conftest import free_port
from tests.tasks.notify.outbox import TEAM, context, messages, open_alert_in
from tests.tasks.notify.webhook import Webhook
from warehouse.alerting.messages import MessageRoute
from warehouse.connect import connect

NAME = TEAM.channel
OTHER = MessageRoute("OTHER_URL")


def send(db: Path, *routes: MessageRoute) -> list[Delivery]:
    return send_messages.send_messages(db, routes or (TEAM,), context(db.parent), run_id="run")


@pytest.fixture
def team(receiver: Webhook, monkeypatch: pytest.MonkeyPatch) -> Webhook:
    """The receiver, whose address is in the environment."""
    monkeypatch.setenv(NAME, receiver.url("T0psecret"))
    return receiver


def test_one_digest_names_every_question_and_subject(db: Path, team: Webhook) -> None:
    open_alert_in(db)
    open_alert_in(db, question="topic", kind="system", subject="gpt")
    (delivery,) = send(db)
    assert delivery == Delivery(NAME, "sent", 2)
    assert delivery.note == "1 message sent to KAPPAFLOW_NOTIFY_URL, which tells of 2 alerts."
    (body,) = team.bodies
    assert all(name in body["message"] for name in ("tone", "r3", "topic", "gpt", str(db.parent / "report.html")))
    assert messages(db, "n_attempts, next_attempt_at, error") == [(1, None, None)] * 2
    assert sorted(body["message_ids"]) == sorted(str(row[0]) for row in messages(db, "message_id"))
    assert team.headers[0]["X-Idempotency-Key"] == body["digest_id"] == str(messages(db, "digest_id")[0][0])


def test_what_was_sent_is_not_sent_again_and_nothing_is_said_of_nothing(db: Path, team: Webhook) -> None:
    assert send(db) == []
    open_alert_in(db)
    assert send(db)[0].note == "1 message sent to KAPPAFLOW_NOTIFY_URL."
    assert send(db) == []
    assert len(team.bodies) == 1


def test_a_failure_is_said_and_stored_and_the_next_run_sends_all(db: Path, team: Webhook) -> None:
    open_alert_in(db)
    team.answers.append(500)
    (failed,) = send(db)
    assert failed.note == (
        "1 message could not be sent to KAPPAFLOW_NOTIFY_URL: the service answered with HTTP 500 (Internal Server "
        "Error). 1 alert waits for a later run."
    )
    assert failed.to_json() == {
        "channel": NAME, "status": "failed", "n_messages": 1,
        "error": "the service answered with HTTP 500 (Internal Server Error)",
    }  # fmt: skip
    assert messages(db, "n_attempts, error, sent_at, digest_id") == [(1, failed.error, None, None)]
    open_alert_in(db, subject="r4")
    assert send(db) == [Delivery(NAME, "sent", 2)]
    assert len(team.bodies) == 1
    assert messages(db, "n_attempts, error") == [(2, None), (1, None)]


def test_nothing_of_the_url_is_stored(db: Path, team: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    open_alert_in(db)
    monkeypatch.setenv(NAME, f"json://user:T0psecret@127.0.0.1:{free_port()}/T0psecret")
    assert "T0psecret" not in str(send(db))
    assert messages(db, "error") == [("no connection to the service",)]
    assert b"T0psecret" not in db.read_bytes()


def test_after_three_failures_a_channel_is_left_in_peace_for_minutes_and_then_hours(db: Path, team: Webhook) -> None:
    open_alert_in(db)
    team.answers += [503] * 4
    pauses = []
    for _ in range(4):
        before = datetime.now(UTC)
        send(db)
        pauses.append(messages(db, "next_attempt_at")[0][0] - before)
    assert all(pause < timedelta(minutes=1) for pause in pauses[:3])
    assert pauses[3] >= timedelta(minutes=5)
    open_alert_in(db, subject="r4")
    with connect(db) as con:
        con.execute("update messages set next_attempt_at = (select max(next_attempt_at) from messages)")
    (paused,) = send(db)
    assert paused.note == (
        "Nothing was sent to KAPPAFLOW_NOTIFY_URL: it failed several times, and is tried again later. 2 alerts wait for"
        " a later run."
    )
    assert paused.to_json() == {"channel": NAME, "status": "paused", "n_messages": 2, "error": None}
    assert messages(db, "n_attempts") == [(4,), (0,)]


def test_a_variable_that_is_not_set_is_said_and_loses_nothing(
    db: Path, team: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = team.url()
    monkeypatch.delenv(NAME)
    assert [delivery.note for delivery in send(db)] == [
        "Nothing can be sent to KAPPAFLOW_NOTIFY_URL: this environment variable is not set."
    ]
    open_alert_in(db)
    assert [delivery.note for delivery in send(db)] == [
        "Nothing can be sent to KAPPAFLOW_NOTIFY_URL: this environment variable is not set."
        " 1 alert waits for a later run."
    ]
    assert messages(db, "n_attempts") == [(0,)]
    monkeypatch.setenv(NAME, url)
    assert send(db) == [Delivery(NAME, "sent", 1)]


def test_a_channel_that_fails_does_not_hold_up_another(
    db: Path, team: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OTHER.channel, f"json://127.0.0.1:{free_port()}")
    open_alert_in(db, routes=(OTHER, TEAM))
    assert sorted((delivery.channel, delivery.status) for delivery in send(db, OTHER, TEAM)) == [
        (NAME, "sent"), (OTHER.channel, "failed")]  # fmt: skip


def test_a_channel_that_the_settings_no_longer_name_gets_nothing(db: Path, team: Webhook) -> None:
    open_alert_in(db)
    assert send(db, OTHER)[0].status == "unset"
    assert team.bodies == []


def test_what_may_have_arrived_is_sent_as_the_same_digest_before_anything_new(
    db: Path, team: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*arguments: object, **options: object) -> None:
        raise Killed

    open_alert_in(db)
    with monkeypatch.context() as broken:
        broken.setattr(send_messages, "mark_sent", killed)
        with pytest.raises(Killed):
            send(db)
    open_alert_in(db, subject="r4")
    assert [delivery.n_messages for delivery in send(db)] == [1, 1]
    first, again, new = team.bodies
    assert (first["digest_id"], first["message_ids"]) == (again["digest_id"], again["message_ids"])
    assert set(new["message_ids"]).isdisjoint(first["message_ids"])
    assert len(team.delivered()) == 3


def test_after_a_failure_the_other_digests_of_the_channel_wait(
    db: Path, team: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_alert_in(db)
    team.answers += [504, 504]
    send(db)
    open_alert_in(db, subject="r4")
    assert [(delivery.status, delivery.n_messages) for delivery in send(db)] == [("failed", 1)]
    assert [delivery.status for delivery in send(db)] == ["sent", "sent"]


def test_the_warehouse_is_free_while_a_digest_is_sent(db: Path, team: Webhook) -> None:
    open_alert_in(db)
    seen = []

    def look() -> None:
        with connect(db, wait_seconds=0.5) as con:
            seen.append(con.sql("select count(*) from messages where sent_at is null").fetchall())

    team.on_request = look
    send(db)
    assert seen == [[(1,)]]


def test_a_run_leaves_the_messages_to_another_run_that_is_sending(
    db: Path, team: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_messages, "LOCK_SECONDS", 0.2)
    open_alert_in(db)
    with sending_lock(db, wait_seconds=0) as is_held:
        assert is_held
        (delivery,) = send(db)
    assert delivery.note == (
        "Nothing was sent to KAPPAFLOW_NOTIFY_URL: another run is sending. 1 alert waits for a later run."
    )
    assert team.bodies == []
    assert [delivery.status for delivery in send(db)] == ["sent"]


def test_a_reminder_is_sent_when_its_days_are_over(db: Path, team: Webhook) -> None:
    weekly = MessageRoute(NAME, reminder_days=7)
    open_alert_in(db, now=datetime.now(UTC) - timedelta(days=8))
    send(db, weekly)
    assert send(db, weekly) == []
    with connect(db) as con:
        con.execute("update messages set sent_at = sent_at - interval 7 day")
    send(db, weekly)
    assert [body["title"] for body in team.bodies] == [
        "Support: Alert opened in tone: annotator r3", "Support: Alert still open in tone: annotator r3"]  # fmt: skip


def test_a_url_without_a_service_is_said(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "T0psecret")
    open_alert_in(db)
    assert [delivery.error for delivery in send(db)] == [f"the variable {NAME} holds no URL that Apprise can use"]
    assert channels.is_set(NAME)
