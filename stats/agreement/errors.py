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


def spread_of(parts: Parts, tables: Tables, estimate: Estimate, errors: Errors) -> Spread:
    """Errors by the method that was asked for. Without a formula for the variance, t and normal become jackknife.

    A coefficient that has an interval of its own (ICC's F) takes it for t, with the jackknife's standard
    error, unless the population is finite, which that interval does not know.

    Raises StatsError for a population that is smaller than the number of items seen.
    """
    largest = int(tables.n.max(initial=0))
    if errors.population is not None and errors.population < largest:
        raise StatsError(
            f"The population includes the {largest} items that were rated, found {errors.population}. "
            "Pass the number of items that they were sampled from."
        )
    method = errors.method
    if method in ("t", "normal") and parts.variance is None:
        method = "jackknife"
    spread = METHODS[method](parts, tables, estimate, errors)
    if errors.method == "t" and parts.bounds is not None and errors.population is None:
        return Spread(spread.se, parts.bounds(errors.confidence), "F", spread.undefined)
    return spread


def _analytic(parts: Parts, tables: Tables, estimate: Estimate, errors: Errors) -> Spread:
    assert parts.variance is not None  # spread_of asks for nothing else
    se = np.sqrt(parts.variance() * _unseen(parts, errors))
    df = parts.df
    if errors.method == "normal":
        low, high = normal_interval(parts.estimate, se, confidence=errors.confidence)
        df = np.where(df >= 1, np.inf, np.nan)
    else:
        low, high = t_interval(parts.estimate, se, df, confidence=errors.confidence)
    return Spread(se, Bounds(low, high, two_sided_p(parts.estimate, se, df)), errors.method, np.zeros(len(se)))


def _jackknife(parts: Parts, tables: Tables, estimate: Estimate, errors: Errors) -> Spread:
    """se^2 = (n - 1) / n * sum over items of (value without the item - mean of the values)^2; t interval."""
    left = _leave_one_out(tables, estimate)
    n = np.where(left.n > 1, left.n, np.nan)
    se = np.sqrt((n - 1) / n * (left.items * left.deviation**2).sum(axis=1) * _unseen(parts, errors))
    low, high = t_interval(parts.estimate, se, parts.df, confidence=errors.confidence)
    bounds = Bounds(low, high, two_sided_p(parts.estimate, se, parts.df))
    return Spread(se, bounds, "jackknife", 1 - left.n / tables.pattern_items.sum(axis=1))


def _percentile(parts: Parts, tables: Tables, estimate: Estimate, errors: Errors) -> Spread:
    """Quantiles of the bootstrap replicates, of which se is the standard deviation."""
    values = _replicates(parts, tables, estimate, errors)
    tail = (1 - errors.confidence) / 2
    return _quantiles(values, np.tile([tail, 1 - tail], (len(values), 1)), "percentile")


def _bca(parts: Parts, tables: Tables, estimate: Estimate, errors: Errors) -> Spread:
    """Quantiles shifted for the replicates' median bias and for a standard error that changes with the parameter.

    Efron (1987), J. Am. Stat. Assoc. 82, 171-185; the acceleration is the jackknife's.
    """
    values, at = _replicates(parts, tables, estimate, errors), parts.estimate[:, None]
    known = np.maximum((~np.isnan(values)).sum(axis=1), 1)
    below = (values < at).sum(axis=1) + (values == at).sum(axis=1) / 2
    # half a replicate from the ends: finite also where the estimate lies outside of all replicates
    z0 = ndtri(np.clip(below, 0.5, known - 0.5) / known)[:, None]
    left = _leave_one_out(tables, estimate)
    squares, cubes = ((left.items * left.deviation**power).sum(axis=1) for power in (2, 3))
    acceleration = (-cubes / np.where(squares > 0, 6 * squares**1.5, np.inf))[:, None]
    tail = (1 - errors.confidence) / 2
    shifted = z0 + ndtri([tail, 1 - tail])
    return _quantiles(values, ndtr(z0 + shifted / (1 - acceleration * shifted)), "bca")


METHODS: dict[str, Callable[[Parts, Tables, Estimate, Errors], Spread]] = {
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


def _leave_one_out(tables: Tables, estimate: Estimate) -> _LeftOut:
    values = leave_one_out(estimate, tables)
    items = np.where(np.isnan(values), 0.0, tables.pattern_items)
    values, n = np.nan_to_num(values), items.sum(axis=1)
    mean = (items * values).sum(axis=1) / np.maximum(n, 1)
    return _LeftOut(items, n, np.where(items > 0, values - mean[:, None], 0.0))


def _replicates(parts: Parts, tables: Tables, estimate: Estimate, errors: Errors) -> FloatArray:
    """(B, replicates), drawn nearer to the estimate if the population is finite."""
    values, at = bootstrap(estimate, tables, errors.replicates, errors.seed), parts.estimate[:, None]
    if errors.population is None:
        return values
    shrunk: FloatArray = at + (values - at) * np.sqrt(np.reshape(_unseen(parts, errors), (-1, 1)))
    return shrunk


def _quantiles(values: FloatArray, ends: FloatArray, method: str) -> Spread:
    """Of each row's defined values (two at least): the quantiles `ends` (B, 2), and p as the test they imply."""
    low, high, p_value, se = (np.full(len(values), np.nan) for _ in range(4))
    for position, row in enumerate(values):
        known = row[~np.isnan(row)]
        if len(known) < 2 or np.isnan(ends[position]).any():
            continue
        low[position], high[position] = np.quantile(known, ends[position])
        se[position] = known.std(ddof=1)
        rarer = min((known <= 0).sum(), (known >= 0).sum())
        p_value[position] = min(2 * (rarer + 1) / (len(known) + 1), 1)
    return Spread(se, Bounds(low, high, p_value), method, np.isnan(values).mean(axis=1))
