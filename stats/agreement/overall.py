"""All coefficients of one set of ratings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.agreement.coefficient import Coefficient
from stats.agreement.registry import COEFFICIENTS
from stats.agreement.results import Results, results_of
from stats.agreement.tables import Tables, tables_of
from stats.agreement.weights import Setting, Weights, setting_of
from stats.counts import distinct_raters, long_patterns
from stats.errors import StatsError
from stats.intervals import checked_confidence
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
) -> pl.DataFrame:
    """How far the raters agree: one row per coefficient, in the order of `coefficients` (None: all of COEFFICIENTS).

    `ratings` is any frame that narwhals reads, with text columns item, rater, label and one row per (item,
    rater); any item may lack any rater. `labels` lists the declared labels in their order, also those nobody
    used. `scale` (nominal, ordinal, interval, ratio) sets the metric of Krippendorff's alpha and the scores
    of `weights`: ranks 1..k of the declared labels, or the labels as numbers. `weights` is a name of WEIGHTS
    or a k x k matrix for every coefficient and replaces alpha's metric; None is no weights, and alpha's
    metric (`metric` in the column `weights` unless nominal).

    Columns: see SCHEMA. `estimate` at most 1; `se` Gwet's analytic standard error for these raters; `low`,
    `high` the t interval, cut at 1; `p_value` two-sided, of the coefficient being 0; `observed` and
    `expected` agreement. n_items counts items with at least one rating, n_raters those who gave one,
    n_ratings all ratings: the same in each row, though an item with one rating enters only the chance terms
    (alpha leaves it out), and Cohen's kappa and Scott's pi use the items that both raters rated (`detail`
    says how many). Undefined is null with a code in `reason` and a sentence in `detail`. Perfect agreement:
    se 0, interval [1, 1], p_value null, a note in `detail`.

    Raises StatsError for a null, an undeclared label, the same (item, rater) twice, labels that are no
    numbers on an interval or ratio scale, and unknown names.

    >>> rows = [(i, r, l) for i, pair in enumerate(["AA", "AB", "BB", "BB"]) for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> agreement(ratings, labels=["A", "B"]).select("name", "estimate", "observed").row(2)
    ('cohen_kappa', 0.5, 0.75)
    """
    chosen, setting = chosen_coefficients(coefficients), setting_of(labels, scale, weights)
    confidence = checked_confidence(confidence)
    patterns = long_patterns(ratings, labels=labels, raters=distinct_raters(ratings))
    tables = tables_of(patterns)
    rows = []
    for coefficient in chosen:
        results = results_of(coefficient, tables, setting, confidence)
        row = _row(results)
        row |= {"name": coefficient.name, "scale": scale, "weights": weights_name(coefficient, setting)}
        row |= {"interval_method": "t", "confidence": confidence, **_sizes(patterns)}
        row["detail"] = _detail(coefficient, results, tables, setting)
        rows.append(row)
    return pl.DataFrame(rows, schema=SCHEMA)


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


def _row(results: Results) -> dict[str, Any]:
    names = ("estimate", "se", "low", "high", "p_value", "observed", "expected")
    values = {name: float(getattr(results, name)[0]) for name in names}
    row: dict[str, Any] = {name: None if np.isnan(value) else value for name, value in values.items()}
    return row | {"reason": results.reason[0]}


def _detail(coefficient: Coefficient, results: Results, tables: Tables, setting: Setting) -> str | None:
    """The sentence beside a reason or a figure that needs one; null for a plain result."""
    k, pairable, reason = tables.n_labels, int(tables.n_pairable[0]), results.reason[0]
    if reason == "too_few_raters":
        return f"Agreement needs at least 2 raters, found {tables.n_raters}."
    if reason == "not_applicable" and coefficient.two_raters:
        return f"Defined for 2 raters, found {tables.n_raters}; see the pairs of raters."
    if reason == "not_applicable":
        return f"Defined without weights, found {setting.weights}."
    if reason == "too_few_items":
        return f"Needs at least 2 items with two ratings or more, found {pairable}."
    if reason == "zero_denominator" and k == 1:
        return "Only one label is declared, so that agreement by chance is certain."
    if reason == "zero_denominator":
        return "The expected agreement is 1 (all of these ratings have one label): nothing is left to exceed it."
    if results.degenerate[0] and results.estimate[0] == 1:
        return "Degenerate: every rating agrees, so that the standard error is 0 and there is no test."
    if results.degenerate[0]:
        return "Degenerate: all items agree to the same degree, so that the standard error is 0 and there is no test."
    used = int(results.n_items[0])
    if used < int(tables.n[0]):
        return f"From the {used} of {int(tables.n[0])} items that have two ratings or more."
    return None
