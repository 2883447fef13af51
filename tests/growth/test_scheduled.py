"""Missed runs are told from those that were made."""

from datetime import UTC, datetime, timedelta

from tests.growth.scheduled import ScheduledRun, missed_runs

START = datetime(2026, 1, 1, tzinfo=UTC)
EVERY = timedelta(seconds=20)


def test_a_run_that_failed_and_one_that_is_not_there_are_missed() -> None:
    runs = [
        ScheduledRun(START + i * EVERY, START, START, "CRASHED" if i == 2 else "COMPLETED") for i in (0, 1, 2, 3, 5)
    ]
    assert missed_runs(runs[:2], EVERY) == []
    assert missed_runs(runs, EVERY) == ["00:00:40: crashed", "between 00:01:00 and 00:01:40: no run"]
