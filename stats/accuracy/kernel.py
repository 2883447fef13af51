"""How errors are spread over the labels of an ordered scale: as AD^-(d - 1) of the distance d.

AD = 1 spreads them evenly, AD = 2 halves them with every further step. Source: Lehner (2015), "asymmetry of
distance". Everything is in terms of t = log AD, of which the log-likelihood is a concave function.
"""

import numpy as np

from stats.accuracy.estimator import FloatArray

_FURTHEST = 20.0  # bound on |log AD|


def distances(k: int) -> FloatArray:
    """(k, k) steps beyond the first between the right label and another: d - 1; -1 on the diagonal."""
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k))) - 1.0


def log_kernel(t: FloatArray, k: int) -> FloatArray:
    """(B, k, k) log P(label | right label, an error was made) for t (B,); the diagonal is meaningless."""
    steps = distances(k)
    weight = -t[:, None, None] * steps
    total = np.exp(weight).sum(axis=2) - np.exp(np.diagonal(weight, axis1=1, axis2=2))
    return np.asarray(weight - np.log(total)[:, :, None])


def moments(t: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Mean and variance (B, k) of the steps d - 1 of an error, by right label."""
    steps = distances(k)
    number = (steps[:, :, None] == np.arange(k - 1)).sum(axis=1)  # (k, k - 1) labels at each distance
    weight = np.exp(-np.outer(t, np.arange(k - 1)))
    total, first, second = (weight * np.arange(k - 1) ** power @ number.T for power in (0, 1, 2))
    mean = first / total
    return mean, np.clip(second / total - mean**2, 0, None)


def tilt(E: FloatArray) -> FloatArray:
    """(B,) log AD that maximises the likelihood of the errors among the counts E (B, k, k), by Newton's method."""
    k = E.shape[1]
    steps = distances(k)
    errors = np.where(steps >= 0, E, 0.0)
    by_label, further = errors.sum(axis=2), (errors * steps).sum(axis=(1, 2))
    t = np.zeros(len(E))
    for _ in range(60):
        mean, variance = moments(t, k)
        slope = (by_label * mean).sum(axis=1) - further
        bend = (by_label * variance).sum(axis=1)
        move = np.clip(slope / np.maximum(bend, 1e-12), -1.0, 1.0)
        t = np.clip(t + move, -_FURTHEST, _FURTHEST)
        if np.abs(move).max() < 1e-11:
            break
    return t
