"""The contingency tables of all pairs of raters at once, as a list of their non-zero cells."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.tables import Tables
from stats.intervals import FloatArray
from stats.patterns import IntArray, entry_pairs

CELLS = 2_000_000  # cells of contingency tables that are worked on at once
DENSE = 16_000_000  # possible cells up to which a cell is found by its place in an array (64 MB), not by search

Places = npt.NDArray[np.int32] | None


@dataclass(frozen=True)
class PairedCells:
    """c cells (rater a, label j, rater b, label l) with an item, rater a before b, sorted by the pair of raters.

    counts (B, c): items. first (N + 1,): where the cells of each of the N pairs begin. label_a, label_b (c,).
    rater_a, rater_b (N,). code (c,): the cell as one number, ((a r + b) k + j) k + l.
    place: which of the c cells a code is, if the possible codes are few enough to list.
    """

    counts: FloatArray
    code: IntArray
    first: IntArray
    rater_a: IntArray
    rater_b: IntArray
    label_a: IntArray
    label_b: IntArray
    place: Places

    def position(self, code: IntArray) -> IntArray:
        """Which of the c cells each code is."""
        return _position(self.code, self.place, code)

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
    codes, place = _codes(tables)
    counts = np.zeros((len(tables.n), len(codes)))
    for pattern, code in listed_pairs(tables):
        counts += tables.count_cells(pattern, _position(codes, place, code), len(codes))
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
        place=place,
    )


def listed_pairs(tables: Tables) -> Iterator[tuple[IntArray, IntArray]]:
    """The pattern and the cell code of every two ratings of a pattern, sorted by pattern, in blocks."""
    k, r = tables.n_labels, tables.n_raters
    ratings_of = np.bincount(tables.pattern, minlength=tables.pattern_items.shape[1])
    for a, b in entry_pairs(tables.pattern, ratings_of):
        rater, label = tables.rater, tables.label
        yield tables.pattern[a], ((rater[a] * r + rater[b]) * k + label[a]) * k + label[b]


def _codes(tables: Tables) -> tuple[IntArray, Places]:
    """The codes that occur, sorted; and their places, if the possible codes are few."""
    possible = (tables.n_raters * tables.n_labels) ** 2
    if possible > DENSE:
        blocks = [pl.Series(code).unique() for _, code in listed_pairs(tables)]
        return pl.concat(blocks).unique().sort().to_numpy(), None
    seen = np.zeros(possible, dtype=bool)
    for _, code in listed_pairs(tables):
        seen[code] = True
    return np.flatnonzero(seen), np.cumsum(seen, dtype=np.int32) - np.int32(1)


def _position(codes: IntArray, place: Places, code: IntArray) -> IntArray:
    return np.searchsorted(codes, code) if place is None else place[code].astype(np.int64)
