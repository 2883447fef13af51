"""Alarms with one cause are one incident."""

from datetime import date
from itertools import permutations

from stats.monitoring import ChartAlarm, incidents


def alarm(chart: str, subject: str | None, low: int, high: int, opened: int) -> ChartAlarm:
    days = [date(2026, 3, day) for day in (opened, low, low, high)]
    return ChartAlarm(chart, subject, None, "down", *days, None, 0.6, 0.4, 1234.5, 300)


AGREEMENT = alarm("agreement", None, 3, 12, 20)
RATER = alarm("rater", "r3", 10, 14, 18)
SPEED = alarm("rater_speed", "r3", 14, 15, 19)
LATER = alarm("rater", "r1", 16, 20, 25)
SYSTEM = alarm("system", "A", 3, 12, 21)


def test_overlaps_chain() -> None:
    result = incidents([AGREEMENT, RATER, SPEED, LATER, SYSTEM])
    assert [incident.alarms for incident in result] == [(RATER, SPEED, AGREEMENT), (SYSTEM,), (LATER,)]
    first = result[0]
    assert (first.raters, first.no_rater_stands_out) == (("r3",), False)
    assert (first.opened_on, first.changed_low, first.changed_high) == (
        date(2026, 3, 18),
        date(2026, 3, 3),
        date(2026, 3, 15),
    )


def test_agreement_alone() -> None:
    (result,) = incidents([AGREEMENT])
    assert result.no_rater_stands_out
    assert result.to_json()["alarms"][0]["closed_on"] is None
    (of_system,) = incidents([SYSTEM])
    assert (of_system.raters, of_system.no_rater_stands_out) == ((), False)  # a system is no rater that stands out


def test_order_changes_nothing() -> None:
    expected = incidents([AGREEMENT, RATER, SPEED, LATER, SYSTEM])
    for order in permutations([AGREEMENT, RATER, SPEED, LATER, SYSTEM]):
        assert incidents(order) == expected


def test_none() -> None:
    assert incidents([]) == ()
