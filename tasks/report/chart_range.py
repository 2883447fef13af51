"""Decide which windows a chart over time shows: a few dates of long ago would squeeze all others into a corner."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import accumulate, pairwise

from tasks.counted_words import counted
from tasks.report.formatting import day
from tasks.report.report_data import UNDATED, Row
from tasks.summary.finite import finite

MAX_GAP = timedelta(days=5 * 365)
Size = tuple[str, str]
"""The column that says how much a window holds, and the word for what it counts."""


def windows_shown(rows: Sequence[Row], size: Size, start: str = "period_start") -> list[Row]:
    """Return the windows that a chart shows. `rows` are in time, and `start` is their column with a date.

    Windows before a gap of more than MAX_GAP are left out if they hold less than the windows after it.

    >>> rows = [{"day": date(year, 1, 1), "n": n} for year, n in ((1970, 5), (2025, 3), (2026, 4))]
    >>> [row["n"] for row in windows_shown(rows, ("n", "rating"), "day")]
    [3, 4]
    """
    return list(rows[_first_shown(rows, size[0], start) :])


def earlier_note(rows: Sequence[Row], size: Size, start: str = "period_start") -> str:
    """Say what a chart leaves out of these windows, '' if nothing."""
    first = _first_shown(rows, size[0], start)
    n_earlier = sum(_held(row, size[0]) for row in rows[:first])
    return f"{counted(n_earlier, f'earlier {size[1]}')} before {day(rows[first][start])} left out" if first else ""


def _first_shown(rows: Sequence[Row], column: str, start: str) -> int:
    """Return the place after the last long gap that has less before it than after it; 0 without one."""
    days = [row[start] for row in rows]
    if any(row.get("period") in UNDATED for row in rows) or not all(isinstance(each, date) for each in days):
        return 0
    held = list(accumulate(_held(row, column) for row in rows))
    gaps = [place for place, (a, b) in enumerate(pairwise(days), start=1) if b - a > MAX_GAP]
    return max((place for place in gaps if 2 * held[place - 1] < held[-1]), default=0)


def _held(row: Row, column: str) -> int:
    return int(finite(row[column]) or 0)
