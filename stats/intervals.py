"""Compute confidence intervals and p-values from an estimate and its standard error, elementwise on arrays."""

import numpy as np
import numpy.typing as npt

from stats.arrays import FloatArray
from stats.errors import StatsError, check_numbers
from stats.special_functions import ndtri
from stats.student_t import student_cdf, student_quantile


def check_confidence(confidence: float) -> float:
    """Return the confidence level. Raises StatsError unless it lies between 0 and 1 (0.95, not 95)."""
    check_numbers(confidence=confidence)
    if not 0 < confidence < 1:
        raise StatsError(f"The confidence must lie between 0 and 1, found {confidence}. Pass 0.95 for 95 %.")
    return float(confidence)


def t_interval(
    estimate: npt.ArrayLike, se: npt.ArrayLike, df: npt.ArrayLike, *, confidence: float, upper: float = np.inf
) -> tuple[FloatArray, FloatArray]:
    """Return estimate -/+ t(df) se, with the upper end cut at `upper`. NaN where df < 1 or an argument is NaN.

    >>> [round(float(bound), 4) for bound in t_interval(0.7, 0.1, 11, confidence=0.95, upper=1)]
    [0.4799, 0.9201]
    """
    estimate, se, df = np.broadcast_arrays(*(np.asarray(a, float) for a in (estimate, se, df)))
    half = se * student_quantile(np.where(df >= 1, df, np.nan), (1 + check_confidence(confidence)) / 2)
    return estimate - half, np.minimum(estimate + half, upper)


def normal_interval(
    estimate: npt.ArrayLike, se: npt.ArrayLike, *, confidence: float, upper: float = np.inf
) -> tuple[FloatArray, FloatArray]:
    """Return estimate -/+ z se, with the upper end cut at `upper`. NaN where an argument is NaN.

    >>> [round(float(bound), 4) for bound in normal_interval(0.4842, 0.138, confidence=0.95)]
    [0.2137, 0.7547]
    """
    estimate, se = np.broadcast_arrays(*(np.asarray(a, float) for a in (estimate, se)))
    half = se * ndtri((1 + check_confidence(confidence)) / 2)
    return estimate - half, np.minimum(estimate + half, upper)


def two_sided_p(estimate: npt.ArrayLike, se: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    """Return P(|t(df)| >= |estimate / se|), the test that the quantity is 0. NaN where df < 1 or se is not above 0.

    >>> round(float(two_sided_p(0.77544, 0.14295, 11)), 7)
    0.0002087
    """
    estimate, se, df = np.broadcast_arrays(*(np.asarray(a, float) for a in (estimate, se, df)))
    defined = (se > 0) & (df >= 1)
    return 2 * student_cdf(np.where(defined, df, np.nan), -np.abs(estimate / np.where(defined, se, 1)))
