"""The outer interval: where an accuracy may lie if its estimate errs as such estimates did on real data with gold.

The inner interval allows for chance and for doubt between the models. On real data raters and systems also share
errors, which no model can see. The outer interval adds the variance of these errors, tau^2, on the logit scale:

    logit(A) +- z sqrt(U + B + tau^2)

U and B are as in `stats.accuracy.estimators.average`, with `dawid_skene` among the models. tau is OUTER_ERROR. It was
fitted on public sets, mostly of crowd workers (docs/accuracy-on-real-data.md). No public set has LLM systems beside
expert raters, so for these it is a guess.
"""

import numpy as np

from stats.accuracy.fitting.estimator import Interval
from stats.defaults import OUTER_ERROR
from stats.errors import StatsError, check_numbers
from stats.special_functions import expit, logit, ndtri

MAX_OUTER_ERROR = 100  # on the logit scale: with it, an interval holds every accuracy


def check_outer_error(tau: float) -> None:
    """Raise StatsError unless tau is a number from 0 to MAX_OUTER_ERROR."""
    check_numbers(outer_error=tau)
    if not 0 <= tau <= MAX_OUTER_ERROR:
        raise StatsError(
            f"The outer error must lie between 0 and {MAX_OUTER_ERROR}, found {tau}. Leave it out for {OUTER_ERROR}."
        )


def outer_interval(
    accuracy: float, variance: float, inner: Interval, confidence: float, tau: float = OUTER_ERROR
) -> tuple[float, float] | None:
    """Return the outer interval, or None where there is no inner one.

    `variance` is U + B. With few items the inner interval, by Student's t, may reach further on a side. The outer one
    then ends where the inner one does.

    >>> low, high = outer_interval(0.9, 0.04, Interval(0.02, 0.85, 0.93), 0.9)
    >>> round(low, 3), round(high, 3)
    (0.833, 0.942)
    """
    if inner.low is None or inner.high is None:
        return None
    half = float(ndtri((1 + confidence) / 2)) * (variance + tau**2) ** 0.5
    low, high = expit(logit(accuracy) + np.array([-half, half]))
    return min(float(low), inner.low), max(float(high), inner.high)
