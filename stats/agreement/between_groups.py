"""Agreement of two groups of raters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.coefficient import Coefficient, Parts, ratio
from stats.agreement.details import detail_of
from stats.agreement.errors import checked_errors
from stats.agreement.group_tables import share_of, sides_of, tables_of_rows
from stats.agreement.overall import SCHEMA, weights_name
from stats.agreement.results import figures_of, results_of
from stats.agreement.tables import Tables
from stats.agreement.weights import Setting, Weights, setting_of
from stats.counts import distinct_raters, long_patterns
from stats.errors import StatsError
from stats.intervals import FloatArray
from stats.patterns import Patterns
from stats.ratings import some

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
    replicates: int = 1000,
    seed: int = 0,
    population: int | None = None,
) -> pl.DataFrame:
    """Vanbelle and Albert's kappa of the raters named in `group` with all others: one row, as `agreement` has them.

    (Pi_T - Pi_E) / (Pi_M - Pi_E) over the items that a rater of each group rated, where q1_ij and q2_ij are the
    shares of label j among the ratings of item i by each group: Pi_T = mean_i q1_i W q2_i, Pi_M = mean_i
    max(q1_i W q1_i, q2_i W q2_i), Pi_E = q1 W q2 of the mean shares. 1 where the two groups give the same shares
    of labels on every item, and no more with identity, linear or quadratic weights; two groups of one are
    Cohen's kappa. It is not `vanbelle_albert` where
    one group is a single rater: that rater agrees with itself, so that Pi_M is 1. Vanbelle & Albert (2009),
    Psychometrika 74, 477-491. `t` and `normal` errors are the jackknife's; the estimate is not corrected for
    its bias. n_items counts the items that enter, n_ratings their ratings; `detail` has Pi_M. Arguments and
    reasons as in `agreement`.

    Raises StatsError for a name in `group` that gave no rating, and if one of the groups is empty.

    >>> rows = [(i, r, l) for i, all in enumerate(["AAA", "ABA", "BBB", "BBA"]) for r, l in zip("xyz", all)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> between_groups(ratings, group=["x", "y"], labels=["A", "B"])["estimate"].round(4).to_list()
    [0.3333]
    """
    setting = setting_of(labels, scale, weights)
    errors = checked_errors(confidence, interval_method, replicates, seed, population)
    raters = distinct_raters(ratings)
    inside = _inside(group, raters)
    patterns = _shared(long_patterns(ratings, labels=labels, raters=raters), inside)
    C_1, C_2, row_of = sides_of(patterns, inside[patterns.rater])
    tables, shares = tables_of_rows(C_1 + C_2, row_of, patterns.n_items), (share_of(C_1), share_of(C_2))
    coefficient = Coefficient(
        NAME, lambda some, setting: _kappa(some, setting, *shares), by_rater=False, denominator=DENOMINATOR
    )
    results = results_of(coefficient, tables, setting, errors)
    row = figures_of(results)
    row |= {"name": NAME, "scale": scale, "weights": weights_name(coefficient, setting), "reason": results.reason[0]}
    row |= {"interval_method": results.method, "confidence": confidence, "n_labels": len(labels)}
    row |= {"n_items": int(tables.n[0]), "n_raters": len(np.unique(patterns.rater))}
    row["n_ratings"] = int(patterns.n_items[patterns.pattern].sum())
    row["detail"] = detail_of(coefficient, results, tables, setting)
    if row["reason"] == "too_few_items":
        row["detail"] = f"Needs at least 2 items that a rater of each group rated, found {row['n_items']}."
    return pl.DataFrame([row], schema=SCHEMA)


def _kappa(tables: Tables, setting: Setting, q_1: FloatArray, q_2: FloatArray) -> Parts:
    w, n = setting.kappa_w, tables.n
    T = ratio(tables.sum_rows((q_1 @ w * q_2).sum(axis=1)), n)
    within = np.maximum((q_1 @ w * q_1).sum(axis=1), (q_2 @ w * q_2).sum(axis=1))
    M = ratio(tables.sum_rows(within), n)
    p_1, p_2 = (ratio(tables.sum_rows(q), n[:, None]) for q in (q_1, q_2))
    E = (p_1 @ w * p_2).sum(axis=1)
    room = np.where(M > E, M - E, np.nan)
    note = f"The most that these groups allow is an agreement of {M[0]:.4f}." if M[0] < 1 - 1e-12 else None
    return Parts(ratio(T - E, room), T, E, n, n - 1, n, note=note)


def _inside(group: Sequence[str], raters: list[str]) -> npt.NDArray[np.bool_]:
    """(r,) whether each rater is in the group."""
    if isinstance(group, str) or not all(name in raters for name in group):
        raise StatsError(f"The group must be a list of raters from {some(raters)}, found {group!r}. Name its raters.")
    inside = np.isin(raters, list(group))
    if inside.all() or not inside.any():
        raise StatsError(
            f"Two groups need a rater each, found {inside.sum()} of {len(raters)} raters in `group`. Name some of them."
        )
    return inside


def _shared(patterns: Patterns, inside: npt.NDArray[np.bool_]) -> Patterns:
    """The patterns in which both groups have a rating."""
    n_patterns = len(patterns.n_items)
    of_group, of_all = (
        np.bincount(patterns.pattern, weights=weights, minlength=n_patterns)
        for weights in (inside[patterns.rater].astype(float), None)
    )
    kept = (of_group > 0) & (of_group < of_all)
    entry = kept[patterns.pattern]
    return Patterns(
        patterns.n_items[kept],
        (np.cumsum(kept) - 1)[patterns.pattern[entry]],
        patterns.rater[entry],
        patterns.label[entry],
        patterns.n_raters,
        patterns.n_labels,
    )
