"""Compute the agreement of each two raters also by the scale of the labels: a near miss counts less than a far one.

On an ordered scale Cohen's kappa without weights hardly sees who has the scale upside down: with five labels such a
rater disagrees as most raters do. With quadratic weights kappa has the sign of the covariance of the two raters'
labels. So it is below 0 if one of them has the scale upside down, and not if one of them is only more severe.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from stats.agreement.breakdowns.by_pair import pairwise
from stats.agreement.weights import SET_WEIGHTS, Weights
from stats.counts import CountedRatings

BY_SCALE = {"estimate": "weighted_kappa", "low": "weighted_low", "high": "weighted_high"}
"""The columns of Cohen's kappa by the scale, which stand for those without weights."""
Row = Mapping[str, Any]


def pairs_by_scale(
    ratings: pl.DataFrame | CountedRatings,
    *,
    labels: Sequence[str],
    scale: str,
    weights: Weights = None,
    confidence: float = 0.95,
    min_items: int = 1,
) -> pl.DataFrame:
    """Return Cohen's kappa of each pair as `pairwise`, and on an ordered scale the columns of BY_SCALE.

    They have quadratic weights whatever `weights` kappa itself has. They are absent where labels have no order, with
    weights for sets of labels or a matrix of weights, and with two labels, of which each miss is as far as any other.

    >>> rows = [(str(i), rater, label) for i, (a, b) in enumerate([("1", "3"), ("2", "2"), ("3", "1")] * 2)
    ...         for rater, label in (("ann", a), ("bob", b))]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> pairs_by_scale(frame, labels=["1", "2", "3"], scale="ordinal")["weighted_kappa"].round(9).to_list()
    [-1.0]
    """
    settings: dict[str, Any] = {"labels": labels, "scale": scale, "confidence": confidence, "min_items": min_items}
    pairs = pairwise(ratings, **settings, weights=weights)
    has_order = scale != "nominal" and (weights is None or (isinstance(weights, str) and weights not in SET_WEIGHTS))
    if not has_order or len(labels) < 3:
        return pairs
    weighted = pairwise(ratings, **settings, weights="quadratic")
    columns = [pl.col(name).alias(own) for name, own in BY_SCALE.items()]
    return pairs.join(
        weighted.select("rater_a", "rater_b", *columns), on=["rater_a", "rater_b"], how="left", maintain_order="left"
    )


def rows_by_scale(pairs: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the pairs that have a kappa by the scale, with this one in the place of the other."""
    return [
        {**row, **{name: row[own] for name, own in BY_SCALE.items()}}
        for row in pairs
        if row.get(BY_SCALE["estimate"]) is not None
    ]
