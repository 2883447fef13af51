"""Shares of labels, and of pairs of labels that raters confuse, in many windows of items."""

from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns, counts_of
from stats.trends.ratio_shares import RatioSums, Shares, ratio_shares
from stats.trends.window_sums import WindowUnits

MAX_PAIRS = 45  # pairs of labels that are followed, the most frequent ones: all of ten labels


@dataclass(frozen=True)
class LabelTrends:
    """W windows, k labels.

    - n_items (W,): items with a rating. n_ratings (W, k): ratings with each label.
    - shares (W, k): mean over items of the share of the item's ratings that have the label.
    """

    n_items: IntArray
    n_ratings: IntArray
    shares: Shares


@dataclass(frozen=True)
class ConfusionTrends:
    """W windows, c pairs of labels (label_a, label_b: codes, a < b).

    - n_items (W,): items with two ratings or more. n_pairs (W, c): pairs of ratings of an item with these labels.
    - shares (W, c): their share among all pairs of ratings of an item.
    """

    label_a: IntArray
    label_b: IntArray
    n_items: IntArray
    n_pairs: IntArray
    shares: Shares


def label_trends(patterns: RatingPatterns, units: WindowUnits, *, confidence: float) -> LabelTrends:
    """Return the share of each label in each window. Each item counts alike, however many ratings it has."""
    counts, row_of = counts_of(patterns)
    C = counts[row_of].astype(np.float64)
    k = patterns.n_labels
    p = C / C.sum(axis=1, keepdims=True)
    n, n_ratings, x, xx = np.split(
        units.sum(np.hstack([np.ones((len(C), 1)), C, p, p**2])), [1, 1 + k, 1 + 2 * k], axis=1
    )
    y = np.broadcast_to(n, x.shape)
    shares = ratio_shares(RatioSums(y, x, y, xx, x, y), confidence=confidence)
    return LabelTrends(_whole(n[:, 0]), _whole(n_ratings), shares)


LabelPairs = tuple[IntArray, IntArray]  # label_a and label_b, a < b, in the order of their codes


def confusion_trends(
    patterns: RatingPatterns, units: WindowUnits, *, confidence: float, pairs: LabelPairs | None = None
) -> ConfusionTrends:
    """Return how often each two labels meet on one item. Pairs of labels that never meet are left out.

    pairs: the pairs of labels that are followed, by default the `frequent_pairs` of these patterns.
    """
    label_a, label_b = frequent_pairs(patterns) if pairs is None else pairs
    counts, row_of = counts_of(patterns)
    C = counts[row_of].astype(np.float64)
    m = C.sum(axis=1)
    n_pairs = m * (m - 1) / 2
    met = C[:, label_a] * C[:, label_b]
    c = len(label_a)
    values = np.hstack([np.column_stack([m > 1, n_pairs, n_pairs**2]), met, met**2, met * n_pairs[:, None]])
    n, y, yy, x, xx, xy = np.split(units.sum(values), [1, 2, 3, 3 + c, 3 + 2 * c], axis=1)
    wide = [np.broadcast_to(column, x.shape) for column in (n, y, yy)]
    shares = ratio_shares(RatioSums(wide[0], x, wide[1], xx, xy, wide[2]), confidence=confidence)
    return ConfusionTrends(label_a, label_b, _whole(n[:, 0]), _whole(x), shares)


def frequent_pairs(patterns: RatingPatterns) -> LabelPairs:
    """Return the pairs of labels that meet on an item; of more than MAX_PAIRS pairs, those that meet most often."""
    counts, row_of = counts_of(patterns)
    C, n_items = counts.astype(np.float64), np.bincount(row_of, patterns.n_items, len(counts))
    meetings = (C * n_items[:, None]).T @ C
    label_a, label_b = np.triu_indices(C.shape[1], k=1)
    often = meetings[label_a, label_b]
    chosen = np.argsort(-often, kind="stable")[:MAX_PAIRS]
    chosen = np.sort(chosen[often[chosen] > 0])
    return label_a[chosen].astype(np.int64), label_b[chosen].astype(np.int64)


def _whole(values: FloatArray) -> IntArray:
    return np.rint(values).astype(np.int64)
