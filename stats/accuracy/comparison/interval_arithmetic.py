"""Combine intervals of independent estimates: the difference of two, and the weighted mean of several.

Both are the method of variance estimates recovery (MOVER: Zou and Donner 2008, doi:10.1002/sim.3095). The distance from
an estimate to a limit of its interval stands for its error in that direction, so that intervals may be lopsided.
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


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Return `one - other` with the interval that follows if their errors are independent.

    >>> found = difference(Estimate(0.9, 0.8, 0.95), Estimate(0.5, 0.4, 0.6))
    >>> [round(x, 3) for x in (found.value, found.low, found.high)]
    [0.4, 0.259, 0.512]
    """
    value = one.value - other.value
    below = math.hypot(one.value - one.low, other.high - other.value)
    above = math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, value - below, value + above)


def weighted_mean(estimates: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """Return the mean with the interval that follows if the errors of the estimates are independent.

    Raises ZeroDivisionError if there are no estimates or the weights add up to 0.

    >>> found = weighted_mean([Estimate(0.6, 0.5, 0.7), Estimate(0.9, 0.8, 1.0)], [1, 2])
    >>> [round(x, 3) for x in (found.value, found.low, found.high)]
    [0.8, 0.725, 0.875]
    """
    shares = [weight / sum(weights) for weight in weights]
    pairs = list(zip(shares, estimates, strict=True))
    value = sum(share * estimate.value for share, estimate in pairs) / sum(shares)
    below = math.hypot(*(share * (estimate.value - estimate.low) for share, estimate in pairs))
    above = math.hypot(*(share * (estimate.high - estimate.value) for share, estimate in pairs))
    return Estimate(value, value - below, value + above)
