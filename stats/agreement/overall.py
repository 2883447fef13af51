"""Compute the coefficients of one set of ratings."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient
from stats.agreement.coefficients.coefficient_registry import COEFFICIENTS
from stats.agreement.count_tables import tables_of
from stats.agreement.inference.estimates import compute_estimates, figures_of
from stats.agreement.inference.interval_methods import ErrorOptions, check_error_options
from stats.agreement.inference.reason_sentences import detail_of
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.counts import distinct_raters, long_patterns
from stats.defaults import REPLICATES
from stats.errors import StatsError, as_list
from stats.patterns import RatingPatterns
from stats.unnamed import DETAIL, UNNAMED, name_nobody

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
    replicates: int = REPLICATES,
    seed: int = 0,
    population: int | None = None,
) -> pl.DataFrame:
    """Compute how far the raters agree: one row per coefficient, in the order of `coefficients`.

    Arguments:

    - ratings: any frame that narwhals reads, with the text columns item, rater and label and one row per (item, rater).
      Ratings may be missing. The optional column n_items says for how many items, rated alike, the item of a row
      stands: 1 or more, the same in all rows of the item. CountedRatings are accepted too.
    - labels: a list of the declared labels in their order, also those that nobody used.
    - scale: nominal, ordinal, interval or ratio. It sets the metric of Krippendorff's alpha, the scores of `weights`
      (ranks 1..k of the declared labels, or the labels as numbers), and whether the ICCs apply.
    - weights: a name in WEIGHTS or a k x k matrix. They apply to every coefficient and replace alpha's metric.
    - coefficients: names in COEFFICIENTS, None for all.
    - confidence: of the intervals, between 0 and 1.
    - interval_method: `t` or `normal` use the formula of the standard error (jackknife where there is none, F for the
      ICCs), `jackknife` leaves out each item in turn, `percentile` and `bca` draw `replicates` bootstrap samples of
      items with `seed`.
    - population: the number of items from which the rated ones were sampled, None for very many.

    Standard errors and intervals treat the items as drawn at random and hold for these raters.

    Columns: see SCHEMA. estimate is at most 1. weights is the name of the weights, `metric` where alpha uses the metric
    of its scale. interval_method is the method in fact used. low and high are cut at 1, and at the lower limit of the
    coefficient where that is 0 or -1. p_value is two-sided, of the coefficient being 0. observed and expected are
    agreements in 0..1. n_items (items with a rating), n_raters and n_ratings are the same in each row. Not every
    coefficient uses every item: one with a single rating enters only the chance terms and alpha leaves it out,
    coefficients of two raters use the items that both rated, the ICCs those that all rated. `detail` says how many.

    Raters named `vote #1`, `vote #2`, ... are votes without names: what depends on who gave which label is undefined.
    An undefined figure is null, with a code in `reason` and a sentence in `detail`. Perfect agreement has se 0, the
    interval [1, 1], no p-value, and a note in `detail`.

    Raises StatsError for a null, an undeclared label, the same (item, rater) twice, an n_items that is below 1
    or differs between the rows of an item, labels that are not numbers on an interval or ratio scale, unknown
    names, and a population smaller than the number of items.

    >>> rows = [(i, r, l) for i, pair in enumerate(["AA", "AB", "BB", "BB"]) for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> agreement(ratings, labels=["A", "B"]).select("name", "estimate", "observed").row(3)
    ('cohen_kappa', 0.5, 0.75)
    """
    chosen, setting = chosen_coefficients(coefficients), label_setting(labels, scale, weights)
    errors = check_error_options(confidence, interval_method, replicates, seed, population)
    raters = distinct_raters(ratings)
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    if not name_nobody(raters):
        return pl.DataFrame(rows_of(patterns, chosen, setting, errors), schema=SCHEMA)
    named_rows = rows_of(patterns, [each for each in chosen if not each.needs_names], setting, errors)
    rows = {row["name"]: row for row in named_rows} | {
        each.name: _without_names(each, patterns, setting, errors) for each in chosen if each.needs_names
    }
    return pl.DataFrame([rows[each.name] for each in chosen], schema=SCHEMA)


def _without_names(
    coefficient: Coefficient, patterns: RatingPatterns, setting: LabelSetting, errors: ErrorOptions
) -> dict[str, object]:
    """Return the row of a coefficient that votes without names leave undefined."""
    row: dict[str, object] = dict.fromkeys(SCHEMA)
    row |= {"name": coefficient.name, "scale": setting.scale, "weights": weights_name(coefficient, setting)}
    row |= {"interval_method": errors.method, "confidence": errors.confidence, **_sizes(patterns)}
    return row | {"reason": UNNAMED, "detail": DETAIL}


def rows_of(
    patterns: RatingPatterns, chosen: Sequence[Coefficient], setting: LabelSetting, errors: ErrorOptions
) -> list[dict[str, object]]:
    """Return one row per coefficient, with the columns of SCHEMA."""
    tables, sizes = tables_of(patterns), _sizes(patterns)
    rows = []
    for coefficient in chosen:
        results = compute_estimates(coefficient, tables, setting, errors)
        row = figures_of(results)
        row |= {"name": coefficient.name, "scale": setting.scale, "weights": weights_name(coefficient, setting)}
        row |= {"interval_method": results.method, "confidence": errors.confidence, **sizes}
        row["detail"] = detail_of(coefficient, results, tables, setting)
        rows.append(row)
    return rows


def chosen_coefficients(names: Sequence[str] | None) -> list[Coefficient]:
    """Return the coefficients with these names, all for None. Raises StatsError for an unknown name."""
    if names is None:
        return list(COEFFICIENTS.values())
    for name in as_list(names):
        if isinstance(names, str) or not isinstance(name, str) or name not in COEFFICIENTS:
            raise StatsError(f"Coefficients must be a list of names from {', '.join(COEFFICIENTS)}, found {name!r}. "
                             "Leave them out for all.")  # fmt: skip
    return [COEFFICIENTS[name] for name in dict.fromkeys(names)]


def weights_name(coefficient: Coefficient, setting: LabelSetting) -> str:
    """Return the text of the column `weights`: the chosen weights, else `identity`, or `metric` for alpha."""
    if setting.weights is not None:
        return setting.weights
    return "metric" if coefficient.name == "krippendorff_alpha" and setting.scale != "nominal" else "identity"


def _sizes(patterns: RatingPatterns) -> dict[str, int]:
    return {
        "n_items": int(patterns.n_items.sum()),
        "n_raters": patterns.n_raters,
        "n_ratings": int(patterns.n_items[patterns.pattern].sum()),
        "n_labels": patterns.n_labels,
    }
