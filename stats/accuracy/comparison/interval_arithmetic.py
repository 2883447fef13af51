"""Combine intervals of independent estimates: the difference of two, and the weighted mean of several.

The first two use the method of variance estimates recovery (MOVER: Zou and Donner 2008, doi:10.1002/sim.3095). The
distance from an estimate to a limit of its interval stands for its error in that direction, so that intervals may be
lopsided. `at_least_between` holds the interval of a difference to those of the two estimates, and
`as_sure_as_interval` holds a probability to the interval that stands beside it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, low <= value <= high."""

    value: float
    low: float
    high: float


def difference(estimate: Estimate, other: Estimate) -> Estimate:
    """Return `one - other` with the interval that follows if their errors are independent.

    >>> result = difference(Estimate(0.9, 0.8, 0.95), Estimate(0.5, 0.4, 0.6))
    >>> [round(x, 3) for x in (result.value, result.low, result.high)]
    [0.4, 0.259, 0.512]
    """
    value = estimate.value - other.value
    below = math.hypot(estimate.value - estimate.low, other.high - other.value)
    above = math.hypot(estimate.high - estimate.value, other.value - other.low)
    return Estimate(value, value - below, value + above)


def weighted_mean(estimates: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """Return the mean with the interval that follows if the errors of the estimates are independent.

    Raises ZeroDivisionError if there are no estimates or the weights add up to 0.

    >>> result = weighted_mean([Estimate(0.6, 0.5, 0.7), Estimate(0.9, 0.8, 1.0)], [1, 2])
    >>> [round(x, 3) for x in (result.value, result.low, result.high)]
    [0.8, 0.725, 0.875]
    """
    shares = [weight / sum(weights) for weight in weights]
    pairs = list(zip(shares, estimates, strict=True))
    value = sum(share * estimate.value for share, estimate in pairs) / sum(shares)
    below = math.hypot(*(share * (estimate.value - estimate.low) for share, estimate in pairs))
    above = math.hypot(*(share * (estimate.high - estimate.value) for share, estimate in pairs))
    return Estimate(value, value - below, value + above)


def at_least_between(
    low: float, high: float, estimate: tuple[float, float], other: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval of a difference, widened to what the intervals of the two estimates allow.

    The errors of the two may cancel. They cancel most where both estimates are at their lower limits together and at
    their upper limits together. So the difference is never surer than from the one case to the other: its standard
    error is at least the difference of the two standard errors.

    >>> at_least_between(-0.14, -0.05, (0.0, 1.0), (0.75, 0.9))
    (-0.75, 0.1)
    >>> at_least_between(-0.05, 0.05, (0.5, 0.8), (0.5, 0.8))
    (-0.05, 0.05)
    """
    at_lower, at_upper = round(estimate[0] - other[0], 12), round(estimate[1] - other[1], 12)
    return min(low, at_lower, at_upper), max(high, at_lower, at_upper)


def as_sure_as_interval(probability: float, low: float, high: float, *, confidence: float) -> float:
    """Return the probability that a difference is above 0, held to what its interval says.

    With gold the interval is about the unbiased estimate, and the difference itself is combined with the model. So the
    probability by the difference may be surer than the interval, or less sure. An interval that holds 0 allows
    (1 - confidence) / 2 to (1 + confidence) / 2, one above 0 at least the upper limit of these, one below 0 at most
    the lower one.

    >>> as_sure_as_interval(0.99, -0.1, 0.3, confidence=0.95), as_sure_as_interval(0.94, 0.1, 0.3, confidence=0.95)
    (0.975, 0.975)
    """
    least, most = (1 - confidence) / 2, (1 + confidence) / 2
    if low > 0:
        return max(probability, most)
    return min(probability, least) if high < 0 else min(max(probability, least), most)
