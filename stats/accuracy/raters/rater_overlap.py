"""Overlap of each rater with the others: how far they agree, and whether an accuracy can be estimated from that."""

from dataclasses import dataclass

import numpy as np

from stats.accuracy.estimators import lehner
from stats.accuracy.fitting.likelihood import Why
from stats.arrays import IntArray
from stats.patterns import RatingPatterns, counts_of

REASONS = {
    "too_few_raters": "With fewer than three raters an accuracy cannot be told for one of them alone.",
    "too_few_items": "No item of this rater was rated by anybody else.",
    "zero_denominator": "The other raters have no item in common.",
    "not_identified": "The other raters agree no better than chance, so they say nothing about this one.",
}


@dataclass(frozen=True)
class RaterOverlap:
    """One rater's ratings and agreement with the others.

    - n_ratings: all ratings of the rater.
    - agreement: share of pairs with another rater of the same item that agree; None where there is no such pair.
    - why: why no accuracy can be estimated; None where it can.
    """

    n_ratings: int
    agreement: float | None
    why: Why


def rater_overlaps(humans: RatingPatterns) -> list[RaterOverlap]:
    """Return the overlap of each rater of the patterns."""
    C, row_of = counts_of(humans)
    items = np.bincount(row_of, weights=humans.n_items, minlength=len(C)).astype(np.int64)
    agreeing, pairs = _pairs(C, items)
    order = np.argsort(humans.rater, kind="stable")
    ends = np.cumsum(np.bincount(humans.rater, minlength=humans.n_raters))[:-1]
    overlaps = []
    for own in np.split(order, ends):
        seen, label = humans.pattern[own], humans.label[own]
        n_items, rows = humans.n_items[seen], C[row_of[seen]]
        left = rows.copy()
        left[np.arange(len(label)), label] -= 1
        old, new = _pairs(rows, n_items), _pairs(left, n_items)
        others = (agreeing - old[0] + new[0], pairs - old[1] + new[1])
        n_shared = int(n_items @ left.sum(axis=1))
        agreement = float(n_items @ left[np.arange(len(label)), label]) / n_shared if n_shared else None
        overlaps.append(RaterOverlap(int(n_items.sum()), agreement, _why(agreement, others, humans)))
    return overlaps


def _pairs(C: IntArray, n_items: IntArray) -> tuple[int, int]:
    """Return the agreeing pairs of ratings of the same item, and all such pairs."""
    m = C.sum(axis=1)
    return int(n_items @ (C * (C - 1)).sum(axis=1)) // 2, int(n_items @ (m * (m - 1))) // 2


def _why(agreement: float | None, others: tuple[int, int], humans: RatingPatterns) -> Why:
    reason, (agreeing, pairs) = None, others
    if agreement is None:
        reason = "too_few_items" if humans.n_raters > 1 else "too_few_raters"
    elif pairs == 0:
        reason = "zero_denominator" if humans.n_raters > 2 else "too_few_raters"
    elif np.isnan(lehner.rater_accuracy(np.array([agreeing / pairs]), humans.n_labels)[0]):
        reason = "not_identified"
    return None if reason is None else (reason, REASONS[reason])
