"""What people do about alerts, and what runs make of it afterwards."""

from datetime import datetime, timedelta
from typing import Any

import duckdb
import polars as pl
import pytest

from warehouse import sql
from warehouse.alerting.alert_actions import (
    accept_alerts,
    acknowledge_alerts,
    close_alerts,
    list_alerts,
    matching_alerts,
    mute_alerts,
)
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alert_mutes import BY_SETTINGS, AlertMute, mute_by_settings
from warehouse.alerting.alerts import sync_alerts
from warehouse.alerting.messages import MessageRoute, take_digests, write_messages, write_reminders, write_unmuted
from warehouse.charts import read_progress

Con = duckdb.DuckDBPyConnection
TEAM = MessageRoute("TEAM")
HOUR = timedelta(hours=1)


def open_rule(con: Con, now: datetime, *kinds: str) -> list[AlertChange]:
    """Make these the open alerts of the rules of the question, and return what changed."""
    changes: list[AlertChange] = []

    def tell(told: Any) -> None:
        changes.extend(told)
        write_messages(con, told, [TEAM], run_id="run", now=now)

    rows = [{"kind": kind, "severity": "warning", "evidence": "e", "detail": "d"} for kind in kinds]
    schema = dict.fromkeys(("kind", "severity", "evidence", "detail"), pl.String)
    sync_alerts(con, question="tone", open_alerts=pl.DataFrame(rows, schema=schema), now=now, tell=tell)
    return changes


def open_chart(con: Con, now: datetime, alert_id: str, incident_id: str, subject: str = "r3") -> None:
    con.execute(
        "insert into alerts (alert_id, incident_id, question, kind, subject, severity, opened_at, changed_on)"
        " values (?, ?, 'tone', 'rater', ?, 'warning', ?, '2026-02-16')",
        [alert_id, incident_id, subject, now],
    )


def states(con: Con) -> list[Any]:
    return con.sql("select kind, state from alert_states order by opened_at, kind").fetchall()


def told(con: Con, now: datetime) -> list[tuple[str, int]]:
    """The event and the number of alerts of each message that is sent now."""
    with sql.transaction(con):
        digests, _ = take_digests(con, ["TEAM"], now=now)
    return [(message.event, len(message.alert_ids)) for digest in digests for message in digest.messages]


def test_whoever_took_note_first_stays_and_the_alert_stays_open(con: Con, now: datetime) -> None:
    (change,) = open_rule(con, now, "low")
    acknowledge_alerts(con, [change.alert_id], by="ann", now=now)
    acknowledge_alerts(con, [change.alert_id], by="bob", now=now + HOUR)
    (row,) = list_alerts(con).to_dicts()
    assert (row["state"], row["acknowledged_by"], row["acknowledged_at"]) == ("acknowledged", "ann", now)
    assert open_rule(con, now + HOUR, "low") == []
    assert states(con) == [("low", "acknowledged")]


def test_closed_goes_before_muted_and_muted_before_acknowledged(con: Con, now: datetime) -> None:
    open_rule(con, now, "low")
    con.execute("update alerts set acknowledged_at = now(), muted_until = now() + interval 1 hour")
    assert states(con) == [("low", "muted")]
    con.execute("update alerts set muted_until = now() - interval 1 hour")
    assert states(con) == [("low", "acknowledged")]
    con.execute("update alerts set muted_until = now() + interval 1 hour, closed_at = now()")
    assert states(con) == [("low", "closed")]
    con.execute("update alerts set acknowledged_at = null, muted_until = null, closed_at = null")
    assert states(con) == [("low", "open")]


def test_what_a_person_closed_opens_again_only_after_it_was_over(con: Con, now: datetime) -> None:
    (change,) = open_rule(con, now, "low")
    close_alerts(con, [change.alert_id], by="ann", because="recovered", now=now + HOUR)
    assert open_rule(con, now + 2 * HOUR, "low") == []
    assert open_rule(con, now + 3 * HOUR) == []
    assert [change.event for change in open_rule(con, now + 4 * HOUR, "low")] == ["opened"]
    assert con.sql("select closed_by, closed_because, recovered_at from alerts order by opened_at").fetchall() == [
        ("ann", "recovered", now + 3 * HOUR),
        (None, None, None),
    ]


@pytest.mark.parametrize("because", [None, "'recovered by a new guideline'"])
def test_an_alert_that_was_closed_by_sql_alone_counts_as_closed_by_a_person(
    con: Con, now: datetime, because: str | None
) -> None:
    open_rule(con, now, "low")
    con.execute(f"update alerts set closed_at = now(), closed_because = {because or 'null'}")
    assert open_rule(con, now + HOUR, "low") == []


def test_closing_writes_its_message_with_it(con: Con, now: datetime) -> None:
    (change,) = open_rule(con, now, "low")
    messages: list[AlertChange] = []
    close_alerts(con, [change.alert_id], by="ann", now=now, tell=messages.extend)
    assert [(each.alert_id, each.event) for each in messages] == [(change.alert_id, "closed")]
    with pytest.raises(ZeroDivisionError):
        close_alerts(con, [open_rule(con, now, "other")[0].alert_id], by="ann", now=now, tell=lambda _: 1 / 0)  # type: ignore[arg-type, return-value]
    assert ("other", "open") in states(con)


