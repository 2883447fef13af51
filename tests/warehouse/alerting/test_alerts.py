"""Alerts of one question are stored without a change of those of another, or of another kind."""

from datetime import date, datetime, timedelta
from typing import Any

import duckdb
import polars as pl

from warehouse.alerting.alert_actions import close_alerts
from warehouse.alerting.alert_matching import ChartAlert
from warehouse.alerting.alerts import sync_alerts, sync_chart_alerts

Con = duckdb.DuckDBPyConnection
HOUR = timedelta(hours=1)
RULE = {"severity": "warning", "evidence": "e", "detail": "d"}


def sync(con: Con, question: str, now: datetime, *kinds: str, **more: str) -> None:
    """Make these the open alerts of the rules of a question, each of the subjects None and ann."""
    rows = [
        {"kind": kind, "subject": subject, **RULE, **more, "detail": f"of {subject}"}
        for kind in kinds
        for subject in (None, "ann")
    ]
    schema = dict.fromkeys(("kind", "subject", "severity", "evidence", "detail"), pl.String)
    sync_alerts(con, question=question, open_alerts=pl.DataFrame(rows, schema=schema), now=now)


def alarm(subject: str, closed_because: str | None = None) -> ChartAlert:
    return ChartAlert(
        kind="rater", subject=subject, severity="warning", changed_on=date(2026, 2, 10),
        changed_low=date(2026, 2, 9), changed_high=date(2026, 2, 12), detected_on=date(2026, 2, 20), before=0.8,
        after=0.6, n_items=40, evidence="e", detail="d", incident=0, closed_because=closed_because,
    )  # fmt: skip


def rows(con: Con, columns: str) -> list[Any]:
    return con.execute(f"select {columns} from alerts order by question, kind, subject nulls first").fetchall()


def test_a_rule_that_is_met_again_closes_its_alerts_of_this_question_only(con: Con, now: datetime) -> None:
    sync(con, "mood", now, "low")
    sync(con, "tone", now, "late", "low")
    sync_chart_alerts(con, question="tone", alarms=[alarm("ann")], now=now)
    sync(con, "tone", now + HOUR, "late", evidence="more", severity="critical")
    details = rows(con, "subject, detail")
    assert details == [(None, "of None"), ("ann", "of ann")] * 3 + [("ann", "d")]
    assert rows(con, "question, kind, subject, severity, evidence, closed_at, closed_because") == [
        ("mood", "low", None, "warning", "e", None, None),
        ("mood", "low", "ann", "warning", "e", None, None),
        ("tone", "late", None, "critical", "more", None, None),
        ("tone", "late", "ann", "critical", "more", None, None),
        ("tone", "low", None, "warning", "e", now + HOUR, "recovered"),
        ("tone", "low", "ann", "warning", "e", now + HOUR, "recovered"),
        ("tone", "rater", "ann", "warning", "e", None, None),
    ]


def test_what_a_person_closed_is_over_only_where_its_own_rule_is_met(con: Con, now: datetime) -> None:
    sync(con, "mood", now, "low")
    sync(con, "tone", now, "late", "low")
    sync_chart_alerts(con, question="tone", alarms=[alarm("ann")], now=now)
    ids = [alert_id for (alert_id,) in rows(con, "alert_id")]
    close_alerts(con, ids, by="eve", now=now + HOUR)
    for hours in (2, 3):
        sync(con, "tone", now + hours * HOUR, "late")
    over = now + 2 * HOUR  # not later: it is noted once
    assert rows(con, "question, kind, recovered_at") == [
        ("mood", "low", None), ("mood", "low", None), ("tone", "late", None), ("tone", "late", None),
        ("tone", "low", over), ("tone", "low", over), ("tone", "rater", None),
    ]  # fmt: skip


def test_a_rule_whose_alert_recovered_by_itself_needs_no_note(con: Con, now: datetime) -> None:
    sync(con, "tone", now, "low")
    for hours in (1, 2):
        sync(con, "tone", now + hours * HOUR)
    assert set(rows(con, "closed_at, recovered_at")) == {(now + HOUR, None)}
    sync(con, "tone", now + 3 * HOUR, "low")
    assert len(rows(con, "1")) == 4


def test_an_alarm_that_is_over_closes_its_own_alert(con: Con, now: datetime) -> None:
    sync(con, "tone", now, "low")
    sync_chart_alerts(con, question="mood", alarms=[alarm("r1")], now=now)
    sync_chart_alerts(con, question="tone", alarms=[alarm("r1"), alarm("r2"), alarm("r3", "recovered")], now=now)
    sync_chart_alerts(con, question="tone", alarms=[alarm("r1"), alarm("r2", "recovered")], now=now + HOUR)
    assert rows(con, "question, kind, subject, closed_at, closed_because") == [
        ("mood", "rater", "r1", None, None),
        ("tone", "low", None, None, None),
        ("tone", "low", "ann", None, None),
        ("tone", "rater", "r1", None, None),
        ("tone", "rater", "r2", now + HOUR, "recovered"),
        ("tone", "rater", "r3", now, "recovered"),
    ]
