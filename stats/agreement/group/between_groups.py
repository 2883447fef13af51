"""Compute the agreement of two groups of raters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient, CoefficientResult, ratio
from stats.agreement.count_tables import CountTables
from stats.agreement.group.group_tables import share_of, sides_of, tables_of_rows
from stats.agreement.inference.estimates import compute_estimates, figures_of
from stats.agreement.inference.interval_methods import check_error_options
from stats.agreement.inference.reason_sentences import detail_of
from stats.agreement.overall import SCHEMA, weights_name
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.arrays import FloatArray
from stats.counts import distinct_raters, long_patterns
from stats.defaults import REPLICATES
from stats.errors import StatsError
from stats.patterns import RatingPatterns
from stats.ratings import list_names

NAME = "vanbelle_albert_groups"
DENOMINATOR = "The expected agreement is the most that these groups allow: nothing can exceed it."


def between_groups(
    ratings: Any,
    *,
    group: Sequence[str],
    labels: Sequence[str],
    scale: str = "nominal",
    weights: Weights = None,
    confidence: float = 0.95,
    interval_method: str = "t",
    replicates: int = REPLICATES,
    seed: int = 0,
    population: int | None = None,
) -> pl.DataFrame:
    """Compute Vanbelle and Albert's kappa of the raters in `group` with all others: one row with `agreement`'s columns.

    (Pi_T - Pi_E) / (Pi_M - Pi_E) over the items that a rater of each group rated, where q1_ij and q2_ij are the
    shares of label j among the ratings of item i by each group: Pi_T = mean_i q1_i W q2_i, Pi_M = mean_i
    max(q1_i W q1_i, q2_i W q2_i), Pi_E = q1 W q2 of the mean shares. It is 1 where the two groups give the same
    shares of labels on every item, which is the most with identity, linear or quadratic weights. For two groups of one
    rater it is Cohen's kappa. With a single rater in one group it differs from `vanbelle_albert`: that rater agrees
    with itself, so that Pi_M is 1. Vanbelle & Albert (2009), Psychometrika 74, 477-491.

    `t` and `normal` become `jackknife`; the estimate is not corrected for its bias. n_items counts the items that
    enter, n_ratings their ratings; `detail` states Pi_M. The other arguments and reasons are those of `agreement`.

    Raises StatsError for a name in `group` without ratings, and for an empty group.

    >>> rows = [(i, r, l) for i, all in enumerate(["AAA", "ABA", "BBB", "BBA"]) for r, l in zip("xyz", all)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> between_groups(ratings, group=["x", "y"], labels=["A", "B"])["estimate"].round(4).to_list()
    [0.3333]
    """
    setting = label_setting(labels, scale, weights)
    errors = check_error_options(confidence, interval_method, replicates, seed, population)
    raters = distinct_raters(ratings)
    inside = _inside(group, raters)
    patterns = _shared(long_patterns(ratings, labels=labels, raters=raters), inside)
    C_1, C_2, row_of = sides_of(patterns, inside[patterns.rater])
    tables, shares = tables_of_rows(C_1 + C_2, row_of, patterns.n_items), (share_of(C_1), share_of(C_2))
    coefficient = Coefficient(
        NAME, lambda tables, setting: _kappa(tables, setting, *shares), by_rater=False, zero_denominator=DENOMINATOR
    )
    results = compute_estimates(coefficient, tables, setting, errors)
    row = figures_of(results)
    row |= {"name": NAME, "scale": scale, "weights": weights_name(coefficient, setting), "reason": results.reason[0]}
    row |= {"interval_method": results.method, "confidence": confidence, "n_labels": len(labels)}
    row |= {"n_items": int(tables.n[0]), "n_raters": len(np.unique(patterns.rater))}
    row["n_ratings"] = int(patterns.n_items[patterns.pattern].sum())
    row["detail"] = detail_of(coefficient, results, tables, setting)
    if row["reason"] == "too_few_items":
        row["detail"] = f"Needs at least 2 items that a rater of each group rated, found {row['n_items']}."
    return pl.DataFrame([row], schema=SCHEMA)


def _kappa(tables: CountTables, setting: LabelSetting, q_1: FloatArray, q_2: FloatArray) -> CoefficientResult:
    w, n = setting.kappa_w, tables.n
    T = ratio(tables.sum_rows((q_1 @ w * q_2).sum(axis=1)), n)
    within = np.maximum((q_1 @ w * q_1).sum(axis=1), (q_2 @ w * q_2).sum(axis=1))
    M = ratio(tables.sum_rows(within), n)
    p_1, p_2 = (ratio(tables.sum_rows(q), n[:, None]) for q in (q_1, q_2))
    E = (p_1 @ w * p_2).sum(axis=1)
    room = np.where(M > E, M - E, np.nan)
    note = f"The most that these groups allow is an agreement of {M[0]:.4f}." if M[0] < 1 - 1e-12 else None
    return CoefficientResult(ratio(T - E, room), T, E, n, n - 1, n, note=note)


def _inside(group: Sequence[str], raters: list[str]) -> npt.NDArray[np.bool_]:
    """Return whether each rater is in the group (r,). Raises StatsError for unknown names and an empty side."""
    if isinstance(group, str) or not all(name in raters for name in group):
        raise StatsError(
            f"The group must be a list of raters from {list_names(raters)}, found {group!r}. Name its raters."
        )
    inside = np.isin(raters, list(group))
    if inside.all() or not inside.any():
        raise StatsError(
            f"Two groups need a rater each, found {inside.sum()} of {len(raters)} raters in `group`. Name some of them."
        )
    return inside


def _shared(patterns: RatingPatterns, inside: npt.NDArray[np.bool_]) -> RatingPatterns:
    """Keep the patterns in which both groups have a rating."""
    n_patterns = len(patterns.n_items)
    of_group, of_all = (
        np.bincount(patterns.pattern, weights=weights, minlength=n_patterns)
        for weights in (inside[patterns.rater].astype(float), None)
    )
    kept = (of_group > 0) & (of_group < of_all)
    entry = kept[patterns.pattern]
    return RatingPatterns(
        patterns.n_items[kept],
        (np.cumsum(kept) - 1)[patterns.pattern[entry]],
        patterns.rater[entry],
        patterns.label[entry],
        patterns.n_raters,
        patterns.n_labels,
    )
