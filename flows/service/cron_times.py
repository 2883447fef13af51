"""When Prefect starts the runs of a cron line.

CronSim answers at once. Prefect takes a second, because it has to be imported. The answers differ where clocks change,
and for lines that restrict both the day of the month and the day of the week. In these cases Prefect is asked, in a
process of its own: `python -m flows.service.cron_times LINE TIMEZONE TIME`.
"""

import os
import subprocess
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from cronsim import CronSim

N_DATES = 6  # where clocks change, some of Prefect's dates are before the time that was asked for
MAX_SECONDS = 30.0


def next_cron_run(cron: str, timezone: str, now: datetime) -> datetime:
    """Return when Prefect starts the first run after `now`, in the time zone of the cron line."""
    zone = ZoneInfo(timezone)
    planned = next(CronSim(cron, now.astimezone(zone)))
    _, _, month_day, _, week_day = cron.split()
    restricts_both = month_day != "*" and week_day != "*"
    if restricts_both or _clocks_change_near(now.astimezone(zone)) or _clocks_change_near(planned):
        return _ask_prefect(cron, timezone, now) or planned
    return planned


def prefect_cron_run(cron: str, timezone: str, now: datetime) -> datetime:
    """Return the first date after `now` of Prefect's own schedule. Imports Prefect."""
    import asyncio

    from prefect.server.schemas.schedules import CronSchedule

    dates = asyncio.run(CronSchedule(cron=cron, timezone=timezone).get_dates(n=N_DATES, start=now))
    return datetime.fromtimestamp(min(date.timestamp() for date in dates if date > now), ZoneInfo(timezone))


def _clocks_change_near(time: datetime) -> bool:
    day = timedelta(days=1)
    return (time - day).utcoffset() != (time + day).utcoffset()


def _ask_prefect(cron: str, timezone: str, now: datetime) -> datetime | None:
    """Return what Prefect says, or None if it does not answer. Its settings play no part, so it gets none."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    with TemporaryDirectory() as home, suppress(subprocess.TimeoutExpired, ValueError, OSError):
        command = [sys.executable, "-P", "-m", "flows.service.cron_times", cron, timezone, now.isoformat()]
        answer = subprocess.run(
            command,
            env={**variables, "PREFECT_HOME": home, "DO_NOT_TRACK": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=MAX_SECONDS,
        )
        return datetime.fromisoformat(answer.stdout.strip()).astimezone(ZoneInfo(timezone))
    return None


if __name__ == "__main__":
    line, zone_name, time = sys.argv[1:]
    print(prefect_cron_run(line, zone_name, datetime.fromisoformat(time)).isoformat())
