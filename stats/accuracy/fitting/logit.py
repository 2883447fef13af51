"""Errors of an accuracy on the logit scale.

There an accuracy is nearly normally distributed, and its interval stays inside (0, 1).
"""

from collections.abc import Callable

import numpy as np

from stats.accuracy import warnings_in_words
from stats.accuracy.fitting.bootstrap import Replicate, deviations
from stats.accuracy.fitting.estimator import Estimator, Interval, SystemFit, SystemPatterns
from stats.arrays import FloatArray, IntArray
from stats.special_functions import expit, logit, stdtrit

NORMAL = 1e9  # degrees of freedom from which Student's t is the normal distribution


def interval(accuracy: float, variance: float, confidence: float, degrees: float = NORMAL) -> Interval:
    """Return the interval for a given variance of logit(accuracy), by Student's t with `degrees` degrees of freedom.

    The standard error is on the probability scale, by the delta method.

    >>> result = interval(0.9, 0.25, 0.9)
    >>> round(result.se, 3), round(result.low, 3), round(result.high, 3)
    (0.045, 0.798, 0.953)
    """
    half = float(stdtrit(min(degrees, NORMAL), (1 + confidence) / 2)) * variance**0.5
    low, high = expit(logit(accuracy) + np.array([-half, half]))
    return Interval(accuracy * (1 - accuracy) * variance**0.5, float(low), float(high))


def least_variance(accuracy: float, n: float) -> float:
    """Return the variance of the logit of a share of n items, with half a right and half a wrong item added.

    This is the variance where the right label of each item is known. An estimate without right labels cannot be more
    certain. The likelihood's curvature or a bootstrap may claim so where the system seems right, or wrong, on all
    items.

    >>> round(least_variance(0.9, 99), 3)
    0.111
    """
    return 1 / ((n + 1) * accuracy * (1 - accuracy))


def bootstrapped(name: str, title: str, fit: Callable[[SystemPatterns], SystemFit], estimate: Replicate) -> Estimator:
    """Return the ESTIMATORS entry of a method whose interval is that of a bootstrap over items.

    estimate(C, system, W): the accuracy (B,) under each weighting W (B, p); NaN where it is undefined. Each replicate
    estimates all that the accuracy rests on, such as the raters' accuracy, so that the error of that is included.
    """

    def interval(patterns: SystemPatterns, fitted: SystemFit, confidence: float, seed: int) -> Interval:
        if fitted.accuracy is None:
            return Interval(None, None, None)
        return bootstrap(patterns, estimate, fitted.accuracy, confidence, seed)

    return Estimator(name, title, fit, interval, lambda patterns, W: estimate(patterns.C, patterns.system, W))


def bootstrap(
    patterns: SystemPatterns, replicate: Replicate, accuracy: float, confidence: float, seed: int
) -> Interval:
    """Return the interval from the standard deviation of the logits of bootstrap estimates.

    Half a right and half a wrong item keep each estimate off 0 and 1. The variance is at least `least_variance`. The
    interval is widened to hold an estimate of 0 or 1.
    """
    n = patterns.count(patterns.rated & patterns.answered)

    def logits(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
        return np.asarray(logit((replicate(C, system, W) * n + 0.5) / (n + 1)))

    around = deviations(patterns, logits, seed=seed)
    defined = around[~np.isnan(around)]
    if defined.size < 2:
        return Interval(None, None, None, tuple(warnings_in_words.on_replicates(1.0)))
    inside = (accuracy * n + 0.5) / (n + 1)
    variance = max(float(defined.var(ddof=1)), least_variance(inside, n))
    smoothed = interval(inside, variance, confidence)
    if smoothed.low is None or smoothed.high is None:
        return smoothed
    warnings = tuple(warnings_in_words.on_replicates(1 - defined.size / around.size))
    return Interval(smoothed.se, min(smoothed.low, accuracy), max(smoothed.high, accuracy), warnings)
