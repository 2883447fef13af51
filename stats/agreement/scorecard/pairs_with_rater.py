"""Compare the pairs of ratings that a rater is part of with the pairs of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stats.agreement.scorecard.share_interval import share_interval
from stats.arrays import FloatArray
from stats.counts import distinct_raters, long_patterns
from stats.errors import StatsError
from stats.intervals import check_confidence

LEAST_ITEMS = 2  # for an interval


@dataclass(frozen=True)
class PairShare:
    """The share of the pairs that agree, with its interval, and the number of items that have such pairs."""

    share: float
    low: float
    high: float
    n_items: int


@dataclass(frozen=True)
class PairsWithRater:
    """The pairs with a rater, the pairs without, and the difference of their shares (with - without).

    same_items: whether the pairs without the rater are of the rater's own items.
    """

    rater: str
    pairs_with: PairShare
    pairs_without: PairShare
    difference: float
    low: float
    high: float
    same_items: bool


def pairs_with_rater(
    ratings: Any, *, labels: Sequence[str], rater: str, confidence: float = 0.95
) -> PairsWithRater | None:
    """Compare how often the pairs with a rater agree with how often the pairs of the others do.

    The pairs of the others are those of the rater's own items, so that hard items accuse nobody. If those have none
    (two ratings an item), they are of all items. A share is a ratio of sums over items, with Wilson's interval as in
    `against_others`. The interval of the difference is Newcombe's (1998, Statistics in Medicine 17, method 10); pairs
    of the same items rather agree together, so it is too wide there. None if either side has fewer than two items.
    Raises StatsError if the rater has no rating.

    >>> import polars as pl
    >>> items = ["AAB", "AAA", "BBA", "BBA"] * 10
    >>> rows = [(str(i), r, l) for i, item in enumerate(items) for r, l in zip("xyz", item)]
    >>> found = pairs_with_rater(pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"),
    ...                          labels=["A", "B"], rater="z")
    >>> found.pairs_with.share, found.pairs_without.share, round(found.low, 2), round(found.high, 2), found.same_items
    (0.25, 1.0, -0.86, -0.57, True)
    """
    check_confidence(confidence)
    raters = distinct_raters(ratings)
    if rater not in raters:
        raise StatsError(f"There is no rating of {rater!r}. Name a rater of these ratings.")
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    n = patterns.n_items.astype(float)
    counts = np.zeros((len(n), len(labels)))
    np.add.at(counts, (patterns.pattern, patterns.label), 1)
    own = patterns.rater == raters.index(rater)
    theirs = np.zeros(len(n))
    theirs[patterns.pattern[own]] = counts[patterns.pattern[own], patterns.label[own]] - 1
    is_own = np.bincount(patterns.pattern[own], minlength=len(n)) > 0
    m = counts.sum(axis=1)
    with_pairs, with_equal = np.where(is_own, m - 1, 0), np.where(is_own, theirs, 0)
    equal = (counts * (counts - 1)).sum(axis=1) / 2 - with_equal
    pairs = m * (m - 1) / 2 - with_pairs
    same_items = bool((pairs[is_own] > 0).any())
    scope = is_own if same_items else np.ones_like(is_own)
    sides = (
        _pair_share(with_equal, with_pairs, n, confidence),
        _pair_share(np.where(scope, equal, 0), np.where(scope, pairs, 0), n, confidence),
    )
    a, b = sides
    if a is None or b is None:
        return None
    difference = a.share - b.share
    low = difference - np.hypot(a.share - a.low, b.high - b.share)
    high = difference + np.hypot(a.high - a.share, b.share - b.low)
    return PairsWithRater(rater, a, b, difference, max(float(low), -1.0), min(float(high), 1.0), same_items)


def _pair_share(equal: FloatArray, pairs: FloatArray, n: FloatArray, confidence: float) -> PairShare | None:
    """Return the share of equal pairs over items, each with `equal` of `pairs`. None with fewer than two items."""
    n_items = float(n[pairs > 0].sum())
    if n_items < LEAST_ITEMS:
        return None
    total = float((n * pairs).sum())
    share = float((n * equal).sum()) / total
    variance = float((n * (equal - share * pairs) ** 2).sum()) / total**2 * n_items / (n_items - 1)
    size = min(share * (1 - share) / variance, total) if variance > 1e-12 / n_items else n_items
    low, high = share_interval(share, size, confidence)
    return PairShare(share, float(low), float(high), round(n_items))
