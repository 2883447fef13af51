"""Fold a long list of annotators: those who need a look stay in sight."""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.report.formatting import counted, finite, number
from tasks.report.report_data import Row

MAX_UNFOLDED = 20  # rows: a longer list is folded
_MIN_SHOWN = 5
LEFT_OUT = "The views rater_leaderboard and rater_scorecard have them all."


@dataclass(frozen=True)
class FoldedRows:
    """The annotators in sight, the others, and what tells them apart."""

    shown: Sequence[Row]
    folded: Sequence[Row] = ()
    title: str = ""
    note: str = ""


def fold_annotators(
    rows: Sequence[Row], figure: str, high: str, average: float | None = None, limit: int = 100
) -> FoldedRows:
    """Put first who has an open alert, or whose whole interval lies below the average; of these the lowest come first.

    `figure` and `high` are columns: what is compared, and the upper end of its interval. Without an `average` it is the
    mean of the rows. A short list stays as it is; of a long one `limit` rows remain.
    """
    if len(rows) <= MAX_UNFOLDED:
        return FoldedRows(rows)
    defined = [float(row[figure]) for row in rows if finite(row[figure]) is not None]
    if average is None:
        average = sum(defined) / len(defined) if defined else 0.0
    ordered = sorted(rows, key=lambda row: (not _stands_out(row, high, average), *_lowest_first(row, figure)))
    n_standing_out = sum(_stands_out(row, high, average) for row in rows)
    n_shown = min(MAX_UNFOLDED, max(_MIN_SHOWN, n_standing_out))
    n_more = min(len(rows), limit) - n_shown
    title = f"The {'other' if len(rows) <= limit else 'next'} {counted(n_more, 'annotator')}"
    note = _note(n_standing_out, rows, average, n_shown) + (f" {LEFT_OUT}" if len(rows) > limit else "")
    return FoldedRows(ordered[:n_shown], ordered[n_shown:limit], title, note)


def _stands_out(row: Row, high: str, average: float) -> bool:
    upper = finite(row[high])
    return bool(row.get("n_open_alerts")) or (upper is not None and upper < average)


def _lowest_first(row: Row, figure: str) -> tuple[bool, float, str]:
    value = finite(row[figure])
    return value is None, value or 0.0, str(row["rater"])


def _note(n_standing_out: int, rows: Sequence[Row], average: float, n_shown: int) -> str:
    mean = f"the average, {number(average)}"
    if not n_standing_out:
        return f"The lowest {n_shown}; the interval of nobody lies below {mean}."
    who = f"{n_standing_out} of {counted(len(rows), 'annotator')} " + (
        "stands out" if n_standing_out == 1 else "stand out"
    )
    levels = [float(row["confidence"]) for row in rows if finite(row.get("confidence")) is not None]
    by_chance = round(len(rows) * (1 - min(levels)) / 2) if levels else 0
    chance = f" With so many annotators about {by_chance} would by chance alone." if by_chance else ""
    return f"{who}: an open alert, or an interval below {mean}.{chance}"
