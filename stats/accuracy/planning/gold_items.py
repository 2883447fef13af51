"""Gold items for a half-width: a random sample with right answers, with and without the model's help.

The estimate is the prediction-powered one of `stats.accuracy.gold.audit`. With n rated items, m gold items among them
and a score whose correlation with being right is r, its variance is p (1 - p) / m - s (1 - s) (1/m - 1/n) r^2 (1 - (m /
(n + m))^2). p is s after adding two right and two wrong answers, as in the audit. The interval is cut at 0 and 1, so
its half-width is the mean over what the gold items may show (normal about s).
"""

from dataclasses import dataclass
from math import exp, pi, sqrt

from stats.accuracy.planning.items_needed import MAX_LABELS, MAX_RATERS, check_shares, check_whole, on_width
from stats.accuracy.planning.one_coin_information import rater_accuracy, score_correlation
from stats.errors import StatsError
from stats.special_functions import ndtr, stdtrit

MOST = 10**14  # limit on the search for a number of gold items
CLOSE = 1e-6  # how near the search comes to a correlation


@dataclass(frozen=True)
class GoldPlan:
    """The random gold items needed for a half-width.

    - n_gold: gold items with the model's help. None where even gold for all rated items is not enough.
    - n_gold_alone: gold items without the model.
    - correlation: of an item's score with whether the system is right.
    - n_items: rated items that the gold items are drawn from. None means many.
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
    """Return the gold items needed for an interval estimate +- half_width.

    The half-width is the mean of those that audits with so many gold items show (`gold_half_width`). The model's help
    is computed under the one-coin model: the better the raters, the more an item's score tells whether the system is
    right on it. Where the raters break the model's assumptions the help is smaller, but the estimate is still right.

    Raises StatsError as `plan`, and for fewer than two items.

    >>> result = gold_items(n_labels=5, n_raters=3, kappa=0.3, half_width=0.1, confidence=0.9, n_items=1000)
    >>> result.n_gold, result.n_gold_alone
    (22, 28)
    """
    check_whole(n_labels=(n_labels, MAX_LABELS), n_raters=(n_raters, MAX_RATERS))
    check_shares(kappa=kappa, half_width=half_width, confidence=confidence, system_accuracy=system_accuracy)
    if n_items is not None and n_items < 2:
        raise StatsError(f"Gold is drawn from two items or more, found {n_items}. Plan for more items.")
    r = score_correlation(n_labels, n_raters, rater_accuracy(n_labels, kappa), system_accuracy)
    variance, n = system_accuracy * (1 - system_accuracy), float("inf") if n_items is None else float(n_items)
    n_gold = _fewest(half_width, confidence, variance, r, n)
    return GoldPlan(
        n_gold=None if n_gold > n else n_gold,
        n_gold_alone=gold_items_alone(half_width=half_width, confidence=confidence, system_accuracy=system_accuracy),
        half_width=half_width,
        confidence=confidence,
        system_accuracy=system_accuracy,
        correlation=r,
        n_items=n_items,
        warnings=on_width(half_width),
    )


def gold_items_alone(*, half_width: float, confidence: float, system_accuracy: float) -> int:
    """Return the gold items that are enough for a half-width without any ratings.

    An accuracy of 0 or 1 is allowed. Raises StatsError for a half-width or a confidence out of range.

    >>> gold_items_alone(half_width=0.1, confidence=0.9, system_accuracy=0.9)
    28
    """
    check_shares(half_width=half_width, confidence=confidence)
    return _fewest(half_width, confidence, system_accuracy * (1 - system_accuracy), 0.0, float("inf"))


def more_gold_items(
    *, half_width_now: float, n_gold: int, n_items: int, system_accuracy: float, half_width: float, confidence: float
) -> int:
    """Return how many more gold items a half-width needs, if n_gold of n_items gave half_width_now; 0 if none.

    The correlation of the scores with being right is the one with which n_gold items give half_width_now. It helps the
    less, the more of the items have gold. Where no correlation does, the half-widths are scaled to half_width_now.

    An accuracy of 0 or 1 is allowed. Raises StatsError as `gold_items`, and for fewer than two gold items.

    >>> more_gold_items(half_width_now=0.1, n_gold=30, n_items=10_000, system_accuracy=0.85, half_width=0.05,
    ...     confidence=0.9)
    72
    """
    check_shares(half_width=half_width)
    check_whole(n_gold=(n_gold, MOST))
    if half_width_now <= half_width:
        return 0
    variance, n = system_accuracy * (1 - system_accuracy), float(max(n_items, n_gold))
    r, too_high = 0.0, 1.0
    while too_high - r > CLOSE:
        middle = (r + too_high) / 2
        if gold_half_width(n_gold, confidence, variance, middle, n) < half_width_now:
            too_high = middle
        else:
            r = middle
    scale = half_width_now / gold_half_width(n_gold, confidence, variance, r, n)
    return max(_fewest(half_width / scale, confidence, variance, r, n) - n_gold, 0)


def gold_half_width(m: int, confidence: float, variance: float, r: float, n: float) -> float:
    """Return the half-width of the audited accuracy with m gold items among n; `variance` is s (1 - s).

    It is that of the interval as it is shown, cut at 0 and 1.

    >>> round(gold_half_width(20, 0.9, 0.09, 0.0, 200), 3)
    0.118
    """
    share = 0.0 if n == float("inf") else m / (n + m)
    saved = variance * max(1 / m - 1 / n, 0.0) * r**2 * (1 - share**2)
    with_four_more = (variance * m**2 + 2 * m + 4) / (m + 4) ** 2
    half = float(stdtrit(m - 1, (1 + confidence) / 2)) * sqrt(max(with_four_more / m - saved, 0.0))
    sd, end = sqrt(max(variance / m - saved, 0.0)), (1 - sqrt(max(1 - 4 * variance, 0.0))) / 2
    return (_cut(half, end, sd) + _cut(half, 1 - end, sd)) / 2


def _cut(half: float, distance: float, sd: float) -> float:
    """Return the mean of min(half, x) where x is normal about the distance from an end, and 0 beyond it."""
    if sd == 0:
        return min(half, distance)

    def mean_above(k: float) -> float:
        z = (distance - k) / sd
        return (distance - k) * float(ndtr(z)) + sd * exp(-(z**2) / 2) / sqrt(2 * pi)

    return mean_above(0.0) - mean_above(half)


def _fewest(half_width: float, confidence: float, variance: float, r: float, n: float) -> int:
    """Return the smallest number of gold items, 2 or more, whose half-width is small enough.

    Bisection works, because the half-width falls as the number rises.
    """
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
