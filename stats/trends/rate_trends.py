"""Label rates in many windows of items, from a model of the raters that is held fixed.

P, the probability of each label to be the right one of an item, comes from the people's ratings (`fixed_raters`). The
mean of P over a window does not tell its rates: it is drawn towards those of all items, which are in P. But where label
t is right, the mean of P is M[t], over all items

    M[t, l] = sum P(t) P(l) / sum P(t)

So with rates p a window has the mean p M, and z = P M^-1 has the mean p. This is the probabilistic adjusted count of A.
Bella, C. Ferri, J. Hernandez-Orallo & M. J. Ramirez-Quintana (2010), Quantification via probability estimators, ICDM,
737-742. M is the same in all windows if people err alike in all of them.

The level comes from the estimate over all items, because that estimate uses more than this model. The interval is
computed like that of an accuracy in a window (`stats.trends.anchored_accuracy`).
"""

from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray
from stats.special_functions import expit, logit, ndtri
from stats.trends.anchored_accuracy import Accuracies, Anchor, anchored_accuracies
from stats.trends.ratio_shares import RatioSums
from stats.trends.window_sums import WindowUnits

LEAST_GAIN = 0.02  # least eigenvalue of M: below it the ratings hardly tell the labels apart


@dataclass(frozen=True)
class RateTrends:
    """Rates (windows, k) with inner and outer interval, NaN where undefined; n (windows,): items."""

    rates: Accuracies
    outer_low: FloatArray
    outer_high: FloatArray
    n: FloatArray


def indicators(P: FloatArray, n_items: FloatArray) -> FloatArray | None:
    """Return z (patterns, k), whose mean over any items is their rates; None where the ratings do not tell them.

    A label that is right nowhere has z of 0.

    >>> P = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> z = indicators(P, np.array([10.0, 10.0]))
    >>> (z.sum(axis=1).round(9).tolist(), z.mean(axis=0).round(3).tolist(), P.mean(axis=0).round(3).tolist())
    ([1.0, 1.0], [0.55, 0.45], [0.55, 0.45])
    """
    total = n_items @ P
    used = total > 1e-6 * total.sum()
    Q = P[:, used] / P[:, used].sum(axis=1, keepdims=True)
    joint = (Q * n_items[:, None]).T @ Q
    M = joint / joint.sum(axis=1, keepdims=True)
    if np.abs(np.linalg.eigvals(M)).min() < LEAST_GAIN:
        return None
    z = np.zeros_like(P)
    z[:, used] = np.linalg.solve(M.T, Q.T).T
    return z


def rate_trends(
    z: FloatArray, answered: FloatArray, n_items: FloatArray, units: WindowUnits, anchor: Anchor, *,
    confidence: float, outer_error: float,
) -> RateTrends:  # fmt: skip
    """Return the rates of the items that a system answered, in each window.

    z (patterns, k); answered (patterns,): 1 where the system answered; anchor: the rates of all items (k,).
    """
    k = z.shape[1]
    columns = np.column_stack([answered, z * answered[:, None], z**2 * answered[:, None]])
    window, whole = units.sum(columns), (columns * n_items[:, None]).sum(axis=0)[None, :]
    sums = [_sums(each, k) for each in (window, np.repeat(whole, len(window), axis=0))]
    level = Anchor(*(np.broadcast_to(each, (len(window), k)) for each in (anchor.accuracy, anchor.se)))
    rates = anchored_accuracies(sums[0], sums[1], level, confidence=confidence)
    n = window[:, :1]
    inside = (rates.accuracy * n + 0.5) / (n + 1)
    error = np.sqrt((rates.se / (inside * (1 - inside))) ** 2 + outer_error**2)
    half = float(ndtri((1 + confidence) / 2)) * error
    low, high = expit(logit(inside) - half), expit(logit(inside) + half)
    return RateTrends(rates, np.minimum(low, rates.low), np.maximum(high, rates.high), window[:, 0])


def _sums(columns: FloatArray, k: int) -> RatioSums:
    n = np.broadcast_to(columns[:, :1], (len(columns), k))
    x, xx = columns[:, 1 : k + 1], columns[:, k + 1 :]
    return RatioSums(n, x, n, xx, x, n)
