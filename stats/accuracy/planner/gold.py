"""How many gold items (a random sample with right answers) it takes, with and without the model's help.

The estimate is the prediction-powered one of `stats.accuracy.gold`. With n rated items, m gold ones among them and a
score whose correlation with being right is r, its variance is s (1 - s) (1/m - (1/m - 1/n) r^2 (1 - (m / (n + m))^2)).
"""

from dataclasses import dataclass
from math import sqrt

from scipy.special import stdtrit

from stats.accuracy.planner.items import MAX_LABELS, MAX_RATERS, check_shares, check_whole, on_width
from stats.accuracy.planner.one_coin import rater_accuracy, score_correlation
from stats.errors import StatsError

MOST = 10**14  # gold items: nobody has so many


@dataclass(frozen=True)
class GoldPlan:
    """Random gold items needed for a half-width.

    n_gold with the model, n_gold_alone without it; correlation of score and being right; n_items rated items that the
    gold ones are drawn from (None: many). n_gold is None where even gold for all of them would not do.
    """

    n_gold: int | None
    n_gold_alone: int
    half_width: float
    confidence: float
    system_accuracy: float
    correlation: float
    n_items: int | None
    warnings: tuple[str, ...]


def gold_items(
    *,
    n_labels: int,
    n_raters: int,
    kappa: float,
    half_width: float,
    confidence: float,
    system_accuracy: float = 0.9,
    n_items: int | None = None,
) -> GoldPlan:
    """Gold items for an interval estimate +- half_width, Student's t with n_gold - 1 degrees as the audit has it.

    The model's help is computed under the one-coin model: the better the raters, the more an item's score tells of
    whether the system is right on it. Where the raters break the model's assumptions the help is smaller, and the
    estimate still right. Raises StatsError as `plan`, and for fewer than two items.

    >>> found = gold_items(n_labels=5, n_raters=3, kappa=0.3, half_width=0.1, confidence=0.9, n_items=1000)
    >>> found.n_gold, found.n_gold_alone
    (15, 27)
    """
    check_whole(n_labels=(n_labels, MAX_LABELS), n_raters=(n_raters, MAX_RATERS))
    check_shares(kappa=kappa, half_width=half_width, confidence=confidence, system_accuracy=system_accuracy)
    if n_items is not None and n_items < 2:
        raise StatsError(f"Gold is drawn from two items or more, found {n_items}. Plan for more items.")
    r = score_correlation(n_labels, n_raters, rater_accuracy(n_labels, kappa), system_accuracy)
    variance, n = system_accuracy * (1 - system_accuracy), float("inf") if n_items is None else float(n_items)
    found = _fewest(half_width, confidence, variance, r, n)
    return GoldPlan(
        n_gold=None if found > n else found,
        n_gold_alone=_fewest(half_width, confidence, variance, 0.0, float("inf")),
        half_width=half_width,
        confidence=confidence,
        system_accuracy=system_accuracy,
        correlation=r,
        n_items=n_items,
        warnings=on_width(half_width),
    )


def gold_half_width(m: int, confidence: float, variance: float, r: float, n: float) -> float:
    """Half-width of the audited accuracy with m gold items among n; `variance` is s (1 - s).

    >>> round(gold_half_width(20, 0.9, 0.09, 0.0, 200), 3)
    0.116
    """
    share = 0.0 if n == float("inf") else m / (n + m)
    reduced = 1 / m - max(1 / m - 1 / n, 0.0) * r**2 * (1 - share**2)
    return float(stdtrit(m - 1, (1 + confidence) / 2)) * sqrt(variance * reduced)


def _fewest(half_width: float, confidence: float, variance: float, r: float, n: float) -> int:
    """Smallest number of gold items, 2 or more, whose half-width is small enough; the half-width falls with it."""
    low, high = 1, 2
    while high < MOST and gold_half_width(high, confidence, variance, r, n) > half_width:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if gold_half_width(middle, confidence, variance, r, n) > half_width:
            low = middle
        else:
            high = middle
    return high
