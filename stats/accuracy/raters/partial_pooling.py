"""Partial pooling: accuracies of many raters, each shrunk towards the common one according to its error.

Source: C. N. Morris & R. Tang (2011), Estimating Random Effects via Adjustment for Density Maximization, Stat. Sci.
26, 271-287. The idea is in C. N. Morris (1983), J. Am. Stat. Assoc. 78, 47-55.
"""

import numpy as np

from stats.arrays import FloatArray

GRID = np.geomspace(1e-7, 0.25, 120)  # variances between raters: a share of right answers has no more than 1/4


def drawn_together(accuracy: FloatArray, variance: FloatArray, mean: float) -> tuple[FloatArray, bool]:
    """Return accuracies (r,) shrunk towards the mean, and whether by more than half on average.

    Each accuracy keeps the share t / (t + v) of its distance from the mean. v is the variance of its own error, t the
    variance between the raters. t maximises t times its restricted likelihood. This keeps t off 0, where all raters
    would be equal, because that is never known. With three raters or fewer there is almost no shrinking.

    >>> figures, alike = drawn_together(np.array([0.6, 0.7, 0.7, 0.7, 0.8]), np.full(5, 0.01), 0.7)
    >>> figures.round(3).tolist(), alike
    ([0.638, 0.7, 0.7, 0.7, 0.762], False)
    """
    t = GRID[:, None]
    weight = 1 / (t + variance)
    total = weight.sum(axis=1)
    centre = (weight * accuracy).sum(axis=1) / total
    squares = (weight * (accuracy - centre[:, None]) ** 2).sum(axis=1)
    objective = np.log(GRID) + (np.log(weight).sum(axis=1) - np.log(total) - squares) / 2
    own = float(GRID[objective.argmax()])
    kept = own / (own + variance)
    return mean + kept * (accuracy - mean), bool(kept.mean() < 0.5)


def with_mean(accuracy: FloatArray, weight: FloatArray, mean: float) -> FloatArray:
    """Return the accuracies, all shifted by the same amount and cut at 0 and 1, so that their weighted mean is `mean`.

    >>> with_mean(np.array([0.9, 0.5]), np.array([1.0, 3.0]), 0.7).round(3).tolist()
    [1.0, 0.6]
    """
    low, high = -1.0, 1.0
    for _ in range(60):
        step = (low + high) / 2
        below = float(weight @ np.clip(accuracy + step, 0, 1)) < mean * float(weight.sum())
        low, high = (step, high) if below else (low, step)
    return np.clip(accuracy + (low + high) / 2, 0, 1)
