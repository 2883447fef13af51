"""Name a coefficient by a benchmark scale, from estimate and standard error, never from the estimate alone."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.errors import StatsError
from stats.special_functions import ndtr
from stats.verdict_interval import has_no_width, probability_above

SCHEMA = pl.Schema(
    {
        "scale": pl.String(),
        "level": pl.String(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "probability": pl.Float64(),
        "cumulative": pl.Float64(),
        "chosen": pl.Boolean(),
    }
)
SURE = 0.95  # Gwet's rule: the cumulative probability that a level must reach
EXACT = 1e-12  # an estimate this close to a bound is at it but for rounding


@dataclass(frozen=True)
class Benchmark:
    """A scale of words for coefficients from -1 to 1: where each level starts, from below upwards, and its name.

    A level holds its lower bound and ends where the next one starts, the last at 1. The lowest level starts at a number
    from -1 to 0. It also holds everything below this bound, because a coefficient may be negative. Raises StatsError
    for bounds that do not rise from there to below 1, and for a number of names that is not theirs.
    """

    name: str
    lower: tuple[float, ...]
    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise((*self.lower, 1.0)))
        if not (self.lower and -1 <= self.lower[0] <= 0 and rising):
            raise StatsError(
                "The lower bounds of a benchmark scale must rise from -1 to 0 for the lowest level to below 1, found "
                f"{list(self.lower)}. Let the lowest level start at -1 or 0."
            )
        if len(self.levels) != len(self.lower):
            raise StatsError(
                f"A benchmark scale needs a name for each level, found {len(self.levels)} for "
                f"{len(self.lower)}. Name each."
            )


_ALL = (
    # Landis & Koch (1977), Biometrics 33, 159-174, p. 165
    Benchmark(
        "landis_koch",
        (-1, 0, 0.2, 0.4, 0.6, 0.8),
        ("Poor", "Slight", "Fair", "Moderate", "Substantial", "Almost perfect"),
    ),
    # Altman (1991), Practical Statistics for Medical Research, p. 404
    Benchmark("altman", (-1, 0.2, 0.4, 0.6, 0.8), ("Poor", "Fair", "Moderate", "Good", "Very good")),
    # Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, 3rd ed., p. 604; 1981 in the 2nd ed.
    Benchmark("fleiss", (-1, 0.4, 0.75), ("Poor", "Fair to good", "Excellent")),
    # Cicchetti & Sparrow (1981), American Journal of Mental Deficiency 86, 127-137
    Benchmark("cicchetti_sparrow", (-1, 0.4, 0.6, 0.75), ("Poor", "Fair", "Good", "Excellent")),
    # Regier et al. (2013), DSM-5 field trials II, Am. J. Psychiatry 170, 59-70, doi:10.1176/appi.ajp.2012.12070999
    Benchmark("regier", (-1, 0.2, 0.4, 0.6, 0.8), ("Unacceptable", "Questionable", "Good", "Very good", "Excellent")),
)
BENCHMARKS: dict[str, Benchmark] = {scale.name: scale for scale in _ALL}


def benchmark(estimate: float | None, se: float | None, *, scale: str | Benchmark = "landis_koch") -> pl.DataFrame:
    """Compute how likely each level of a scale is, and which to quote: one row per level, the highest first.

    `scale` is a name of BENCHMARKS or a Benchmark of one's own. Columns: scale, level, low, high (the level's bounds),
    probability (that the coefficient lies in the level, in the lowest also below it), cumulative (in this level or a
    higher one: 1 for the lowest) and chosen: true
    for one level, the highest whose cumulative probability reaches 0.95. The coefficient is taken as normal around the
    estimate, cut to -1..1 (the probabilities sum to 1). Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.,
    ch. 6: a level read from the estimate alone would be as sure with 10 items as with 10,000.

    With a standard error of 0 the level that holds the estimate has probability 1. Without an estimate or without a
    standard error the probabilities are null and nothing is chosen. Raises StatsError for an unknown scale, an
    estimate above 1 and a negative standard error.

    >>> benchmark(0.67, 0.15).select("level", pl.col("cumulative").round(4), "chosen").head(3).rows()
    [('Almost perfect', 0.1817, False), ('Substantial', 0.6751, False), ('Moderate', 0.9636, True)]
    """
    of_scale = _scale_of(scale)
    return _levels(of_scale, _reached(_nan_if_none(estimate), _nan_if_none(se), _bounds(of_scale)))


def benchmark_of(row: Mapping[str, Any], *, scale: str | Benchmark = "landis_koch") -> pl.DataFrame:
    """Compute the levels of a row of `agreement`, as `benchmark` does from its estimate and standard error.

    Where all ratings agree and the standard error is 0, the probability of a level is what so many items prove
    (`stats.verdict_interval`): two items that agree are not almost perfect. Where the interval has no width although
    raters differ, nothing is chosen.
    """
    if not has_no_width(row):
        return benchmark(row["estimate"], row["se"], scale=scale)
    of_scale = _scale_of(scale)
    reached = np.array([_nan_if_none(probability_above(limit, row)) for limit in _bounds(of_scale)])
    reached[0] = 1.0 if np.isfinite(reached).all() else np.nan  # no coefficient is below the lowest level
    return _levels(of_scale, reached)


def _bounds(scale: Benchmark) -> FloatArray:
    return np.array([-1.0, *scale.lower[1:]])


def _levels(of_scale: Benchmark, reached: FloatArray) -> pl.DataFrame:
    rows = {
        "scale": [of_scale.name] * len(reached),
        "level": of_scale.levels,
        "low": of_scale.lower,
        "high": (*of_scale.lower[1:], 1.0),
        "probability": -np.diff(reached, append=0.0) + 0.0,  # no -0.0
        "cumulative": reached,
        "chosen": np.arange(len(reached)) == np.flatnonzero(reached >= SURE).max(initial=-1),
    }
    return pl.DataFrame(rows, schema=SCHEMA).reverse().with_columns(pl.col("probability", "cumulative").fill_nan(None))


def _scale_of(scale: str | Benchmark) -> Benchmark:
    if isinstance(scale, Benchmark):
        return scale
    if scale not in BENCHMARKS:
        raise StatsError(
            f"The scale must be one of {', '.join(BENCHMARKS)} or a Benchmark, found {scale!r}. Choose one of them."
        )
    return BENCHMARKS[scale]


def _nan_if_none(number: float | None) -> float:
    return math.nan if number is None else float(number)


def _reached(estimate: float, se: float, lower: FloatArray) -> FloatArray:
    """(levels,) P(coefficient >= lower | -1 <= coefficient <= 1); NaN without estimate or se."""
    if estimate > 1 + EXACT or math.isinf(estimate):
        raise StatsError(
            f"An agreement coefficient is at most 1, found {estimate}. Pass the estimate of a coefficient."
        )
    if se < 0 or math.isinf(se):
        raise StatsError(f"A standard error is 0 or more, found {se}. Pass the one that belongs to the estimate.")
    if math.isnan(estimate) or math.isnan(se):
        return np.full(len(lower), np.nan)
    if se > 0:
        above = ndtr((estimate - lower) / se) - ndtr((estimate - 1) / se)
        if above[0] > 0:  # 0: so far below -1 that no probability is left to divide by
            share: FloatArray = above / above[0]
            return share
    return (max(estimate, -1.0) >= lower - EXACT).astype(float)