def test_an_accepted_change_is_kept_with_who_and_when(con: Con, now: datetime) -> None:
    open_chart(con, now, "a1", "i1")
    accept_alerts(con, ["a1"], by="ann", now=now + HOUR)
    accepted = read_progress(con, ["tone"])["tone"].accepted
    assert accepted.rows() == [("rater", "r3", datetime(2026, 2, 16).date())]
    assert con.sql("select accepted_by, accepted_at, alert_id from accepted_changes").fetchall() == [
        ("ann", now + HOUR, "a1")
    ]
    (row,) = list_alerts(con, only_open=False).to_dicts()
    assert (row["state"], row["closed_because"], row["closed_by"]) == ("closed", "accepted", "ann")


def test_filters_accept_what_they_name(con: Con, now: datetime) -> None:
    open_rule(con, now, "low")
    open_chart(con, now, "a1", "i1")
    open_chart(con, now, "a2", "i1", "r4")
    close_alerts(con, ["a2"], by="ann", now=now)
    assert list_alerts(con).height == 2
    assert list_alerts(con, only_open=False).height == 3
    assert list_alerts(con, kind="rater", only_open=False)["subject"].sort().to_list() == ["r3", "r4"]
    assert list_alerts(con, question="other").is_empty()
    assert list_alerts(con, severity="critical").is_empty()
    assert matching_alerts(con, "i1")["alert_id"].sort().to_list() == ["a1", "a2"]


def test_alerts_are_listed_in_the_order_of_status_and_closed_ones_last(con: Con, now: datetime) -> None:
    alerts = (("old", "critical", 0), ("new", "warning", 5), ("shut", "critical", 9), ("mid", "warning", 3))
    for name, severity, hours in alerts:
        open_chart(con, now + hours * HOUR, name, name, name)
        con.execute("update alerts set severity = ? where alert_id = ?", [severity, name])
    close_alerts(con, ["shut"], by="ann", now=now + 10 * HOUR)
    assert list_alerts(con, only_open=False)["alert_id"].to_list() == ["old", "new", "mid", "shut"]
    of_status = [row["alert_id"] for row in sql.named_rows(con, "status/open_alerts")]
    assert list_alerts(con)["alert_id"].to_list() == of_status


def test_a_muted_alert_is_shown_and_told_when_its_mute_ends(con: Con, now: datetime) -> None:
    mutes = [AlertMute(now + 2 * HOUR, question="t*", kind="low")]
    with sql.transaction(con):
        mute_by_settings(con, mutes, now=now)
    (change,) = open_rule_muted(con, now, mutes)
    con.execute("update alerts set muted_until = now() + interval 1 hour")
    assert states(con) == [("low", "muted")]
    con.execute("update alerts set muted_until = $until", {"until": now + 2 * HOUR})
    late = MessageRoute("TEAM", reminder_days=0.01)
    for hours, messages in ((0, []), (1, []), (2, [("opened", 1)])):
        at = now + hours * HOUR
        with sql.transaction(con):
            write_unmuted(con, [TEAM], run_id="run", now=at)
            if hours < 2:
                write_reminders(con, [late], run_id="run", now=at)
        assert told(con, at) == messages
    with sql.transaction(con):
        write_unmuted(con, [TEAM], run_id="run", now=now + 3 * HOUR)
    assert told(con, now + 3 * HOUR) == [("opened", 1)]  # the same one, which was not marked as sent
    assert con.sql("select count(*) from messages").fetchall() == [(1,)]
    assert change.kind == "low"


def open_rule_muted(con: Con, now: datetime, mutes: list[AlertMute]) -> list[AlertChange]:
    changes: list[AlertChange] = []

    def tell(told: Any) -> None:
        changes.extend(told)
        mute_by_settings(con, mutes, now=now)
        write_messages(con, told, [TEAM], run_id="run", now=now)

    row = {"kind": "low", "severity": "warning", "evidence": "e", "detail": "d"}
    sync_alerts(con, question="tone", open_alerts=pl.DataFrame([row]), now=now, tell=tell)
    return changes


def test_a_message_that_waits_is_held_while_its_alert_is_muted(con: Con, now: datetime) -> None:
    (change,) = open_rule(con, now, "low")
    mute_alerts(con, [change.alert_id], by="ann", until=now + 2 * HOUR)
    assert told(con, now + HOUR) == []
    assert told(con, now + 3 * HOUR) == [("opened", 1)]


def test_settings_mute_and_unmute_but_not_what_a_person_muted(con: Con, now: datetime) -> None:
    open_chart(con, now, "a1", "i1", "r3")
    open_chart(con, now, "a2", "i2", "r[4]")
    mute_alerts(con, ["a2"], by="ann", until=now + HOUR)
    until = now + 5 * HOUR

    def muted(*mutes: AlertMute) -> list[Any]:
        with sql.transaction(con):
            mute_by_settings(con, mutes, now=now)
        return con.sql("select muted_by, muted_until from alerts order by alert_id").fetchall()

    by_ann = ("ann", now + HOUR)
    assert muted(AlertMute(until, subject="r4")) == [(None, None), by_ann]
    assert muted(AlertMute(until, kind="rater*"), AlertMute(now + HOUR)) == [(BY_SETTINGS, until), by_ann]
    assert muted() == [(BY_SETTINGS, now), by_ann]
    con.execute("update alerts set muted_by = null, muted_until = null")
    assert muted(AlertMute(until, subject="r[4]")) == [(None, None), (BY_SETTINGS, until)]
