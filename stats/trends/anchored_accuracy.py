"""Accuracy of one rater or system in many windows of items, from a model of the other raters that is held fixed.

P, the probability of each label to be the right one of an item, comes from the others' ratings (`fixed_raters`). The
subject gave label s. Where it is right with probability a, and gives each other label according to its error shares,

    E[P(s)] = b + a (q - b),  q = sum_j P_j^2,  b = what a wrong answer is expected to have.

So with u = P(s) - b and v = q - b, m = sum u / sum v estimates a in any set of items, with the errors that the subject
then makes, and whatever the others know of the items. Its variance comes from the items' residuals, as that of any
ratio. The level is that of the estimate A over all items, which knows more than this model: a = A + m - m of all
items. The interval counts the variance of m in the window, and of A what its own items do not explain.

Held fixed: the accuracies of the raters, the shares of the right labels, and where a subject's errors go. If the raters
change, or the items become harder, the figure moves with them.
"""

from dataclasses import dataclass

import numpy as np

from stats.arrays import BoolArray, FloatArray
from stats.special_functions import expit, logit, stdtrit
from stats.trends.ratio_shares import RatioSums

MIN_KNOWLEDGE = 1e-3  # mean of v, below which the others' ratings tell nothing


@dataclass(frozen=True)
class Anchor:
    """The estimate A of each subject over all items, with its standard error (S,); NaN where there is none."""

    accuracy: FloatArray
    se: FloatArray


@dataclass(frozen=True)
class Accuracies:
    """Accuracies with standard error and interval, NaN where undefined.

    contradicts: where A + m - m of all items is below 0, or above 1 by more than its error. Then the level and the
    others' ratings contradict each other, such as gold that calls a system bad with which the raters agree. The
    accuracy there is the nearest end, 0 or 1, which is no estimate of an accuracy.
    """

    accuracy: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    contradicts: BoolArray


def anchored_accuracies(window: RatioSums, whole: RatioSums, anchor: Anchor, *, confidence: float) -> Accuracies:
    """Return the accuracies in windows. The sums are of u (x) and v (y); all arrays have one shape.

    `whole` has the sums over all items of the subject of each entry, `anchor` its estimate. NaN where there are fewer
    than two items, or the other raters tell nothing. A standard error is at least that of a share of right answers.
    """
    m, variance = _slope(window)
    m_whole, variance_whole = _slope(whole)
    level = np.maximum(anchor.se**2 - variance_whole, 0)
    unbounded = anchor.accuracy + m - m_whole
    a = np.clip(unbounded, 0, 1)
    inside = (a * window.n + 0.5) / (window.n + 1)
    least = inside * (1 - inside) / (window.n + 1)
    se = np.sqrt(np.maximum(variance + level, least))
    t = stdtrit(np.maximum(window.n - 1, 1), (1 + confidence) / 2)
    half = t * se / (inside * (1 - inside))
    low, high = np.minimum(expit(logit(inside) - half), a), np.maximum(expit(logit(inside) + half), a)
    defined = ~np.isnan(se)
    contradicts = defined & ((unbounded < 0) | (unbounded - t * np.sqrt(variance + level) > 1))
    a, se, low, high = (np.where(defined, values, np.nan) for values in (a, se, low, high))
    return Accuracies(a, se, low, high, contradicts)


def _slope(sums: RatioSums) -> tuple[FloatArray, FloatArray]:
    """Return sum u / sum v and its variance; NaN for fewer than two items, and where v is near 0."""
    defined = (sums.n > 1) & (sums.y > MIN_KNOWLEDGE * sums.n)
    y, n = np.where(defined, sums.y, np.nan), np.where(defined, sums.n, np.nan)
    m = sums.x / y
    residuals = np.maximum(sums.xx - 2 * m * sums.xy + m**2 * sums.yy, 0)
    return m, n / (n - 1) * residuals / y**2
