"""What every coefficient is computed from: count rows and rating patterns, with the items that show each.

Letters: B weightings of the same patterns (1 for one set of ratings; one per pair of raters, bootstrap
replicate or period), Q count rows, P patterns, E entries (ratings of patterns), r raters, k labels. Items
enter only as numbers of items per row, so that the cost does not depend on how many ratings there are.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stats.intervals import FloatArray
from stats.patterns import IntArray, Patterns, counts_of


@dataclass(frozen=True)
class Tables:
    """Ratings as counts.

    C (Q, k): raters who gave each label, one row per distinct count. items (B, Q): items that show the row.
    row_of (P,): the count row of each pattern. pattern_items (B, P): items that show the pattern. pattern,
    rater, label (E,): the ratings of the patterns, sorted by pattern; every pattern has at least one.
    """

    C: FloatArray
    items: FloatArray
    row_of: IntArray
    pattern_items: FloatArray
    pattern: IntArray
    rater: IntArray
    label: IntArray
    n_raters: int

    @property
    def n_labels(self) -> int:
        """k, the number of declared labels."""
        return int(self.C.shape[1])

    @cached_property
    def m(self) -> FloatArray:
        """(Q,) ratings of an item of each count row."""
        m: FloatArray = self.C.sum(axis=1)
        return m

    @cached_property
    def pairable(self) -> FloatArray:
        """(Q,) 1 where an item of the row has two ratings or more, else 0."""
        return (self.m >= 2).astype(float)

    @cached_property
    def n(self) -> FloatArray:
        """(B,) items with at least one rating."""
        n: FloatArray = self.items.sum(axis=1)
        return n

    @cached_property
    def n_pairable(self) -> FloatArray:
        """(B,) items with two ratings or more."""
        return self.items @ self.pairable

    def by_rater(self) -> FloatArray:
        """(B, r, k) items to which each rater gave each label."""
        cell = self.rater * self.n_labels + self.label
        size = self.n_raters * self.n_labels
        sums = [np.bincount(cell, weights=items[self.pattern], minlength=size) for items in self.pattern_items]
        return np.reshape(sums, (len(sums), self.n_raters, self.n_labels))

    def sum_entries(self, values: FloatArray) -> FloatArray:
        """(B, P) sums over the ratings of each pattern of `values` (B, r, k) at their rater and label."""
        first = np.flatnonzero(np.diff(self.pattern, prepend=-1))
        return np.add.reduceat(values[:, self.rater, self.label], first, axis=1)


def tables_of(patterns: Patterns) -> Tables:
    """The tables of one set of ratings (B = 1)."""
    C, row_of = counts_of(patterns)
    pattern_items = patterns.n_items.astype(float)
    items: FloatArray = np.bincount(row_of, weights=pattern_items, minlength=len(C)).astype(float)
    return Tables(
        C=C.astype(float),
        items=items[None, :],
        row_of=row_of,
        pattern_items=pattern_items[None, :],
        pattern=patterns.pattern,
        rater=patterns.rater,
        label=patterns.label,
        n_raters=patterns.n_raters,
    )


def tables_of_pairs(A: FloatArray) -> Tables:
    """The tables of B pairs of raters from their contingency tables A (B, k, k): one pattern per cell."""
    n_pairs, k = A.shape[:2]
    label_a, label_b = np.divmod(np.arange(k * k), k)
    eye = np.eye(k)
    items = A.reshape(n_pairs, k * k)
    return Tables(
        C=eye[label_a] + eye[label_b],
        items=items,
        row_of=np.arange(k * k),
        pattern_items=items,
        pattern=np.repeat(np.arange(k * k), 2),
        rater=np.tile([0, 1], k * k),
        label=np.column_stack([label_a, label_b]).ravel(),
        n_raters=2,
    )
