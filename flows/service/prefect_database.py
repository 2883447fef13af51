"""Prefect's own database in the project: how long it keeps runs, and how its file shrinks."""

import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from cronsim import CronSim

MAX_AGE = timedelta(days=3)
MAX_RUNS = 500  # that are kept, where three days hold more
MIN_AGE = timedelta(hours=1, seconds=1)  # Prefect refuses less
MIN_SIZE_TO_SHRINK = 50_000_000  # bytes
SHRINK = Path(__file__).with_name("prefect_shrink.sql")


def retention(every: int | None, cron: str | None, timezone: str) -> timedelta:
    """Return how long Prefect keeps the runs of a schedule: three days, or the time of 500 runs if that is shorter.

    >>> print(retention(900, None, "UTC"), retention(60, None, "UTC"), sep="; ")
    3 days, 0:00:00; 8:20:00
    """
    if every:
        span = timedelta(seconds=every) * MAX_RUNS
    else:
        dates = list(islice(CronSim(str(cron), datetime.now(UTC).astimezone(ZoneInfo(timezone))), MAX_RUNS + 1))
        span = dates[-1] - dates[0] if len(dates) > MAX_RUNS else MAX_AGE
    return max(MIN_AGE, min(MAX_AGE, span))


def shrink(path: Path) -> None:
    """Delete the events of earlier versions and give free pages back, if the file is large and nobody has it open.

    SQLite never makes its file smaller by itself.
    """
    if not path.exists() or path.stat().st_size < MIN_SIZE_TO_SHRINK:
        return
    # On an error the file is busy, or not a database of Prefect's. The next start tries again.
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as con, suppress(sqlite3.Error):
        con.executescript(SHRINK.read_text())
