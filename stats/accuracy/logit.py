"""Errors of an accuracy on the logit scale, where they are nearly normal and an interval stays inside (0, 1)."""

from collections.abc import Callable

import numpy as np
from scipy.special import expit, logit, stdtrit

from stats.accuracy import notes
from stats.accuracy.bootstrap import deviations
from stats.accuracy.estimator import FloatArray, IntArray, Interval, Patterns

NORMAL = 1e9  # degrees of freedom from which Student's t is the normal distribution


def interval(accuracy: float, variance: float, confidence: float, degrees: float = NORMAL) -> Interval:
    """Interval from the variance of logit(accuracy), with Student's t of so many degrees; se by the delta method.

    >>> found = interval(0.9, 0.25, 0.9)
    >>> round(found.se, 3), round(found.low, 3), round(found.high, 3)
    (0.045, 0.798, 0.953)
    """
    half = float(stdtrit(min(degrees, NORMAL), (1 + confidence) / 2)) * variance**0.5
    low, high = expit(logit(accuracy) + np.array([-half, half]))
    return Interval(accuracy * (1 - accuracy) * variance**0.5, float(low), float(high))


def least_variance(accuracy: float, n: float) -> float:
    """Variance of the logit of a share of n items, half a right and half a wrong item added: what it is where the
    right label of each is known. No estimate without them can be surer, whatever the curvature of a likelihood or a
    bootstrap says where the system seems to be right, or wrong, on all items.

    >>> round(least_variance(0.9, 99), 3)
    0.111
    """
    return 1 / ((n + 1) * accuracy * (1 - accuracy))


def bootstrap(
    patterns: Patterns,
    replicate: Callable[[IntArray, IntArray, FloatArray], FloatArray],
    accuracy: float,
    confidence: float,
    seed: int,
) -> Interval:
    """Interval from the standard deviation of the logits of bootstrap estimates, each kept off 0 and 1 by half a
    right and half a wrong item; no less than `least_variance`, and widened to hold an estimate of 0 or 1."""
    n = patterns.count(patterns.rated & patterns.answered)

    def logits(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
        return np.asarray(logit((replicate(C, system, W) * n + 0.5) / (n + 1)))

    around = deviations(patterns, logits, seed=seed)
    defined = around[~np.isnan(around)]
    if defined.size < 2:
        return Interval(None, None, None, tuple(notes.on_replicates(1.0)))
    inside = (accuracy * n + 0.5) / (n + 1)
    variance = max(float(defined.var(ddof=1)), least_variance(inside, n))
    found = interval(inside, variance, confidence)
    if found.low is None or found.high is None:
        return found
    warnings = tuple(notes.on_replicates(1 - defined.size / around.size))
    return Interval(found.se, min(found.low, accuracy), max(found.high, accuracy), warnings)
