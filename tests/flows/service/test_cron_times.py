"""The next run of a cron line is the one that Prefect starts, also where clocks change."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.service import cron_times
from flows.service.cron_times import next_cron_run, prefect_cron_run

SPRING, AUTUMN = datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)  # one hour before the change
TIMES = [
    change + timedelta(hours=hours, minutes=10) for change in (SPRING, AUTUMN) for hours in (-12, 0, 1, 2, 30, 24 * 60)
]


@pytest.mark.parametrize("cron", ["30 2 * * *", "*/30 * * * *", "15 * * * *", "0 3 * * *", "0 0 1 * *", "0 0 */2 * 1"])
def test_the_next_run_is_that_of_prefect(cron: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.server.schemas.schedules import CronSchedule

    # Without a process for each time: what it prints is tested below.
    monkeypatch.setattr(cron_times, "_ask_prefect", prefect_cron_run)
    for now in TIMES:
        dates = asyncio.run(CronSchedule(cron=cron, timezone="Europe/Berlin").get_dates(n=20, start=now))
        expected = min(date.timestamp() for date in dates if date > now)
        assert next_cron_run(cron, "Europe/Berlin", now).timestamp() == expected, now


def test_prefect_is_asked_in_a_process_that_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFECT_API_DATABASE_TIMEOUT", "wrong")
    now = AUTUMN + timedelta(minutes=40)  # from 03:00 on the clock shows the hour from 02:00 on again
    assert next_cron_run("*/30 * * * *", "Europe/Berlin", now) == prefect_cron_run("*/30 * * * *", "Europe/Berlin", now)
    assert not list(tmp_path.iterdir())


def test_prefect_is_not_asked_on_other_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cron_times, "_ask_prefect", None)
    now = datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert next_cron_run("30 2 * * *", "Europe/Berlin", now) == datetime(2026, 7, 2, 0, 30, tzinfo=UTC)


def test_without_an_answer_the_wall_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cron_times, "MAX_SECONDS", 0.01)
    assert next_cron_run("0 3 * * *", "Europe/Berlin", SPRING) == SPRING + timedelta(hours=1)
