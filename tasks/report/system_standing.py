"""Say how a system compares with the annotators."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from stats.accuracy.raters.annotators import MIN_RATINGS
from tasks.report.formatting import finite
from tasks.report.report_data import Row


@dataclass(frozen=True)
class HumanRaters:
    """The human annotators, best first.

    `mean` is the annotators' accuracy, with its half-width if the run compared no system with them. `against` maps
    (system, average_rater or best_rater) to the comparison on the same items, if the run made one. `audited` is true
    with gold.
    """

    rows: tuple[Row, ...]
    mean: float | None
    half_width: float
    against: Mapping[tuple[str, str], Row] = field(default_factory=dict)
    audited: bool = False


def human_raters(raters: pl.DataFrame, against: pl.DataFrame) -> HumanRaters:
    """Rank the annotators among the raters as the view rater_leaderboard does.

    Those with few ratings come after the others, those without an accuracy last. Their accuracy is the one that systems
    were compared with. Without a system it is the mean by ratings, which is the same
    (`stats.accuracy.raters.annotators`), and their errors count as independent.
    """
    compared = {(str(row["system"]), str(row["compared_with"])): row for row in against.to_dicts()}
    rows = [row for row in raters.to_dicts() if row["rater_kind"] in (None, "human")]
    rows.sort(key=_place)
    audited = any(finite(row["n_gold"]) for row in rows)
    defined = [row for row in rows if finite(row["accuracy"]) is not None]
    weights = [finite(row["n_ratings"]) or 1.0 for row in defined]
    stored = [finite(row["rater_accuracy"]) for (_, standard), row in compared.items() if standard == "average_rater"]
    common = next((value for value in stored if value is not None), None)
    if not defined:
        return HumanRaters(tuple(rows), common, 0.0, compared, audited)
    mean = sum(w * float(row["accuracy"]) for w, row in zip(weights, defined, strict=True)) / sum(weights)
    widths = [w * (_upper(row) - _lower(row)) / 2 for w, row in zip(weights, defined, strict=True)]
    return HumanRaters(
        tuple(rows), mean if common is None else common, math.hypot(*widths) / sum(weights), compared, audited
    )


def has_few(rater: Row) -> bool:
    """Check whether a rater has too few ratings to be ranked: chance alone puts such a rater first."""
    n = finite(rater["n_ratings"])
    return n is not None and n < MIN_RATINGS


def _place(row: Row) -> tuple[bool, bool, float, str]:
    accuracy = finite(row["accuracy"])
    return accuracy is None, has_few(row), -(accuracy or 0.0), str(row["rater"])


def if_independent(system: Row) -> str:
    """Return the condition of an estimate without gold, '' for an audited one."""
    return "" if finite(system["n_gold"]) else ", if people err independently"


def standing_sentence(system: Row, raters: HumanRaters) -> str:
    """Say how a system compares with the annotators, '' if that is unknown.

    A difference counts if its interval leaves out 0. The interval is that of the comparison on the same items. If the
    run made none, it is made from the intervals of the two (MOVER: Zou and Donner 2008, doi:10.1002/sim.3095). "Better
    than every annotator" requires this of the best one, or of each.
    """
    value, mean = finite(system["accuracy"]), raters.mean
    if value is None or mean is None or finite(system["low"]) is None or finite(system["high"]) is None:
        return ""
    if _is_above_all(system, value, raters):
        return "better than every annotator"
    low, high = _beside_the_mean(system, value, mean, raters)
    if low > 0:
        return "better than the average annotator"
    return "worse than the average annotator" if high < 0 else "not clearly apart from the average annotator"


def _is_above_all(system: Row, value: float, raters: HumanRaters) -> bool:
    best = raters.against.get((str(system["system"]), "best_rater"))
    if best is not None and finite(best["low"]) is not None:
        return float(best["low"]) > 0
    defined = [row for row in raters.rows if finite(row["accuracy"]) is not None]
    below = value - _lower(system)
    return all(value - row["accuracy"] > math.hypot(below, _upper(row) - row["accuracy"]) for row in defined)


def _beside_the_mean(system: Row, value: float, mean: float, raters: HumanRaters) -> tuple[float, float]:
    """Return the interval of the difference from the average annotator."""
    average = raters.against.get((str(system["system"]), "average_rater"))
    if average is not None and finite(average["low"]) is not None:
        return float(average["low"]), float(average["high"])
    below, above = value - _lower(system), _upper(system) - value
    return value - mean - math.hypot(below, raters.half_width), value - mean + math.hypot(above, raters.half_width)


def _lower(row: Row) -> float:
    """Return the lower end of the interval, or the value if there is no interval."""
    low = finite(row["low"])
    return float(row["accuracy"]) if low is None else low


def _upper(row: Row) -> float:
    high = finite(row["high"])
    return float(row["accuracy"]) if high is None else high
