"""Give the interval of an agreement that a verdict may rest on.

Where all items are alike, above all where all ratings agree, the standard error is 0 and the interval has no width,
however few the items are. That is the convention of the formulas and of other programs, but two items that agree prove
little. What n such items do prove: if a share q of all items were of another kind, none of them would show among n with
probability (1 - q)^n. So q is at most 1 - (1 - confidence)^(1/n), at this confidence (the exact limit of a share of
which no case was seen; Clopper and Pearson 1934, for 95 % about 3/n).
"""

import math
from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
NO_INTERVAL = (None, None)
SURE = 0.667  # Krippendorff (2004): the lowest agreement for tentative conclusions
POOR = 0.4  # Fleiss (1981): agreement beyond chance below it is poor
_ROUNDING = 1e-6
_LIMIT_ROUNDING = 1e-9  # (0.6 - 1/3) / (2/3) is just below 0.4


def has_no_width(row: Row) -> bool:
    """Check whether an estimate has an interval without any width, as where every rating agrees."""
    return row["low"] is not None and row["low"] == row["high"]


def verdict_interval(row: Row) -> tuple[float | None, float | None]:
    """Return the ends of the interval of a row of `agreement`, in [-1, 1].

    They are `low` and `high`, unless these are equal. Then the items that were not seen may be of another kind: in the
    worst case none of their ratings agree, in the best case all do, and agreement expected by chance stays. Both are
    null where the row has no interval, and where the estimate of unlike items cannot be computed from its `observed`
    and `expected` agreement.

    >>> row = {"estimate": 1.0, "low": 1.0, "high": 1.0, "observed": 1.0, "expected": 0.5, "confidence": 0.95}
    >>> [round(verdict_interval(row | {"n_items": n})[0], 3) for n in (2, 5, 1000)]
    [-0.553, 0.099, 0.994]
    """
    if not has_no_width(row):
        return row["low"], row["high"]
    if not row["n_items"] or not row["confidence"]:
        return NO_INTERVAL
    alike = float((1 - row["confidence"]) ** (1 / row["n_items"]))
    observed, expected = 1.0 if row["low"] >= 1 else row["observed"], row["expected"]
    if observed is None or expected is None or expected >= 1:
        return NO_INTERVAL
    if not math.isclose(_beyond_chance(observed, expected), row["estimate"], abs_tol=_ROUNDING):
        return NO_INTERVAL
    lowest, highest = alike * observed, alike * observed + 1 - alike
    return max(_beyond_chance(lowest, expected), -1.0), min(_beyond_chance(highest, expected), 1.0)


def reaches(figure: float, limit: float) -> bool:
    """Check whether a figure is at least a limit, but for the rounding of arithmetic.

    >>> reaches((0.6 - 1 / 3) / (2 / 3), 0.4), reaches(0.3999, 0.4)
    (True, False)
    """
    return figure >= limit - _LIMIT_ROUNDING


def items_that_all_agree(limit: float, row: Row) -> int | None:
    """Return how many items must agree, without exception, for the verdict interval to lie above a limit in [0, 1).

    `row` is that of an agreement of 1. Null if chance alone explains it, or where no agreement by chance is known.

    >>> row = {"expected": 0.5, "confidence": 0.95}
    >>> items_that_all_agree(0.667, row), items_that_all_agree(0.0, row)
    (17, 5)
    """
    alike = _share(limit, row)
    return None if alike is None or alike <= 0 else math.ceil(math.log(1 - row["confidence"]) / math.log(alike))


def probability_above(limit: float, row: Row) -> float | None:
    """Return how sure an agreement without width is at least a limit in [-1, 1): the confidence at which the interval
    reaches down to it. Null where not all ratings agree.

    >>> row = {"low": 1.0, "high": 1.0, "expected": 0.5}
    >>> [round(probability_above(0.8, row | {"n_items": n}), 3) for n in (2, 29)]
    [0.19, 0.953]
    """
    alike = _share(limit, row)
    if row["low"] is None or row["low"] < 1 or not row["n_items"] or alike is None:
        return None
    return float(1 - max(alike, 0.0) ** row["n_items"])


def _share(limit: float, row: Row) -> float | None:
    """Return the share of items that must agree for an agreement beyond chance of `limit`, None where unknown."""
    expected = row["expected"]
    return None if expected is None or expected >= 1 else float(expected + limit * (1 - expected))


def _beyond_chance(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected)
