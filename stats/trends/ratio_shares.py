"""Shares that are a ratio of two sums over items, with an interval over items like these.

Each item has two numbers: x (such as its pairs of ratings that agree) and y (all its pairs), 0 <= x <= y. The share is
sum x / sum y. The items are the sample, so its variance comes from their residuals (Cochran 1977, Sampling Techniques,
3rd ed., ch. 6). The interval is Wilson's, with as many trials as a simple share with that variance has (Korn &
Graubard 1998, Survey Methodology 24, 193-201). It stays within 0 and 1.
"""

from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray
from stats.intervals import check_confidence
from stats.special_functions import ndtri

SAME = 1e-12  # a variance below this is 0 but for rounding


@dataclass(frozen=True)
class RatioSums:
    """Sums over the items of each set, in arrays of any one shape: the number of items n, x, y, x^2, x y, y^2."""

    n: FloatArray
    x: FloatArray
    y: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: FloatArray


@dataclass(frozen=True)
class Shares:
    """Shares with their intervals, NaN where sum y is 0."""

    share: FloatArray
    low: FloatArray
    high: FloatArray


def ratio_shares(sums: RatioSums, *, confidence: float) -> Shares:
    """Return sum x / sum y with its interval.

    >>> x = np.ones(1)
    >>> half = ratio_shares(RatioSums(40 * x, 20 * x, 40 * x, 20 * x, 20 * x, 40 * x), confidence=0.95)
    >>> round(float(half.share[0]), 3), round(float(half.low[0]), 3), round(float(half.high[0]), 3)
    (0.5, 0.35, 0.65)
    """
    z = float(ndtri((1 + check_confidence(confidence)) / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = sums.x / np.where(sums.y > 0, sums.y, np.nan)
        residuals = sums.xx - 2 * share * sums.xy + share**2 * sums.yy
        variance = sums.n / (sums.n - 1) * residuals / sums.y**2
        # Where the items do not vary, each is one trial; no item is worth more than its pairs.
        varies = (sums.n > 1) & (variance > SAME)
        trials = np.where(varies, np.minimum(share * (1 - share) / np.where(varies, variance, 1), sums.y), sums.n)
        trials = np.maximum(trials, SAME)
    middle = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z / (1 + z**2 / trials) * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return Shares(share, np.clip(middle - half, 0, share), np.clip(middle + half, share, 1))
