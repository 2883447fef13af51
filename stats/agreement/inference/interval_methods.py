"""Compute standard error, interval and p-value of an estimate by each of METHODS."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.agreement.coefficients.coefficient import Bounds, CoefficientResult
from stats.agreement.count_tables import CountTables
from stats.agreement.inference.resampling import Estimate, bootstrap, leave_one_out
from stats.arrays import FloatArray
from stats.defaults import REPLICATES
from stats.errors import StatsError, is_whole
from stats.intervals import check_confidence, normal_interval, t_interval, two_sided_p
from stats.special_functions import ndtr, ndtri

TIE = 1e-12  # replicates that differ by less are equal but for rounding


@dataclass(frozen=True)
class ErrorOptions:
    """How to compute errors. population: number of items from which the rated ones were sampled, None for very many."""

    confidence: float = 0.95
    method: str = "t"
    replicates: int = REPLICATES
    seed: int = 0
    population: int | None = None


@dataclass(frozen=True)
class EstimateSpread:
    """Standard error (B,), interval and p-value of B estimates, and the method that computed them.

    undefined (B,): share of the items left out, or of the replicates, without an estimate.
    """

    se: FloatArray
    bounds: Bounds
    method: str
    undefined: FloatArray


def check_error_options(
    confidence: float, method: str, replicates: int, seed: int, population: int | None
) -> ErrorOptions:
    """Return the options. Raises StatsError for an unknown method, a confidence outside (0, 1), fewer than 100
    replicates, a seed below 0 and a population below 1."""
    if method not in METHODS:
        raise StatsError(f"The interval method must be one of {', '.join(METHODS)}, found {method!r}. Choose one.")
    numbers = [("replicates", replicates, 100), ("seed", seed, 0)]
    for what, number, least in [*numbers, *([("population", population, 1)] if population is not None else [])]:
        if not is_whole(number) or number < least:
            raise StatsError(f"The {what} must be a whole number from {least}, found {number!r}. Pass such a number.")
    return ErrorOptions(check_confidence(confidence), method, replicates, seed, population)


@dataclass(frozen=True)
class ErrorSample:
    """What errors are computed from.

    result: the result for all items. tables: all items, from which the bootstrap draws. entering: the items that enter
    the estimate, which the jackknife leaves out one by one. estimate: computes it for other tables. width: how many
    numbers it holds for each set.
    """

    result: CoefficientResult
    tables: CountTables
    entering: CountTables
    estimate: Estimate
    width: int


def check_population(tables: CountTables, errors: ErrorOptions) -> None:
    """Raise StatsError for a population smaller than the number of rated items."""
    largest = int(tables.n.max(initial=0))
    if errors.population is not None and errors.population < largest:
        raise StatsError(
            f"The population includes the items that were rated ({largest}), found {errors.population}. "
            "Pass the number of items that they were sampled from."
        )


def spread_of(sample: ErrorSample, errors: ErrorOptions) -> EstimateSpread:
    """Compute the errors by the method in `errors`. Without a formula for the variance, t and normal become jackknife.

    A coefficient with its own interval (F of the ICCs) uses that for t, with the jackknife's standard error, unless
    the population is finite: that interval has no correction for it.
    """
    method, result = errors.method, sample.result
    if method in ("t", "normal") and result.variance is None:
        method = "jackknife"
    spread = METHODS[method](sample, errors)
    if errors.method == "t" and result.bounds is not None and errors.population is None:
        return EstimateSpread(spread.se, result.bounds(errors.confidence), "F", spread.undefined)
    return spread


def _analytic(sample: ErrorSample, errors: ErrorOptions) -> EstimateSpread:
    result = sample.result
    assert result.variance is not None  # else spread_of takes the jackknife
    se = np.sqrt(result.variance() * _unseen(result, errors))
    df = result.df
    if errors.method == "normal":
        low, high = normal_interval(result.estimate, se, confidence=errors.confidence)
        df = np.where(df >= 1, np.inf, np.nan)
    else:
        low, high = t_interval(result.estimate, se, df, confidence=errors.confidence)
    return EstimateSpread(se, Bounds(low, high, two_sided_p(result.estimate, se, df)), errors.method, np.zeros(len(se)))


def _jackknife(sample: ErrorSample, errors: ErrorOptions) -> EstimateSpread:
    """se^2 = (n - 1) / n * sum over items of (value without the item - mean of the values)^2; t interval."""
    left, result = _leave_one_out(sample), sample.result
    n = np.where(left.n > 1, left.n, np.nan)
    se = np.sqrt((n - 1) / n * (left.items * left.deviation**2).sum(axis=1) * _unseen(result, errors))
    low, high = t_interval(result.estimate, se, result.df, confidence=errors.confidence)
    bounds = Bounds(low, high, two_sided_p(result.estimate, se, result.df))
    return EstimateSpread(se, bounds, "jackknife", 1 - left.n / np.maximum(sample.entering.n, 1))


def _percentile(sample: ErrorSample, errors: ErrorOptions) -> EstimateSpread:
    """Return quantiles of the bootstrap replicates as interval and their standard deviation as standard error."""
    values = _replicates(sample, errors)
    none = np.zeros(len(values))
    return _quantiles(values, none, none, errors.confidence, "percentile")


def _bca(sample: ErrorSample, errors: ErrorOptions) -> EstimateSpread:
    """Shift the quantiles for the replicates' median bias and for a standard error that changes with the parameter.

    Efron (1987), J. Am. Stat. Assoc. 82, 171-185; the acceleration is the jackknife's.
    """
    values, left = _replicates(sample, errors), _leave_one_out(sample)
    squares, cubes = ((left.items * left.deviation**power).sum(axis=1) for power in (2, 3))
    acceleration = -cubes / np.where(squares > 0, 6 * squares**1.5, np.inf)
    z0 = ndtri(_share_below(values, sample.result.estimate))
    return _quantiles(values, z0, acceleration, errors.confidence, "bca")


METHODS: dict[str, Callable[[ErrorSample, ErrorOptions], EstimateSpread]] = {
    "t": _analytic,
    "normal": _analytic,
    "jackknife": _jackknife,
    "percentile": _percentile,
    "bca": _bca,
}


def _unseen(result: CoefficientResult, errors: ErrorOptions) -> FloatArray | float:
    """Return the finite population correction of a variance: the share of the population that nobody rated."""
    return 1.0 if errors.population is None else 1 - result.n / errors.population


@dataclass(frozen=True)
class _LeftOut:
    """items (B, P) that have a value when one is left out, n (B,) of them, deviation (B, P) from the mean value."""

    items: FloatArray
    n: FloatArray
    deviation: FloatArray


def _leave_one_out(sample: ErrorSample) -> _LeftOut:
    tables = sample.entering
    values = leave_one_out(sample.estimate, tables, sample.width)
    items = np.where(np.isnan(values), 0.0, tables.pattern_items)
    values, n = np.nan_to_num(values), items.sum(axis=1)
    mean = (items * values).sum(axis=1) / np.maximum(n, 1)
    return _LeftOut(items, n, np.where(items > 0, values - mean[:, None], 0.0))


def _replicates(sample: ErrorSample, errors: ErrorOptions) -> FloatArray:
    """Return the (B, replicates) estimates, moved towards the estimate if the population is finite."""
    values = bootstrap(sample.estimate, sample.tables, errors.replicates, errors.seed)
    at = sample.result.estimate[:, None]
    if errors.population is None:
        return values
    shrunk: FloatArray = at + (values - at) * np.sqrt(np.reshape(_unseen(sample.result, errors), (-1, 1)))
    return shrunk


def _share_below(values: FloatArray, at: FloatArray) -> FloatArray:
    """Return the (B,) share of the defined values below `at`, ties by half, cut so that ndtri stays finite.

    Values that only rounding tells apart are ties: else coefficients that are the same had different intervals.
    """
    at = at[:, None]
    n_defined = np.maximum((~np.isnan(values)).sum(axis=1), 1)
    below = (values < at - TIE).sum(axis=1) + (np.abs(values - at) <= TIE).sum(axis=1) / 2
    share: FloatArray = np.clip(below, 0.5, n_defined - 0.5) / n_defined
    return share


def _quantiles(
    values: FloatArray, z0: FloatArray, acceleration: FloatArray, confidence: float, method: str
) -> EstimateSpread:
    """Return quantiles of each row's defined values (at least two), and the p-value whose interval ends at 0."""
    tail, a = (1 - confidence) / 2, acceleration[:, None]
    shifted = z0[:, None] + ndtri([tail, 1 - tail])
    ends = ndtr(z0[:, None] + shifted / (1 - a * shifted))
    low, high, se = (np.full(len(values), np.nan) for _ in range(3))
    for position, row in enumerate(values):
        defined = row[~np.isnan(row)]
        if len(defined) >= 2 and not np.isnan(ends[position]).any():
            low[position], high[position] = np.quantile(defined, ends[position])
            se[position] = defined.std(ddof=1)
    # as many replicates beyond 0 as there are, and one more: none of 1,000 is not a p-value of 0
    below, above = (values <= TIE).sum(axis=1), (values >= -TIE).sum(axis=1)
    rarer = np.minimum((np.minimum(below, above) + 1) / ((~np.isnan(values)).sum(axis=1) + 1), 0.5)
    from_zero = np.where(below < above, 1, -1) * ndtri(rarer) - z0
    p_value = 2 * ndtr(-np.abs(from_zero / (1 + acceleration * from_zero) - z0))
    return EstimateSpread(
        se, Bounds(low, high, np.where(np.isnan(se), np.nan, p_value)), method, np.isnan(values).mean(axis=1)
    )
