"""Hold the tables from which every coefficient is computed: count rows and rating patterns, with their items.

Sizes: B sets of ratings over the same patterns (one set, or one per pair of raters, bootstrap replicate or item left
out), Q count rows, P patterns, E entries (ratings of patterns), r raters, k labels. Items only appear as numbers of
items, so that the cost does not depend on the number of ratings.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from stats.arrays import BoolArray, FloatArray, IntArray
from stats.patterns import NO_CODES, RatingPatterns, counts_of


@dataclass(frozen=True)
class CountTables:
    """B sets of ratings as counts.

    - C (Q, k): raters who gave each label, one row per distinct count.
    - items (B, Q): items that show each count row. In a sparse table (csr) each sum of a set adds the rows that the set
      has, one after another. So it does not depend on which other sets and rows there are, not even in its last bit.
    - row_of (P,): the count row of each pattern.
    - pattern_items (B, P): items that show each pattern.
    - pattern, rater, label (E,): the ratings of the patterns, sorted by pattern, then rater. Every pattern has one.
    - left_out: None, or (set, pattern) as two arrays of one length. The tables then stand for one set of ratings per
      entry: that set without one item of that pattern. The sums below take this into account, so that a coefficient
      which uses them needs no code for it.
    """

    C: FloatArray
    items: FloatArray
    row_of: IntArray
    pattern_items: FloatArray
    pattern: IntArray
    rater: IntArray
    label: IntArray
    n_raters: int
    left_out: tuple[IntArray, IntArray] | None = None

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
        return self.sum_rows(np.ones(len(self.C)))

    @cached_property
    def n_pairable(self) -> FloatArray:
        """(B,) items with two ratings or more."""
        return self.sum_rows(self.pairable)

    def sum_rows(self, X: FloatArray) -> FloatArray:
        """Sum X (Q, ...), the value of an item of each count row, over the items of each set: (B, ...)."""
        if self.left_out is None:
            return self.items @ X
        base, pattern = self.left_out
        return (self.items @ X)[base] - X[self.row_of[pattern]]

    def sum_patterns(self, X: FloatArray) -> FloatArray:
        """Sum X (P, ...), the value of an item of each pattern, over the items of each set: (B, ...)."""
        if self.left_out is None:
            return self.pattern_items @ X
        base, pattern = self.left_out
        return (self.pattern_items @ X)[base] - X[pattern]

    def count_cells(self, pattern: IntArray, cell: IntArray, n_cells: int) -> FloatArray:
        """Count items by cell (B, n_cells). An item of pattern[i] counts in cell[i]. `pattern` must be sorted."""
        sums = np.array([np.bincount(cell, items[pattern], n_cells) for items in self.pattern_items], dtype=float)
        if self.left_out is None:
            return sums
        base, left_out = self.left_out
        counts: FloatArray = sums[base]
        first, last = np.searchsorted(pattern, left_out), np.searchsorted(pattern, left_out, side="right")
        of_set = np.repeat(np.arange(len(base)), last - first)
        entry = np.arange(len(of_set)) - np.repeat(np.cumsum(last - first) - last, last - first)
        np.subtract.at(counts, (of_set, cell[entry]), 1)
        return counts

    def by_rater(self) -> FloatArray:
        """Count the items to which each rater gave each label: (B, r, k)."""
        k = self.n_labels
        cells = self.count_cells(self.pattern, self.rater * k + self.label, self.n_raters * k)
        return cells.reshape(-1, self.n_raters, k)

    def coincidences(self) -> FloatArray:
        """Count the ordered pairs of ratings of an item with labels j and l, divided by m_i - 1: (B, k, k)."""
        k, v = self.n_labels, self.pairable / np.maximum(self.m - 1, 1)
        diagonal = np.arange(k)
        sets = np.empty((self.items.shape[0], k, k))
        for pairs, (rows, items) in zip(sets, self._rows_of_sets(), strict=True):
            C, of_rows = self.C[rows], items * v[rows]
            pairs[:] = (C * of_rows[:, None]).T @ C
            pairs[diagonal, diagonal] -= of_rows @ C
        if self.left_out is None:
            return sets
        base, row = self.left_out[0], self.row_of[self.left_out[1]]
        C, of_item = self.C[row], v[row, None]
        sets = sets[base] - C[:, :, None] * (C * of_item)[:, None, :]
        sets[:, diagonal, diagonal] += C * of_item
        return sets

    def _rows_of_sets(self) -> Iterator[tuple[IntArray | slice, FloatArray]]:
        """Yield the count rows of each set, and their items: of a sparse table those that the set has."""
        if isinstance(self.items, np.ndarray):
            yield from ((slice(None), items) for items in self.items)
            return
        for start, end in pairwise(self.items.indptr):
            yield self.items.indices[start:end], self.items.data[start:end]

    def sum_entries(self, values: FloatArray) -> FloatArray:
        """Sum `values` (B, r, k), at rater and label, over the ratings of each pattern: (B, P)."""
        first = np.flatnonzero(np.diff(self.pattern, prepend=-1))
        return np.add.reduceat(values[:, self.rater, self.label], first, axis=1)


def tables_of(patterns: RatingPatterns) -> CountTables:
    """Make the tables of one set of ratings (B = 1)."""
    C, row_of = counts_of(patterns)
    pattern_items = patterns.n_items.astype(float)
    items: FloatArray = np.bincount(row_of, weights=pattern_items, minlength=len(C)).astype(float)
    return CountTables(
        C=C.astype(float),
        items=items[None, :],
        row_of=row_of,
        pattern_items=pattern_items[None, :],
        pattern=patterns.pattern,
        rater=patterns.rater,
        label=patterns.label,
        n_raters=patterns.n_raters,
    )


def tables_of_pairs(A: FloatArray) -> CountTables:
    """Make the tables of B pairs of raters from their contingency tables A (B, k, k): one pattern per cell.

    Cells that no pair has are left out: of hundreds of labels most are, and C would not fit in memory.
    """
    n_pairs, k = A.shape[:2]
    has_items: BoolArray = np.asarray(A.any(axis=0))
    has_items[-1, -1] = True  # a bootstrap sample puts the rest of its items there: so draws are those of all cells
    cells = np.flatnonzero(has_items)
    label_a, label_b = np.divmod(cells, k)
    eye = np.eye(k)
    items = A.reshape(n_pairs, k * k)[:, cells]
    return CountTables(
        C=eye[label_a] + eye[label_b],
        items=items,
        row_of=np.arange(len(cells)),
        pattern_items=items,
        pattern=np.repeat(np.arange(len(cells)), 2),
        rater=np.tile([0, 1], len(cells)),
        label=np.column_stack([label_a, label_b]).ravel(),
        n_raters=2,
    )


def at_least(tables: CountTables, ratings: int) -> CountTables:
    """Drop the patterns with fewer ratings than this, whose items do not change the coefficient."""
    if len(tables.m) == 0 or tables.m.min() >= ratings:
        return tables
    rows, kept = tables.m >= ratings, (tables.m >= ratings)[tables.row_of]
    new_row, new_pattern = np.cumsum(rows) - 1, np.cumsum(kept) - 1
    entries = kept[tables.pattern] if len(tables.pattern) else np.zeros(0, dtype=bool)
    return replace(
        tables,
        C=tables.C[rows],
        items=tables.items[:, rows],
        row_of=new_row[tables.row_of[kept]],
        pattern_items=tables.pattern_items[:, kept],
        pattern=new_pattern[tables.pattern[entries]],
        rater=tables.rater[entries],
        label=tables.label[entries],
    )


def without_raters(tables: CountTables) -> CountTables:
    """Drop rater identity: each count row becomes a pattern without entries."""
    return replace(
        tables,
        row_of=np.arange(len(tables.C)),
        pattern_items=tables.items,
        pattern=NO_CODES,
        rater=NO_CODES,
        label=NO_CODES,
    )
