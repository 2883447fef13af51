"""Compare two coefficients of the same items: their difference with an interval and a test."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient, CoefficientResult
from stats.agreement.count_tables import CountTables, tables_of, without_raters
from stats.agreement.inference.estimates import TINY, CoefficientEstimates, compute_point_estimates
from stats.agreement.inference.interval_methods import ErrorOptions, ErrorSample, check_error_options, spread_of
from stats.agreement.inference.reason_sentences import degenerate, detail_of
from stats.agreement.inference.resampling import Estimate
from stats.agreement.overall import chosen_coefficients
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.arrays import FloatArray
from stats.counts import distinct_raters, long_patterns
from stats.defaults import REPLICATES
from stats.errors import StatsError

SCHEMA = pl.Schema(
    {
        "first": pl.String(),
        "second": pl.String(),
        "estimate_first": pl.Float64(),
        "estimate_second": pl.Float64(),
        "difference": pl.Float64(),
        "se": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "p_value": pl.Float64(),
        "interval_method": pl.String(),
        "confidence": pl.Float64(),
        "replicates": pl.Int64(),
        "n_undefined": pl.Int64(),
        "n_items": pl.Int64(),
        "reason": pl.String(),
        "detail": pl.String(),
    }
)
METHODS = ("percentile", "bca", "jackknife")


def compare(
    ratings: Any,
    *,
    labels: Sequence[str],
    first: str,
    second: str,
    scale: str = "nominal",
    weights: Weights = None,
    confidence: float = 0.95,
    interval_method: str = "percentile",
    replicates: int = REPLICATES,
    seed: int = 0,
) -> pl.DataFrame:
    """Compute the difference first - second of two coefficients of the same ratings: one row.

    Both are computed from each bootstrap sample of items, so that what they share cancels out. The standard
    error of the difference is therefore not that of two independent coefficients. `percentile` and `bca` draw
    `replicates` samples with `seed`; `jackknife` leaves out each item in turn and takes the t distribution.
    `p_value` is two-sided, of a difference of 0; by bootstrap it is never below 2 / (replicates + 1).

    Columns: see SCHEMA. n_items: items with at least one rating. n_undefined: replicates (jackknife: items left
    out) for which one of the two is undefined; they do not count in the errors. If one is undefined from the
    start, so is the difference, with its code in `reason` and a sentence in `detail`. A difference that is
    the same in every sample has se 0, the interval [difference, difference] and no p-value; `detail` says degenerate.

    The other arguments are those of `agreement`. Raises StatsError as it does, and if both names are the same.

    >>> pairs = ["nn"] * 80 + ["ny"] * 10 + ["yn"] * 5 + ["yy"] * 5
    >>> rows = [(i, rater, label) for i, pair in enumerate(pairs) for rater, label in zip("AB", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> result = compare(ratings, labels=["n", "y"], first="gwet_ac1", second="cohen_kappa")
    >>> result.select(pl.col("estimate_first", "estimate_second", "difference", "low", "high").round(2)).row(0)
    (0.81, 0.32, 0.49, 0.29, 0.77)
    """
    if first == second:
        raise StatsError(f"Two different coefficients can be compared, found {first!r} twice. Name another one.")
    a, b = chosen_coefficients([first, second])
    setting, errors = label_setting(labels, scale, weights), errors_of(confidence, interval_method, replicates, seed)
    tables = tables_of(long_patterns(ratings, labels=labels, raters=distinct_raters(ratings)))
    points = [compute_point_estimates(coefficient, tables, setting) for coefficient in (a, b)]
    why = [
        why_undefined(coefficient.name, coefficient, point, tables, setting)
        for coefficient, point in zip((a, b), points, strict=True)
    ]
    row: dict[str, Any] = {"first": first, "second": second, "n_items": int(tables.n[0])}

    def difference(some: CountTables) -> FloatArray:
        return a.compute(some, setting).estimate - b.compute(some, setting).estimate

    drawn = tables if a.by_rater or b.by_rater else without_raters(tables)
    row |= difference_of(points, why, difference, drawn, errors)
    return pl.DataFrame([row], schema=SCHEMA)


def errors_of(confidence: float, interval_method: str, replicates: int, seed: int) -> ErrorOptions:
    """Return the options for a difference, which has no formula for its variance. Raises StatsError as `agreement`."""
    if interval_method not in METHODS:
        raise StatsError(
            f"The interval method of a difference must be one of {', '.join(METHODS)}, found {interval_method!r}. "
            "Choose one."
        )
    return check_error_options(confidence, interval_method, replicates, seed, None)


def why_undefined(
    name: str, coefficient: Coefficient, point: CoefficientEstimates, tables: CountTables, setting: LabelSetting
) -> str | None:
    """Return the sentence why the estimate of `name` is null, or None."""
    if point.reason[0] is None:
        return None
    return f"{name}: {detail_of(coefficient, point, tables, setting)}"


def difference_of(
    points: Sequence[CoefficientEstimates],
    why: Sequence[str | None],
    difference: Estimate,
    tables: CountTables,
    errors: ErrorOptions,
) -> dict[str, Any]:
    """Return the columns of the difference points[0] - points[1]. `difference` computes it for resampled tables."""
    at = [float(point.estimate[0]) for point in points]
    row: dict[str, Any] = {f"estimate_{which}": value for which, value in zip(("first", "second"), at, strict=True)}
    row |= {"interval_method": errors.method, "confidence": errors.confidence}
    drawn = errors.method != "jackknife"
    if drawn:
        row["replicates"] = errors.replicates
    codes = [point.reason[0] for point in points if point.reason[0] is not None]
    if codes:
        return _without_nan(row | {"reason": codes[0], "detail": " ".join(filter(None, why))})
    estimate, nan, n = np.array([at[0] - at[1]]), np.full(1, np.nan), tables.n
    result = CoefficientResult(estimate, nan, nan, n, n - 1, n)
    width = tables.n_labels * max(tables.n_labels, tables.n_raters)
    spread = spread_of(ErrorSample(result, tables, tables, difference, width), errors)
    undefined, se = float(spread.undefined[0]), float(spread.se[0])
    row |= {"difference": estimate[0], "n_undefined": round(undefined * (errors.replicates if drawn else float(n[0])))}
    if se < TINY and undefined == 0:
        row |= {"se": 0.0, "low": estimate[0], "high": estimate[0]}
        return _without_nan(row | {"detail": degenerate("difference", errors.method)})
    if undefined > 0:
        what = "replicates" if drawn else "items left out"
        row["detail"] = f"Undefined for {undefined:.2%} of the {what}, which are not counted in the errors."
    if se >= TINY:  # else few replicates are defined and all are equal, which says nothing
        bounds = spread.bounds
        row |= {"se": se, "low": bounds.low[0], "high": bounds.high[0], "p_value": bounds.p_value[0]}
    return _without_nan(row)


def _without_nan(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()}
