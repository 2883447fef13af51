"""From the parts of a coefficient to what is reported: estimate, standard error, interval, p-value or a reason."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.agreement.coefficient import Coefficient, Parts
from stats.agreement.tables import Tables
from stats.agreement.weights import Setting
from stats.intervals import FloatArray, t_interval, two_sided_p

TINY = 1e-12  # closer to 1 or 0 than this is exact but for rounding


@dataclass(frozen=True)
class Results:
    """A coefficient for B sets of ratings, all (B,): NaN in `estimate` and an entry in `reason` where undefined.

    degenerate: all items agree to the same degree, so that the standard error is 0 and says nothing.
    """

    estimate: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    observed: FloatArray
    expected: FloatArray
    n_items: FloatArray
    reason: npt.NDArray[np.object_]
    degenerate: npt.NDArray[np.bool_]


def results_of(coefficient: Coefficient, tables: Tables, setting: Setting, confidence: float) -> Results:
    """Compute a coefficient. Standard errors are Gwet's, conditional on the raters; intervals are t, at most 1.

    Perfect agreement has estimate 1, standard error 0 and the interval [1, 1] whatever the formula of the
    variance makes of items with a single rating. Undefined: `not_applicable` (two-rater coefficients with
    more raters, an unweighted coefficient with weights), `too_few_raters` (one), `too_few_items` (fewer than
    two with two ratings), `zero_denominator` (one declared label, expected agreement 1).
    """
    why = _ruled_out(coefficient, tables, setting)
    if why:
        return _nothing(len(tables.items), tables.n, why)
    parts = coefficient.compute(tables, setting)
    reason = np.full(len(parts.estimate), None, dtype=object)
    perfect = (np.abs(1 - parts.observed) < TINY) & ~np.isnan(parts.estimate)
    estimate = np.where(perfect, 1.0, parts.estimate)
    se = standard_error(parts)
    se = np.where(perfect | (se < TINY), 0.0, se)
    reason[np.isnan(estimate)] = "zero_denominator"
    if tables.n_labels == 1 and coefficient.chance:
        reason[:] = "zero_denominator"
    reason[parts.n_pairable < 2] = "too_few_items"
    undefined = np.array([code is not None for code in reason])
    estimate, se = np.where(undefined, np.nan, estimate), np.where(undefined, np.nan, se)
    low, high = t_interval(estimate, se, parts.df, confidence=confidence, upper=1.0)
    if not coefficient.chance:
        low = np.maximum(low, 0.0)  # a share; what is corrected for chance is left as R's irrCAC prints it
    p_value = two_sided_p(estimate, se, parts.df)
    degenerate = se == 0
    return Results(estimate, se, low, high, p_value, parts.observed, parts.expected, parts.n, reason, degenerate)


def standard_error(parts: Parts) -> FloatArray:
    """(B,) sqrt(sum(items (terms - centre)^2) / (n (n - ddof)))."""
    squares = (parts.items * (parts.terms - parts.centre[:, None]) ** 2).sum(axis=1)
    variance: FloatArray = squares / np.where(parts.n > parts.ddof, parts.n * (parts.n - parts.ddof), np.nan)
    return np.sqrt(variance)


def _ruled_out(coefficient: Coefficient, tables: Tables, setting: Setting) -> str | None:
    """The reason why this design has no such coefficient, before anything is computed."""
    if coefficient.two_raters and tables.n_raters > 2:
        return "not_applicable"
    if not coefficient.weighted and setting.weights not in (None, "identity"):
        return "not_applicable"
    if tables.n_raters < 2:
        return "too_few_raters"
    return None


def _nothing(size: int, n: FloatArray, why: str) -> Results:
    nan = np.full(size, np.nan)
    reason = np.full(size, why, dtype=object)
    return Results(nan, nan, nan, nan, nan, nan, nan, n, reason, np.zeros(size, dtype=bool))
