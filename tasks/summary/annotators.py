"""Compare the annotators of a list: their mean, who stands out, and who agrees with the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from tasks.summary.finite import finite

if TYPE_CHECKING:
    from stats.agreement.breakdowns.contradictions import Contradiction

Row = dict[str, Any]


@dataclass(frozen=True)
class OrderedAnnotators:
    """Annotators, those who stand out first, then the others; the lowest figure comes first within both.

    n_by_chance: how many whole intervals would lie below the average by chance alone.
    """

    rows: list[Row]
    average: float
    n_standing_out: int
    n_by_chance: int


def order_annotators(rows: Sequence[Row], figure: str, high: str, average: float | None = None) -> OrderedAnnotators:
    """Put annotators first who have an open alert, or whose whole interval lies below the average.

    `figure` and `high` are columns: what is compared, and the upper end of its interval. Without an `average` it is the
    mean of the rows.
    """
    if average is None:
        values = [value for row in rows if (value := finite(row[figure])) is not None]
        average = sum(values) / len(values) if values else 0.0
    standing_out = [_stands_out(row, high, average) for row in rows]
    places = sorted(range(len(rows)), key=lambda index: (not standing_out[index], *_lowest_first(rows[index], figure)))
    levels = [level for row in rows if (level := finite(row.get("confidence"))) is not None]
    n_by_chance = round(len(rows) * (1 - min(levels)) / 2) if levels else 0
    return OrderedAnnotators([rows[index] for index in places], average, sum(standing_out), n_by_chance)


def raters_by_agreement(pairs: Sequence[Row]) -> list[str]:
    """Order raters by their mean agreement with the others, the highest first.

    `pairs` have rater_a, rater_b and a defined estimate.
    """
    estimates: dict[str, list[float]] = {}
    for pair in pairs:
        for key in ("rater_a", "rater_b"):
            estimates.setdefault(pair[key], []).append(float(pair["estimate"]))
    return sorted(estimates, key=lambda rater: (-sum(estimates[rater]) / len(estimates[rater]), rater))


def contradictions_by_question(pairs: pl.DataFrame) -> dict[str, list["Contradiction"]]:
    """Return who contradicts the others, for each question that has such annotators.

    `pairs` are rows of `latest_pairwise_agreement`.
    """
    if not pairs.height:
        return {}
    from stats.agreement.breakdowns.contradictions import contradictions  # `run` with nothing due has no such pairs

    by_question = {str(name): contradictions(rows.to_dicts()) for (name,), rows in pairs.group_by("question")}
    return {name: by_question[name] for name in sorted(by_question) if by_question[name]}


def _stands_out(row: Row, high: str, average: float) -> bool:
    upper = finite(row[high])
    return bool(row.get("n_open_alerts")) or (upper is not None and upper < average)


def _lowest_first(row: Row, figure: str) -> tuple[bool, float, str]:
    value = finite(row[figure])
    return value is None, value or 0.0, str(row["rater"])
