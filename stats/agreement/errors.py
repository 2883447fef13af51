"""How sure an estimate is: standard error, interval and p-value by each method. METHODS holds them by name."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from stats.agreement.coefficient import Bounds, Parts
from stats.agreement.resampling import Estimate, bootstrap, leave_one_out
from stats.agreement.tables import Tables
from stats.errors import StatsError
from stats.intervals import FloatArray, checked_confidence, normal_interval, t_interval, two_sided_p


@dataclass(frozen=True)
class Errors:
    """What the caller wants of the errors; `population` is the number of items that those seen were sampled from."""

    confidence: float = 0.95
    method: str = "t"
    replicates: int = 1000
    seed: int = 0
    population: int | None = None


@dataclass(frozen=True)
class Spread:
    """How sure: standard error (B,), interval and p-value, by which method.

    undefined (B,): share of the items left out, or of the replicates, for which the estimate is undefined.
    """

    se: FloatArray
    bounds: Bounds
    method: str
    undefined: FloatArray


def checked_errors(confidence: float, method: str, replicates: int, seed: int, population: int | None) -> Errors:
    """Raises StatsError for a method that is none, too few replicates, a seed or population below 0."""
    if method not in METHODS:
        raise StatsError(f"The interval method must be one of {', '.join(METHODS)}, found {method!r}. Choose one.")
    for what, number, least in (("replicates", replicates, 100), ("seed", seed, 0), ("population", population, 1)):
        if number is not None and (not isinstance(number, int) or number < least):
            raise StatsError(f"The {what} must be a whole number from {least}, found {number!r}. Pass such a number.")
    return Errors(checked_confidence(confidence), method, replicates, seed, population)


@dataclass(frozen=True)
class Sample:
    """What errors are computed from: an estimate's parts, all items, those that enter, itself, and its width.

    The jackknife leaves out items that enter, so that others do not count in its n; the bootstrap draws from all.
    """

    parts: Parts
    tables: Tables
    entering: Tables
    estimate: Estimate
    width: int


def checked_population(tables: Tables, errors: Errors) -> None:
    """Raises StatsError for a population that is smaller than the number of items rated."""
    largest = int(tables.n.max(initial=0))
    if errors.population is not None and errors.population < largest:
        raise StatsError(
            f"The population includes the {largest} items that were rated, found {errors.population}. "
            "Pass the number of items that they were sampled from."
        )


def spread_of(sample: Sample, errors: Errors) -> Spread:
    """Errors by the method that was asked for. Without a formula for the variance, t and normal become jackknife.

    A coefficient that has an interval of its own (ICC's F) takes it for t, with the jackknife's standard
    error, unless the population is finite, which that interval does not know.
    """
    method, parts = errors.method, sample.parts
    if method in ("t", "normal") and parts.variance is None:
        method = "jackknife"
    spread = METHODS[method](sample, errors)
    if errors.method == "t" and parts.bounds is not None and errors.population is None:
        return Spread(spread.se, parts.bounds(errors.confidence), "F", spread.undefined)
    return spread


def _analytic(sample: Sample, errors: Errors) -> Spread:
    parts = sample.parts
    assert parts.variance is not None  # spread_of asks for nothing else
    se = np.sqrt(parts.variance() * _unseen(parts, errors))
    df = parts.df
    if errors.method == "normal":
        low, high = normal_interval(parts.estimate, se, confidence=errors.confidence)
        df = np.where(df >= 1, np.inf, np.nan)
    else:
        low, high = t_interval(parts.estimate, se, df, confidence=errors.confidence)
    return Spread(se, Bounds(low, high, two_sided_p(parts.estimate, se, df)), errors.method, np.zeros(len(se)))


def _jackknife(sample: Sample, errors: Errors) -> Spread:
    """se^2 = (n - 1) / n * sum over items of (value without the item - mean of the values)^2; t interval."""
    left, parts = _leave_one_out(sample), sample.parts
    n = np.where(left.n > 1, left.n, np.nan)
    se = np.sqrt((n - 1) / n * (left.items * left.deviation**2).sum(axis=1) * _unseen(parts, errors))
    low, high = t_interval(parts.estimate, se, parts.df, confidence=errors.confidence)
    bounds = Bounds(low, high, two_sided_p(parts.estimate, se, parts.df))
    return Spread(se, bounds, "jackknife", 1 - left.n / np.maximum(sample.entering.n, 1))


def _percentile(sample: Sample, errors: Errors) -> Spread:
    """Quantiles of the bootstrap replicates, of which se is the standard deviation."""
    values = _replicates(sample, errors)
    none = np.zeros(len(values))
    return _quantiles(values, none, none, errors.confidence, "percentile")


def _bca(sample: Sample, errors: Errors) -> Spread:
    """Quantiles shifted for the replicates' median bias and for a standard error that changes with the parameter.

    Efron (1987), J. Am. Stat. Assoc. 82, 171-185; the acceleration is the jackknife's.
    """
    values, left = _replicates(sample, errors), _leave_one_out(sample)
    squares, cubes = ((left.items * left.deviation**power).sum(axis=1) for power in (2, 3))
    acceleration = -cubes / np.where(squares > 0, 6 * squares**1.5, np.inf)
    z0 = ndtri(_share_below(values, sample.parts.estimate))
    return _quantiles(values, z0, acceleration, errors.confidence, "bca")


METHODS: dict[str, Callable[[Sample, Errors], Spread]] = {
    "t": _analytic,
    "normal": _analytic,
    "jackknife": _jackknife,
    "percentile": _percentile,
    "bca": _bca,
}


def _unseen(parts: Parts, errors: Errors) -> FloatArray | float:
    """The finite population correction of a variance: the share of the population that was not seen."""
    return 1.0 if errors.population is None else 1 - parts.n / errors.population


@dataclass(frozen=True)
class _LeftOut:
    """items (B, P) that have a value when one is left out, n (B,) of them, deviation (B, P) from the mean value."""

    items: FloatArray
    n: FloatArray
    deviation: FloatArray


def _leave_one_out(sample: Sample) -> _LeftOut:
    tables = sample.entering
    values = leave_one_out(sample.estimate, tables, sample.width)
    items = np.where(np.isnan(values), 0.0, tables.pattern_items)
    values, n = np.nan_to_num(values), items.sum(axis=1)
    mean = (items * values).sum(axis=1) / np.maximum(n, 1)
    return _LeftOut(items, n, np.where(items > 0, values - mean[:, None], 0.0))


def _replicates(sample: Sample, errors: Errors) -> FloatArray:
    """(B, replicates), drawn nearer to the estimate if the population is finite."""
    values = bootstrap(sample.estimate, sample.tables, errors.replicates, errors.seed)
    at = sample.parts.estimate[:, None]
    if errors.population is None:
        return values
    shrunk: FloatArray = at + (values - at) * np.sqrt(np.reshape(_unseen(sample.parts, errors), (-1, 1)))
    return shrunk


def _share_below(values: FloatArray, at: FloatArray) -> FloatArray:
    """(B,) share of the defined values below `at`, ties by half; half a value from 0 and 1, so that ndtri is finite."""
    at = at[:, None]
    known = np.maximum((~np.isnan(values)).sum(axis=1), 1)
    below = (values < at).sum(axis=1) + (values == at).sum(axis=1) / 2
    share: FloatArray = np.clip(below, 0.5, known - 0.5) / known
    return share


def _quantiles(values: FloatArray, z0: FloatArray, acceleration: FloatArray, confidence: float, method: str) -> Spread:
    """Quantiles of each row's defined values (two at least), and the p-value with which the interval ends at 0."""
    tail, a = (1 - confidence) / 2, acceleration[:, None]
    shifted = z0[:, None] + ndtri([tail, 1 - tail])
    ends = ndtr(z0[:, None] + shifted / (1 - a * shifted))
    low, high, se = (np.full(len(values), np.nan) for _ in range(3))
    for position, row in enumerate(values):
        known = row[~np.isnan(row)]
        if len(known) >= 2 and not np.isnan(ends[position]).any():
            low[position], high[position] = np.quantile(known, ends[position])
            se[position] = known.std(ddof=1)
    # as many replicates beyond 0 as there are, and one more: none of 1,000 is not a p-value of 0
    below, above = (values <= 0).sum(axis=1), (values >= 0).sum(axis=1)
    rarer = np.minimum((np.minimum(below, above) + 1) / ((~np.isnan(values)).sum(axis=1) + 1), 0.5)
    from_zero = np.where(below < above, 1, -1) * ndtri(rarer) - z0
    p_value = 2 * ndtr(-np.abs(from_zero / (1 + acceleration * from_zero) - z0))
    return Spread(se, Bounds(low, high, np.where(np.isnan(se), np.nan, p_value)), method, np.isnan(values).mean(axis=1))
