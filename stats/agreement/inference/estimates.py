"""Compute what is reported of a coefficient: estimate, standard error, interval, p-value, or the reason for a null."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from stats.agreement.coefficients.coefficient import ALL_RATERS, Bounds, Coefficient, CoefficientResult
from stats.agreement.count_tables import CountTables, at_least, without_raters
from stats.agreement.inference.interval_methods import (
    ErrorOptions,
    ErrorSample,
    EstimateSpread,
    check_population,
    spread_of,
)
from stats.agreement.weights import NUMERIC, LabelSetting
from stats.arrays import FloatArray

FIGURES = ("estimate", "se", "low", "high", "p_value", "observed", "expected")
TINY = 1e-12  # closer to 1 or 0 than this is exact but for rounding


@dataclass(frozen=True)
class CoefficientEstimates:
    """A coefficient for B sets of ratings, all (B,). Where undefined, `estimate` is NaN and `reason` has a code.

    n_items: items that entered. undefined: share of the replicates without an estimate. degenerate: the
    standard error comes out as 0 and says nothing; it is 0 too where all items of a finite population were rated.
    method: of the errors.
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
    undefined: FloatArray
    method: str
    note: str | None = None


def compute_estimates(
    coefficient: Coefficient, tables: CountTables, setting: LabelSetting, errors: ErrorOptions
) -> CoefficientEstimates:
    """Compute a coefficient with its standard error, interval (cut at 1) and p-value, for these raters.

    Perfect agreement has estimate 1, standard error 0 and the interval [1, 1], also where the formula of the variance
    returns more because of items with a single rating. Reasons for an undefined figure: `not_applicable` (the
    coefficient does not fit the design, labels or weights), `too_few_raters` (one), `too_few_items` (fewer than two
    with two ratings), `zero_denominator` (one declared label, expected agreement 1).
    """
    check_population(tables, errors)
    why = design_reason(coefficient, tables, setting)
    if why:
        return _undefined_estimates(tables.items.shape[0], tables.n, why, errors.method)
    if not coefficient.by_rater:
        tables = without_raters(tables)
    result = coefficient.compute(tables, setting)
    reason = np.full(len(result.estimate), None, dtype=object)
    reason[np.isnan(result.estimate)] = "zero_denominator"
    if tables.n_labels == 1 and coefficient.corrects_chance:
        reason[:] = "zero_denominator"
    reason[result.n_pairable < 2] = "too_few_items"
    undefined = np.array([code is not None for code in reason])
    perfect = ~undefined & _is_perfect(result)
    result = replace(result, estimate=np.where(undefined, np.nan, _rounded(result, perfect)))
    if undefined.all():
        spread = _no_spread(len(reason), errors.method)
    else:
        spread = spread_of(_sample(coefficient, result, tables, setting), errors)
    whole, equal = result.n == (errors.population or 0), spread.se < TINY
    # if some replicates or left-out items have no value, equal values of the others say nothing
    se = np.where(perfect | whole | (equal & (spread.undefined == 0)), 0.0, np.where(equal, np.nan, spread.se))
    se = np.where(undefined, np.nan, se)
    unknown = undefined | (equal & (spread.method != "F"))
    low, high = (np.where(se == 0, result.estimate, np.where(unknown, np.nan, end)) for end in _ends(spread))
    p_value = np.where((se > 0) & coefficient.has_p_value, spread.bounds.p_value, np.nan)
    return CoefficientEstimates(
        estimate=result.estimate,
        se=se,
        low=np.maximum(low, coefficient.lower_limit),
        high=np.minimum(high, 1.0),
        p_value=p_value,
        observed=result.observed,
        expected=result.expected,
        n_items=result.n,
        reason=reason,
        degenerate=(se == 0) & (perfect | ~whole),
        undefined=np.where(undefined | (se == 0), 0.0, spread.undefined),
        method=spread.method,
        note=result.note,
    )


def compute_point_estimates(
    coefficient: Coefficient, tables: CountTables, setting: LabelSetting
) -> CoefficientEstimates:
    """Compute estimate, observed, expected and reason as `compute_estimates` does. Its errors mean nothing."""

    def compute(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
        result = coefficient.compute(tables, setting)
        return replace(result, variance=lambda: np.zeros_like(result.estimate), bounds=None)

    return compute_estimates(replace(coefficient, compute=compute), tables, setting, ErrorOptions())


def figures_of(results: CoefficientEstimates) -> dict[str, Any]:
    """Return the figures of the first set, None where undefined, and the reason."""
    values = {name: float(getattr(results, name)[0]) for name in FIGURES}
    return {name: None if np.isnan(value) else value for name, value in values.items()} | {"reason": results.reason[0]}


def one_set(results: CoefficientEstimates, number: int) -> CoefficientEstimates:
    """Return the estimates of one set alone."""
    arrays: dict[str, Any] = {
        name: value[number : number + 1] for name, value in vars(results).items() if isinstance(value, np.ndarray)
    }
    return replace(results, **arrays)


def design_reason(coefficient: Coefficient, tables: CountTables, setting: LabelSetting) -> str | None:
    """Return the reason why the coefficient does not fit these tables, or None. Nothing is computed."""
    if tables.n_raters < 2:
        return "too_few_raters"
    if coefficient.two_raters and tables.n_raters > 2:
        return "not_applicable"
    if coefficient.two_labels and tables.n_labels != 2:
        return "not_applicable"
    if coefficient.numeric and setting.scale not in NUMERIC:
        return "not_applicable"
    if not coefficient.weighted and setting.weights not in (None, "identity"):
        return "not_applicable"
    return None


def _is_perfect(result: CoefficientResult) -> npt.NDArray[np.bool_]:
    """Check whether the raters agree on everything.

    A coefficient can be 1 without that. Where it has an observed agreement, this decides.
    """
    off, agree = np.abs(1 - result.estimate), np.abs(1 - result.observed) < TINY
    # where the expected agreement is near 1, perfect agreement comes out as 1 only nearly
    is_perfect: npt.NDArray[np.bool_] = (agree & (off < 1e-6)) | (np.isnan(result.observed) & (off < TINY))
    return is_perfect


def _rounded(result: CoefficientResult, perfect: npt.NDArray[np.bool_]) -> FloatArray:
    return np.where(perfect | (np.abs(1 - result.estimate) < TINY), 1.0, result.estimate)


def _sample(
    coefficient: Coefficient, result: CoefficientResult, tables: CountTables, setting: LabelSetting
) -> ErrorSample:
    ratings = tables.n_raters if coefficient.min_ratings == ALL_RATERS else coefficient.min_ratings
    return ErrorSample(
        result,
        tables,
        at_least(tables, ratings),
        lambda resampled: coefficient.compute(resampled, setting).estimate,
        coefficient.width(tables.n_labels, tables.n_raters),
    )


def _ends(spread: EstimateSpread) -> tuple[FloatArray, FloatArray]:
    return spread.bounds.low, spread.bounds.high


def _no_spread(size: int, method: str) -> EstimateSpread:
    nan = np.full(size, np.nan)
    return EstimateSpread(nan, Bounds(nan, nan, nan), method, np.zeros(size))


def _undefined_estimates(size: int, n: FloatArray, why: str, method: str) -> CoefficientEstimates:
    nan, none = np.full(size, np.nan), np.zeros(size)
    reason = np.full(size, why, dtype=object)
    return CoefficientEstimates(nan, nan, nan, nan, nan, nan, nan, n, reason, none.astype(bool), none, method)
