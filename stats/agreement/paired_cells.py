"""The contingency tables of all pairs of raters at once, as a list of their non-zero cells."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.agreement.tables import Tables
from stats.intervals import FloatArray
from stats.patterns import IntArray, entry_pairs

CELLS = 2_000_000  # cells of contingency tables that are worked on at once


@dataclass(frozen=True)
class PairedCells:
    """c cells (rater a, label j, rater b, label l) with an item, rater a before b, sorted by the pair of raters.

    counts (B, c): items. first (N + 1,): where the cells of each of the N pairs begin. label_a, label_b (c,).
    rater_a, rater_b (N,). code (c,): the cell as one number, ((a r + b) k + j) k + l.
    """

    counts: FloatArray
    code: IntArray
    first: IntArray
    rater_a: IntArray
    rater_b: IntArray
    label_a: IntArray
    label_b: IntArray

    def contingency(self, k: int) -> Iterator[tuple[slice, FloatArray]]:
        """(B, pairs, k, k) tables of a run of pairs, and which pairs these are."""
        step = max(CELLS // (len(self.counts) * k * k), 1)
        for start in range(0, len(self.rater_a), step):
            stop = min(start + step, len(self.rater_a))
            cells = slice(self.first[start], self.first[stop])
            pair = np.repeat(np.arange(stop - start), np.diff(self.first[start : stop + 1]))
            A = np.zeros((len(self.counts), stop - start, k, k))
            A[:, pair, self.label_a[cells], self.label_b[cells]] = self.counts[:, cells]
            yield slice(start, stop), A


def paired_cells(tables: Tables) -> PairedCells:
    """Every two ratings of an item, counted by who gave them and what they say."""
    k, r = tables.n_labels, tables.n_raters
    codes = np.unique(np.concatenate([np.unique(code) for _, code in listed_pairs(tables)] or [np.empty(0, np.int64)]))
    counts = np.zeros((len(tables.n), len(codes)))
    for pattern, code in listed_pairs(tables):
        counts += tables.count_cells(pattern, np.searchsorted(codes, code), len(codes))
    pair, cell = np.divmod(codes, k * k)
    new = np.flatnonzero(np.diff(pair, prepend=-1))
    return PairedCells(
        counts=counts,
        code=codes,
        first=np.append(new, len(codes)),
        rater_a=pair[new] // r,
        rater_b=pair[new] % r,
        label_a=cell // k,
        label_b=cell % k,
    )


def listed_pairs(tables: Tables) -> Iterator[tuple[IntArray, IntArray]]:
    """The pattern and the cell code of every two ratings of a pattern, sorted by pattern, in blocks."""
    k, r = tables.n_labels, tables.n_raters
    ratings_of = np.bincount(tables.pattern, minlength=tables.pattern_items.shape[1])
    for a, b in entry_pairs(tables.pattern, ratings_of):
        rater, label = tables.rater, tables.label
        yield tables.pattern[a], ((rater[a] * r + rater[b]) * k + label[a]) * k + label[b]
