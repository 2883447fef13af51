"""Compare a system with the annotators."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import polars as pl

from stats.accuracy.comparison.interval_arithmetic import Estimate, difference, weighted_mean
from stats.accuracy.raters.annotators import MIN_RATINGS
from stats.accuracy.raters.left_out import says_left_out
from tasks.summary.finite import finite

Row = dict[str, Any]


class RankAmongRaters(Enum):
    """Where a system stands beside the annotators. `ABOVE_RANKED` leaves out those with too few ratings."""

    ABOVE_ALL = auto()
    ABOVE_RANKED = auto()
    ABOVE_AVERAGE = auto()
    NOT_APART = auto()
    BELOW_AVERAGE = auto()


@dataclass(frozen=True)
class HumanRaters:
    """The human annotators, best first, and the accuracy of the average annotator.

    `against` maps (system, average_rater or best_rater) to the comparison on the same items, if the run made one.
    `audited` is true with gold.
    """

    rows: tuple[Row, ...]
    average: Estimate | None
    against: Mapping[tuple[str, str], Row] = field(default_factory=dict)
    audited: bool = False

    @property
    def mean(self) -> float | None:
        """The accuracy of the average annotator."""
        return None if self.average is None else self.average.value

    @property
    def left_out(self) -> list[str]:
        """The annotators whose ratings do not count in `average`, because they say nothing of their own."""
        return [str(row["rater"]) for row in self.rows if _is_left_out(row)]


def human_raters(raters: pl.DataFrame, against: pl.DataFrame) -> HumanRaters:
    """Rank the annotators among the raters as the view rater_leaderboard does.

    Those with few ratings come after the others, those without an accuracy last. Their accuracy is the one that systems
    were compared with. Without a system it is the mean by ratings, which is the same
    (`stats.accuracy.raters.annotators`), and their errors count as independent. If the mean includes ratings of an
    annotator whose accuracy is unknown, the mean is unknown, too.
    """
    compared = {(str(row["system"]), str(row["compared_with"])): row for row in against.to_dicts()}
    rows = [row for row in raters.to_dicts() if row["rater_kind"] in (None, "human")]
    rows.sort(key=_place)
    audited = any(finite(row["n_gold"]) for row in rows)
    defined = [row for row in rows if _has_accuracy(row)]
    stored = [finite(row["rater_accuracy"]) for (_, standard), row in compared.items() if standard == "average_rater"]
    common = next((value for value in stored if value is not None), None)
    if common is None and any(_is_missing(row) for row in rows):
        return HumanRaters(tuple(rows), None, compared, audited)
    if not defined:
        mean = None if common is None else Estimate(common, common, common)
        return HumanRaters(tuple(rows), mean, compared, audited)
    mean = weighted_mean([_estimate(row) for row in defined], [finite(row["n_ratings"]) or 1.0 for row in defined])
    if common is not None:
        mean = Estimate(common, common + mean.low - mean.value, common + mean.high - mean.value)
    return HumanRaters(tuple(rows), mean, compared, audited)


def has_few(rater: Row) -> bool:
    """Check whether a rater has too few ratings to be ranked: chance alone puts such a rater first."""
    n = finite(rater["n_ratings"])
    return n is not None and n < MIN_RATINGS


def _place(row: Row) -> tuple[bool, bool, float, str]:
    accuracy = finite(row["accuracy"])
    return accuracy is None, has_few(row), -(accuracy or 0.0), str(row["rater"])


def rank_among_raters(system: Row, raters: HumanRaters) -> RankAmongRaters | None:
    """Compare a system with the annotators. None if an accuracy or a limit is undefined.

    A difference counts if its interval leaves out 0. The interval is that of the comparison on the same items. If the
    run made none, it is made from the intervals of the two (MOVER: Zou and Donner 2008, doi:10.1002/sim.3095). To be
    above all, this must hold of the best annotator, or of each, and each must have an accuracy. With two annotators
    none has one. Only raters with enough ratings are ranked.
    """
    if raters.average is None or any(finite(system[name]) is None for name in ("accuracy", "low", "high")):
        return None
    if _is_above_all(system, raters):
        return RankAmongRaters.ABOVE_RANKED if _is_above_ranked(system, raters) else RankAmongRaters.ABOVE_ALL
    apart = _beside_the_average(system, raters.average, raters)
    if apart.low > 0:
        return RankAmongRaters.ABOVE_AVERAGE
    return RankAmongRaters.BELOW_AVERAGE if apart.high < 0 else RankAmongRaters.NOT_APART


def _is_above_ranked(system: Row, raters: HumanRaters) -> bool:
    """Check whether the comparison is with the best of the ranked annotators, and others are not ranked."""
    best = raters.against.get((str(system["system"]), "best_rater"))
    with_few = [has_few(row) for row in raters.rows]
    return best is not None and finite(best["low"]) is not None and any(with_few) and not all(with_few)


def _is_above_all(system: Row, raters: HumanRaters) -> bool:
    best = raters.against.get((str(system["system"]), "best_rater"))
    if best is not None and finite(best["low"]) is not None:
        return float(best["low"]) > 0 and all(has_few(row) or _has_accuracy(row) for row in raters.rows)
    return bool(raters.rows) and all(
        _has_accuracy(row) and difference(_estimate(system), _estimate(row)).low > 0 for row in raters.rows
    )


def _beside_the_average(system: Row, annotators: Estimate, raters: HumanRaters) -> Estimate:
    """Return the difference from the average annotator."""
    compared = raters.against.get((str(system["system"]), "average_rater"))
    if compared is not None and finite(compared["low"]) is not None:
        return Estimate(float(compared["difference"]), float(compared["low"]), float(compared["high"]))
    return difference(_estimate(system), annotators)


def _has_accuracy(row: Row) -> bool:
    return finite(row["accuracy"]) is not None


def _is_missing(row: Row) -> bool:
    """Check whether a rater has no accuracy, although these ratings count in that of all annotators."""
    return not _has_accuracy(row) and not _is_left_out(row)


def _is_left_out(row: Row) -> bool:
    return not _has_accuracy(row) and says_left_out(row.get("detail"))


def _estimate(row: Row) -> Estimate:
    """Return the accuracy of a row. A missing limit becomes the value itself."""
    value = float(row["accuracy"])
    low, high = finite(row["low"]), finite(row["high"])
    return Estimate(value, value if low is None else low, value if high is None else high)
