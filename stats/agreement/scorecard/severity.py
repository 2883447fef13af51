"""Estimate how severe each rater is on an ordered scale: a many-facet Rasch model, fitted to pairs of ratings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.arrays import BoolArray, FloatArray, IntArray
from stats.counts import distinct_raters, long_patterns
from stats.intervals import check_confidence, normal_interval
from stats.patterns import RatingPatterns, entry_pairs

SCHEMA = pl.Schema(
    {
        "rater": pl.String(),
        "n_items": pl.Int64(),
        "severity": pl.Float64(),
        "se": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "reason": pl.String(),
    }
)
MAX_RATERS = 100  # the curvature has a row and a column for each
MAX_LABELS = 20
LEAST_ITEMS = 20  # shared items of a rater; below, the normal interval of the estimate holds too rarely
MAX_STEPS = 200


@dataclass(frozen=True)
class _Pairs:
    """Pairs of ratings of one item. a, b (E,): raters. u, v (E,): their labels, counted from 0. pattern (E,), and
    weight (E,) of a pair in its item; n_items (P,) of each pattern."""

    a: IntArray
    b: IntArray
    u: IntArray
    v: IntArray
    pattern: IntArray
    weight: FloatArray
    n_items: FloatArray


def rater_severity(ratings: Any, *, labels: Sequence[str], confidence: float = 0.95) -> pl.DataFrame:
    """Compute the severity of each rater: one row per rater, sorted by name.

    Model (rating scale form of Linacre's many-facet Rasch model, 1989; Andrich 1978): the log odds that rater r gives
    item i the label x rather than x - 1 are theta_i - beta_r - tau_x. beta_r is the severity, in logits: above 0 gives
    lower labels than the average of these raters, whose severities sum to 0. Labels are in ascending order.

    Method: for two raters of one item, the sum of the two labels is sufficient for theta_i. Given the sum, the chance
    of each split holds beta and tau only (Zwinderman 1995; Andrich and Luo 2003). The product over all pairs is
    maximized, so no item is estimated and no distribution of items assumed. Each pair has the weight 1/(m - 1) in an
    item with m ratings. The standard error is that of a composite likelihood, with items as clusters (Godambe's
    sandwich; Varin, Reid and Firth 2011).

    Closed case: two raters and two labels give beta_b - beta_a = ln(n(a high, b low) / n(a low, b high)), with
    se = sqrt(1/n + 1/n') of the difference, which is McNemar's conditional estimate.

    Identified are raters that are compared both ways, directly or by others: each is above one and below one of them.
    The severity is null, with a reason: `too_few_raters`; `too_few_items` with fewer than 20 shared items;
    `not_identified` outside the largest group that is compared both ways; `not_applicable` with more than 100 raters or
    20 labels.

    >>> rows = [(i, r, l) for i, pair in enumerate([(1, 0)] * 30 + [(0, 1)] * 10 + [(1, 1)] * 9)
    ...         for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame([(i, r, str(l)) for i, r, l in rows], schema=["item", "rater", "label"], orient="row")
    >>> result = rater_severity(ratings, labels=["0", "1"])
    >>> [round(value, 6) for value in result["severity"]], round(float(np.log(30 / 10)) / 2, 6)
    ([-0.549306, 0.549306], 0.549306)
    """
    check_confidence(confidence)
    raters = distinct_raters(ratings)
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    n_items, pairs = _pairs(patterns)
    reasons: list[str | None] = [None] * len(raters)
    if len(raters) < 2:
        reasons = ["too_few_raters"] * len(raters)
    elif len(raters) > MAX_RATERS or len(labels) > MAX_LABELS:
        reasons = ["not_applicable"] * len(raters)
    else:
        too_few_items = n_items < LEAST_ITEMS
        compared = _compared_both_ways(pairs, len(raters), too_few_items)
        reasons = [
            "too_few_items" if too_few_items[r] else None if compared[r] else "not_identified"
            for r in range(len(raters))
        ]
    estimate, se = np.full(len(raters), np.nan), np.full(len(raters), np.nan)
    kept = np.array([reason is None for reason in reasons], bool)
    if kept.any():
        fitted = _fit(_among(pairs, kept), int(kept.sum()))
        if fitted is None:
            reasons = [reason or "not_identified" for reason in reasons]
        else:
            estimate[kept], se[kept] = fitted
    low, high = normal_interval(estimate, se, confidence=confidence)
    columns = {"rater": raters, "n_items": n_items, "severity": estimate, "se": se, "low": low, "high": high}
    frame = pl.DataFrame(columns | {"reason": pl.Series(reasons, dtype=pl.String)}).cast(SCHEMA)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _pairs(patterns: RatingPatterns) -> tuple[FloatArray, _Pairs]:
    """Return (r,) items shared with another rater, and all pairs of ratings."""
    ratings_of = np.bincount(patterns.pattern, minlength=len(patterns.n_items))
    m = ratings_of[patterns.pattern]
    n_items = np.bincount(
        patterns.rater, weights=patterns.n_items[patterns.pattern] * (m > 1), minlength=patterns.n_raters
    ).astype(float)
    blocks = [np.stack(block) for block in entry_pairs(patterns.pattern, ratings_of)]
    first, second = np.concatenate(blocks, axis=1) if blocks else np.zeros((2, 0), np.int64)
    pattern = patterns.pattern[first]
    return n_items, _Pairs(
        patterns.rater[first], patterns.rater[second], patterns.label[first], patterns.label[second], pattern,
        1 / np.maximum(ratings_of[pattern] - 1, 1), patterns.n_items.astype(float),
    )  # fmt: skip


def _compared_both_ways(pairs: _Pairs, n_raters: int, left_out: BoolArray) -> BoolArray:
    """Mark the largest group of raters in which a chain of comparisons leads from each to each, and back."""
    used = ~(left_out[pairs.a] | left_out[pairs.b])
    higher, lower = (pairs.u > pairs.v) & used, (pairs.u < pairs.v) & used
    above = np.concatenate([pairs.a[higher], pairs.b[lower]])
    below = np.concatenate([pairs.b[higher], pairs.a[lower]])
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(above)), (above, below)), shape=(n_raters, n_raters))
    _, group = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(group)
    largest: BoolArray = (group == sizes.argmax()) & (sizes.max() > 1)
    return largest


def _among(pairs: _Pairs, kept: BoolArray) -> _Pairs:
    code = np.cumsum(kept) - 1
    used = kept[pairs.a] & kept[pairs.b]
    return _Pairs(
        code[pairs.a[used]], code[pairs.b[used]], pairs.u[used], pairs.v[used], pairs.pattern[used],
        pairs.weight[used], pairs.n_items,
    )  # fmt: skip


def _fit(pairs: _Pairs, n_raters: int) -> tuple[FloatArray, FloatArray] | None:
    """Return (r,) severities that sum to 0, and their standard errors; None if the ratings do not determine them.

    Parameters: the severities without the last, and the free sums of steps kappa_x = tau_1 + ... + tau_x: those of the
    lowest and highest label are 0, because theta absorbs a line.
    """
    labels = np.unique(np.concatenate([pairs.u, pairs.v]))
    observed = _derivative(pairs.a, pairs.b, pairs.u, pairs.v, n_raters, labels)
    cells, cell_of = np.unique(np.stack([pairs.a, pairs.b, pairs.u + pairs.v]), axis=1, return_inverse=True)
    split = _splits(cells, n_raters, labels)  # (cells, splits, parameters); impossible splits are NaN
    possible = ~np.isnan(split[:, :, 0])
    split = np.nan_to_num(split)
    weight = pairs.weight * pairs.n_items[pairs.pattern]
    total = np.bincount(cell_of, weights=weight)
    target = observed.T @ weight
    beta = np.zeros(split.shape[2])

    def expected(parameters: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        linear = np.where(possible, split @ parameters, -np.inf)
        top = linear.max(axis=1, keepdims=True)
        chance = np.exp(linear - top)
        norm = chance.sum(axis=1, keepdims=True)
        mean = ((chance / norm)[:, :, None] * split).sum(axis=1)
        value = float(target @ parameters - total @ (np.log(norm) + top)[:, 0])
        return chance / norm, mean, value

    chance, mean, value = expected(beta)
    for _ in range(MAX_STEPS):
        gradient = target - total @ mean
        curvature = np.einsum("c,cs,csi,csj->ij", total, chance, split, split) - (mean * total[:, None]).T @ mean
        if np.linalg.cond(curvature) > 1e10:
            return None
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > 1e-6 and expected(beta + size * step)[2] < value - 1e-12 * abs(value):
            size /= 2
        beta = beta + size * step
        chance, mean, value = expected(beta)
        if np.abs(step).max() < 1e-9:
            break
    else:
        return None
    residual = (observed - mean[cell_of]) * pairs.weight[:, None]
    scores = np.zeros((len(pairs.n_items), len(beta)))
    np.add.at(scores, pairs.pattern, residual)
    inverse = np.linalg.inv(curvature)
    covariance = inverse @ ((scores * pairs.n_items[:, None]).T @ scores) @ inverse
    spread = np.vstack([np.eye(n_raters - 1), -np.ones(n_raters - 1)])
    severity = spread @ beta[: n_raters - 1]
    return severity, np.sqrt(np.diag(spread @ covariance[: n_raters - 1, : n_raters - 1] @ spread.T))


def _splits(cells: IntArray, n_raters: int, labels: IntArray) -> FloatArray:
    """Return (cells, splits, parameters) the derivative of each split of a sum. cells (3, cells): a, b, sum."""
    a, b, total = (np.broadcast_to(row[:, None], (cells.shape[1], len(labels))) for row in cells)
    u = np.broadcast_to(labels, a.shape)
    possible = np.isin(total - u, labels)
    derivative = _derivative(a, b, u, np.where(possible, total - u, labels[0]), n_raters, labels)
    derivative[~possible] = np.nan
    return derivative


def _derivative(a: IntArray, b: IntArray, u: IntArray, v: IntArray, n_raters: int, labels: IntArray) -> FloatArray:
    """Return (..., parameters) the derivative of the log chance that a gives u and b gives v, before the norm."""
    place = np.full(int(labels.max()) + 1, -1)
    place[labels] = np.arange(len(labels))
    out = np.zeros((*a.shape, n_raters - 1 + max(len(labels) - 2, 0)))
    for rater, label in ((a, u), (b, v)):
        for code in range(n_raters - 1):  # the last severity is minus the sum of the others
            out[..., code] -= label * ((rater == code) * 1.0 - (rater == n_raters - 1))
        for free in range(1, len(labels) - 1):
            out[..., n_raters - 2 + free] -= place[label] == free
    return out
