"""Prefect's own database in the project: how long it keeps runs, and how its file becomes small again."""

import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from cronsim import CronSim

KEPT = timedelta(days=3)
KEPT_RUNS = 500  # where three days hold more
LEAST = timedelta(hours=1, seconds=1)  # Prefect refuses less
LARGE = 50_000_000  # bytes
SHRINK = Path(__file__).with_name("prefect_shrink.sql")


def retention(every: int | None, cron: str | None, timezone: str) -> timedelta:
    """How long Prefect keeps the runs of a schedule: three days, or as long as 500 runs take.

    >>> print(retention(900, None, "UTC"), retention(60, None, "UTC"), sep="; ")
    3 days, 0:00:00; 8:20:00
    """
    if every:
        span = timedelta(seconds=every) * KEPT_RUNS
    else:
        dates = list(islice(CronSim(str(cron), datetime.now(UTC).astimezone(ZoneInfo(timezone))), KEPT_RUNS + 1))
        span = dates[-1] - dates[0] if len(dates) > KEPT_RUNS else KEPT
    return max(LEAST, min(KEPT, span))


def shrink(path: Path) -> None:
    """Drop the events of earlier versions and give free pages back, if the file is large and nobody else has it open.

    SQLite never makes its file smaller by itself.
    """
    if not path.exists() or path.stat().st_size < LARGE:
        return
    # An error: it is busy, or not a database of Prefect's. The next start will do.
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as con, suppress(sqlite3.Error):
        con.executescript(SHRINK.read_text())
