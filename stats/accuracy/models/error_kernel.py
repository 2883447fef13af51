"""The error kernel of an ordered scale: errors fall as AD^-(d - 1) with the distance d between labels.

AD = 1 spreads errors evenly. AD = 2 halves them with every further step. The functions work with t = log AD, because
the log-likelihood is concave in t. Source: Lehner (2015), "asymmetry of distance".
"""

from functools import cache

import numpy as np

from stats.arrays import FloatArray

_FURTHEST = 20.0  # bound on |log AD|


@cache
def distances(k: int) -> FloatArray:
    """Return the steps beyond the first (k, k) between the right label and another, d - 1; -1 on the diagonal."""
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k))) - 1.0


def log_kernel(t: FloatArray, k: int) -> FloatArray:
    """Return log P(label | right label, an error was made) (B, k, k) for t (B,). The diagonal has no meaning."""
    distance = distances(k)
    weight = -t[:, None, None] * distance
    total = np.exp(weight).sum(axis=2) - np.exp(np.diagonal(weight, axis1=1, axis2=2))
    return np.asarray(weight - np.log(total)[:, :, None])


def moments(t: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance (B, k) of the steps d - 1 of an error, by right label."""
    weight = np.exp(-np.outer(t, np.arange(k - 1)))
    sums = weight @ _powers(k)
    total, first, second = sums[:, :k], sums[:, k : 2 * k], sums[:, 2 * k :]
    mean = first / total
    return mean, np.maximum(second / total - mean**2, 0)


@cache
def _powers(k: int) -> FloatArray:
    """Return (k - 1, 3k): for each distance and right label the number of labels at that distance, times the distance
    to the power of 0, 1 and 2."""
    further = np.arange(k - 1.0)
    number = (distances(k)[:, :, None] == further).sum(axis=1).T
    return np.hstack([number * further[:, None] ** power for power in (0, 1, 2)])


def tilt(E: FloatArray) -> FloatArray:
    """Return the log AD (B,) that maximises the likelihood of the errors among the counts E (B, k, k).

    The maximum is found by Newton's method.
    """
    k = E.shape[1]
    distance = distances(k)
    errors = np.where(distance >= 0, E, 0.0)
    by_label, further = errors.sum(axis=2), (errors * distance).sum(axis=(1, 2))
    t = np.zeros(len(E))
    for _ in range(60):
        mean, variance = moments(t, k)
        slope = (by_label * mean).sum(axis=1) - further
        bend = (by_label * variance).sum(axis=1)
        move = np.minimum(np.maximum(slope / np.maximum(bend, 1e-12), -1.0), 1.0)
        t = np.minimum(np.maximum(t + move, -_FURTHEST), _FURTHEST)
        if np.abs(move).max() < 1e-11:
            break
    return t
