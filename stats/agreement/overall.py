"""All coefficients of one set of ratings."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from stats.agreement.coefficient import Coefficient
from stats.agreement.details import detail_of
from stats.agreement.errors import Errors, checked_errors
from stats.agreement.registry import COEFFICIENTS
from stats.agreement.results import figures_of, results_of
from stats.agreement.tables import tables_of
from stats.agreement.weights import Setting, Weights, setting_of
from stats.counts import distinct_raters, long_patterns
from stats.errors import StatsError
from stats.patterns import Patterns

SCHEMA = pl.Schema(
    {
        "name": pl.String(),
        "scale": pl.String(),
        "weights": pl.String(),
        "interval_method": pl.String(),
        "confidence": pl.Float64(),
        "estimate": pl.Float64(),
        "se": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "p_value": pl.Float64(),
        "observed": pl.Float64(),
        "expected": pl.Float64(),
        "n_items": pl.Int64(),
        "n_raters": pl.Int64(),
        "n_ratings": pl.Int64(),
        "n_labels": pl.Int64(),
        "reason": pl.String(),
        "detail": pl.String(),
    }
)


def agreement(
    ratings: Any,
    *,
    labels: Sequence[str],
    scale: str = "nominal",
    weights: Weights = None,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
    interval_method: str = "t",
    replicates: int = 1000,
    seed: int = 0,
    population: int | None = None,
) -> pl.DataFrame:
    """How far the raters agree: one row per coefficient, in the order of `coefficients` (None: all of COEFFICIENTS).

    `ratings` is any frame that narwhals reads, with text columns item, rater, label and one row per (item,
    rater); any item may lack any rater. A further column n_items says how many items, rated alike, a row's item
    stands for (the same number in all its rows, 1 or more; without the column, 1). `labels` lists the declared
    labels in their order, also those nobody used. `scale` (nominal, ordinal, interval, ratio) sets the metric
    of Krippendorff's alpha, the scores of `weights` (ranks 1..k of the declared labels, or the labels as
    numbers) and whether the ICCs apply. `weights` is a name of WEIGHTS or a k x k matrix for every coefficient
    and replaces alpha's metric; None is no weights, and alpha's metric (`metric` in the column `weights` unless
    nominal).

    Errors are conditional on these raters and treat items as drawn at random. `interval_method`: `t` or
    `normal` with the analytic standard error (jackknife where there is no formula, F for the ICCs),
    `jackknife` over items, `percentile` or `bca` from `replicates` bootstrap samples of items drawn with
    `seed`. `population` is the number of items that those rated were sampled from, None for very many.

    Columns: see SCHEMA. `estimate` at most 1; `interval_method` the method used; `low`, `high` cut at the ends
    of the coefficient's range, but the lower end only where that is 0 or -1; `p_value` two-sided, of the
    coefficient being 0; `observed` and `expected` agreement. n_items counts items with at least one rating,
    n_raters those who gave one, n_ratings all ratings: the same in each row, though an item with one rating
    enters only the chance terms (alpha leaves it out), coefficients of two raters use the items that both
    rated and the ICCs those that all rated (`detail` says how many). Undefined is null with a code in `reason`
    and a sentence in `detail`. Perfect agreement: se 0, interval [1, 1], p_value null, a note in `detail`.

    Raises StatsError for a null, an undeclared label, the same (item, rater) twice, an n_items that is below 1
    or not the same in all rows of an item, labels that are no numbers on an interval or ratio scale, unknown
    names, and a population smaller than the items.

    >>> rows = [(i, r, l) for i, pair in enumerate(["AA", "AB", "BB", "BB"]) for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> agreement(ratings, labels=["A", "B"]).select("name", "estimate", "observed").row(3)
    ('cohen_kappa', 0.5, 0.75)
    """
    chosen, setting = chosen_coefficients(coefficients), setting_of(labels, scale, weights)
    errors = checked_errors(confidence, interval_method, replicates, seed, population)
    patterns = long_patterns(ratings, labels=labels, raters=distinct_raters(ratings))
    return pl.DataFrame(rows_of(patterns, chosen, setting, errors), schema=SCHEMA)


def rows_of(
    patterns: Patterns, chosen: Sequence[Coefficient], setting: Setting, errors: Errors
) -> list[dict[str, object]]:
    """One row per coefficient, with the columns of SCHEMA."""
    tables, rows = tables_of(patterns), []
    for coefficient in chosen:
        results = results_of(coefficient, tables, setting, errors)
        row = figures_of(results)
        row |= {"name": coefficient.name, "scale": setting.scale, "weights": weights_name(coefficient, setting)}
        row |= {"interval_method": results.method, "confidence": errors.confidence, **_sizes(patterns)}
        row["detail"] = detail_of(coefficient, results, tables, setting)
        rows.append(row)
    return rows


def chosen_coefficients(names: Sequence[str] | None) -> list[Coefficient]:
    """The coefficients of these names, None for all. Raises StatsError for an unknown name."""
    if names is None:
        return list(COEFFICIENTS.values())
    for name in [names] if isinstance(names, str) else names:
        if isinstance(names, str) or name not in COEFFICIENTS:
            raise StatsError(f"Coefficients must be a list of names from {', '.join(COEFFICIENTS)}, found {name!r}. "
                             "Leave them out for all.")  # fmt: skip
    return [COEFFICIENTS[name] for name in dict.fromkeys(names)]


def weights_name(coefficient: Coefficient, setting: Setting) -> str:
    """What the column `weights` says: the given weights, else identity, or alpha's metric."""
    if setting.weights is not None:
        return setting.weights
    return "metric" if coefficient.name == "krippendorff_alpha" and setting.scale != "nominal" else "identity"


def _sizes(patterns: Patterns) -> dict[str, int]:
    return {
        "n_items": int(patterns.n_items.sum()),
        "n_raters": patterns.n_raters,
        "n_ratings": int(patterns.n_items[patterns.pattern].sum()),
        "n_labels": patterns.n_labels,
    }
