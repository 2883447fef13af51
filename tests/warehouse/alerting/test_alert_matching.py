"""Alarms of recomputed charts beside the alerts that were stored before: which are new, and which are over."""

from datetime import date
from typing import Any

import pytest

from warehouse.alerting.alert_matching import ChartAlert, StoredAlert, match_alerts

OPEN = None


def february(day: int) -> date:
    return date(2026, 2, day)


def span(low: int, on: int, high: int, result: int) -> dict[str, date]:
    return {
        "changed_low": february(low), "changed_on": february(on), "changed_high": february(high),
        "detected_on": february(result),
    }  # fmt: skip


def alarm(low: int, on: int, high: int, **more: Any) -> ChartAlert:
    usual: dict[str, Any] = {
        "kind": "rater", "subject": "r3", "severity": "warning", "before": 0.8, "after": 0.6, "n_items": 40,
        "evidence": "e", "detail": "d", "incident": 0,
    }  # fmt: skip
    return ChartAlert(**usual | span(low, on, high, 20) | more)


def stored(alert_id: str, low: int, on: int, high: int, closed_because: str | None = OPEN, **more: Any) -> StoredAlert:
    usual: dict[str, Any] = {
        "alert_id": alert_id, "incident_id": f"of {alert_id}", "kind": "rater", "subject": "r3",
        "severity": "warning", "owner": None, "closed_because": closed_because,
    }  # fmt: skip
    return StoredAlert(**usual | span(low, on, high, 20) | more)


@pytest.mark.parametrize(
    ("closed_because", "alarm_is", "n_opened", "closed"),
    [
        (OPEN, OPEN, 0, []),
        (OPEN, "recovered", 0, [("a", "recovered")]),
        (OPEN, "replaced", 0, [("a", "replaced")]),
        ("closed", OPEN, 0, []),  # by a person: the same alarm does not open it again
        ("closed", "recovered", 0, []),
        ("recovered", "recovered", 0, []),
        ("recovered", OPEN, 1, []),  # corrected data show that it goes on
        ("revised", OPEN, 1, []),
        ("replaced", OPEN, 1, []),
    ],
)
def test_an_alarm_that_has_an_alert_already(
    closed_because: str | None, alarm_is: str | None, n_opened: int, closed: list[tuple[str, str]]
) -> None:
    decisions = match_alerts([stored("a", 8, 10, 12, closed_because)], [alarm(9, 10, 13, closed_because=alarm_is)])
    assert len(decisions.opened) == n_opened
    assert all(incident != "of a" for _, incident, _ in decisions.opened)  # the message about that one was sent
    assert [(alert.alert_id, because) for alert, because in decisions.closed] == closed


@pytest.mark.parametrize(
    ("low", "high", "more", "is_same"),
    [
        (12, 14, {}, True),
        (13, 14, {}, False),
        (5, 8, {}, True),
        (5, 7, {}, False),
        (8, 12, {"subject": "r4"}, False),
        (8, 12, {"kind": "rater_speed"}, False),
    ],
)
def test_an_alarm_is_that_of_an_alert_if_the_intervals_of_their_change_share_a_day(
    low: int, high: int, more: dict[str, str], is_same: bool
) -> None:
    decisions = match_alerts([stored("a", 8, 10, 12)], [alarm(low, low, high, **more)])
    assert len(decisions.opened) == (not is_same)
    assert [(alert.alert_id, because) for alert, because in decisions.closed] == ([] if is_same else [("a", "revised")])


def test_the_chart_of_labels_is_one_whichever_label_contributes_most() -> None:
    decisions = match_alerts(
        [stored("a", 8, 10, 12, kind="labels", subject="yes")], [alarm(8, 10, 12, kind="labels", subject="no")]
    )
    assert (decisions.opened, decisions.closed) == ([], [])


def test_an_open_alert_comes_first_and_then_the_nearest() -> None:
    over = alarm(1, 10, 20, closed_because="recovered")
    alerts = [stored("far", 1, 4, 20), stored("near", 1, 9, 20), stored("shut", 1, 10, 20, "closed")]
    closed = [(alert.alert_id, because) for alert, because in match_alerts(alerts, [over]).closed]
    assert closed == [("near", "recovered"), ("far", "revised")]
    (opened,) = match_alerts([alerts[2], stored("old", 1, 7, 20, "recovered")], [alarm(1, 6, 20)]).opened
    assert opened[2].changed_on == february(6)  # the nearest is the one that was over


def test_each_alert_is_of_one_alarm_only() -> None:
    decisions = match_alerts([stored("a", 8, 10, 12)], [alarm(8, 10, 12), alarm(12, 14, 15)])
    assert [opened.changed_on for _, _, opened in decisions.opened] == [february(14)]
    assert decisions.closed == []


def test_a_new_alarm_joins_the_incident_of_its_cause() -> None:
    of_another = alarm(3, 4, 5, subject="r9", incident=7)
    joins, alone, beside = (incident for _, incident, _ in match_alerts(
        [stored("a", 8, 10, 12)],
        [alarm(8, 10, 12), alarm(8, 10, 12, kind="agreement", subject=None), of_another,
         alarm(3, 4, 5, subject="r8", incident=7)],
    ).opened)  # fmt: skip
    assert joins == "of a"
    assert alone == beside != "of a"
