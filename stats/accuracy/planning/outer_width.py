"""The outer half-width that a plan reaches: more ratings narrow the inner interval, but not the errors on real data."""

from stats.accuracy.fitting.estimator import Interval
from stats.accuracy.fitting.outer_interval import outer_interval
from stats.accuracy.planning.items_needed import check_shares
from stats.defaults import OUTER_ERROR


def outer_half_width(accuracy: float, se: float, confidence: float, *, outer_error: float = OUTER_ERROR) -> float:
    """Return half the width of the outer interval of an accuracy whose standard error is se.

    With se 0 it is what remains however many ratings there are. Raises StatsError for an accuracy or a confidence that
    is not between 0 and 1.

    >>> round(outer_half_width(0.9, 0.03, 0.9), 3), round(outer_half_width(0.9, 0.0, 0.9), 3)
    (0.069, 0.045)
    """
    check_shares(system_accuracy=accuracy, confidence=confidence)
    variance = (se / (accuracy * (1 - accuracy))) ** 2
    ends = outer_interval(accuracy, variance, Interval(se, accuracy, accuracy), confidence, outer_error)
    assert ends is not None  # there is an inner interval
    return (ends[1] - ends[0]) / 2
