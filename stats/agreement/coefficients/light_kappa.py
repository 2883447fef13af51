"""Light's kappa, computed from the non-zero cells of the contingency tables of all pairs of raters."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import BoolArray, FloatArray, IntArray
from stats.patterns import entry_pairs

MAX_CELLS = 2_000_000  # cells of the margins of pairs in memory at once
# up to so many possible cells (64 MB) an array holds the place of each cell; beyond, a search finds it
MAX_DENSE_CELLS = 16_000_000

MAX_KEPT = 4_000_000  # pairs of ratings whose cells are remembered (64 MB): to find them again takes as long

Places = npt.NDArray[np.int32] | None


@dataclass(frozen=True)
class PairedCells:
    """The c cells (rater a, label j, rater b, label l) with an item, a before b, sorted by the N pairs of raters.

    counts (B, c): items. code (c,): the cell as one number, ((a r + b) k + j) k + l. first (N + 1,): where the cells of
    each pair begin. rater_a, rater_b (N,). label_a, label_b (c,). listed: the pattern of every two ratings of a pattern
    and the position of their cell, sorted by pattern, in blocks.
    """

    counts: FloatArray
    code: IntArray
    first: IntArray
    rater_a: IntArray
    rater_b: IntArray
    label_a: IntArray
    label_b: IntArray
    listed: Callable[[], Iterator[tuple[IntArray, IntArray]]]

    def n_items(self) -> FloatArray:
        """Return how many items both raters of each pair rated (B, N)."""
        if not len(self.rater_a):
            return np.zeros((len(self.counts), 0))
        return np.asarray(np.add.reduceat(self.counts, self.first[:-1], axis=1))

    def margins(self, k: int, chosen: IntArray) -> Iterator["PairMargins"]:
        """Yield the margins of the chosen pairs, in blocks."""
        n_sets = len(self.counts)
        step = max(MAX_CELLS // (n_sets * k), 1)
        for start in range(0, len(chosen), step):
            pairs = chosen[start : start + step]
            sizes = self.first[pairs + 1] - self.first[pairs]
            place, begin = np.repeat(np.arange(len(pairs)), sizes), np.cumsum(sizes) - sizes
            cells = np.arange(len(place)) + np.repeat(self.first[pairs] - begin, sizes)
            counts, labels = self.counts[:, cells], (self.label_a[cells], self.label_b[cells])
            first, second = (
                np.array([np.bincount(place * k + label, of_set, len(pairs) * k) for of_set in counts])
                for label in labels
            )
            shape = (n_sets, len(pairs), k)
            yield PairMargins(pairs, cells, place, begin, counts, *labels, first.reshape(shape), second.reshape(shape))


@dataclass(frozen=True)
class PairMargins:
    """What the kappa of each of some pairs of raters needs, from the c cells of their contingency tables with an item.

    pairs (N,). cells, place, label_a, label_b (c,): each cell, its pair among these, its labels. begin (N,): where the
    cells of each pair begin. counts (B, c): items. first, second (B, N, k): items by the label of the first and of the
    second rater.
    """

    pairs: IntArray
    cells: IntArray
    place: IntArray
    begin: IntArray
    counts: FloatArray
    label_a: IntArray
    label_b: IntArray
    first: FloatArray
    second: FloatArray

    @cached_property
    def n(self) -> FloatArray:
        """(B, N) items that both raters of each pair rated."""
        return np.asarray(np.add.reduceat(self.counts, self.begin, axis=1))

    @cached_property
    def shares(self) -> tuple[FloatArray, FloatArray]:
        """(B, N, k) the share of each label among the items, by the first and by the second rater."""
        return ratio(self.first, self.n[:, :, None]), ratio(self.second, self.n[:, :, None])

    def observed(self, w: FloatArray) -> FloatArray:
        """Return (B, N) the observed agreement."""
        return ratio(np.add.reduceat(self.counts * w[self.label_a, self.label_b], self.begin, axis=1), self.n)

    def expected(self, w: FloatArray) -> FloatArray:
        """Return (B, N) the agreement of independent raters with these margins."""
        p_first, p_second = self.shares
        return _sum_over_labels(p_first, p_second @ w.T)

    def deviation(self, w: FloatArray) -> FloatArray:
        """Return (B, c): `stats.agreement.coefficients.cohen_kappa.deviation_of_cohen` in each cell."""
        p_first, p_second = self.shares
        near_first, near_second = p_second @ w.T, p_first @ w  # mean agreement of a label with those of the other
        P_a, P_e = self.observed(w), _sum_over_labels(p_first, near_first)
        kappa = ratio(P_a - P_e, 1 - P_e)
        e = near_first[:, self.place, self.label_a] + near_second[:, self.place, self.label_b]
        P_a, P_e, kappa = (of_pair[:, self.place] for of_pair in (P_a, P_e, kappa))
        return ratio(w[self.label_a, self.label_b] - P_a - (1 - kappa) * (e - 2 * P_e), 1 - P_e)


def _sum_over_labels(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return (B, N) the sum of x y (B, N, k) over labels, without an array of the products."""
    return np.asarray(np.einsum("bnk,bnk->bn", x, y))


def light_kappa(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the mean of Cohen's kappa over the pairs of raters, each from the items that both rated.

    Pairs with fewer than two common items, or an expected agreement of 1, have no kappa and are left out. A note says
    how many. At most 1; undefined if no pair has a kappa. Observed and expected agreement are means over the same
    pairs. Light (1971), Psychological Bulletin 76, 365-377. The variance is by the delta method: an item's terms in
    the kappas of all its pairs are added before they are squared, because pairs which share a rater or an item are
    not independent. With two raters it is the variance of Cohen's kappa.
    """
    cells = paired_cells(tables)
    k, r, w = tables.n_labels, tables.n_raters, setting.kappa_w
    n_sets, n_pairs = len(cells.counts), len(cells.rater_a)
    kappa, P_a, P_e = (np.full((n_sets, n_pairs), np.nan) for _ in range(3))
    # of many sparse raters most pairs share one item: they have no kappa, and their tables would take most of the time
    several = (cells.n_items() >= 2).any(axis=0)
    defined = np.zeros((n_sets, n_pairs), dtype=bool)
    for chosen in (np.flatnonzero(several), np.flatnonzero(~several)):
        if defined.any(axis=1).all():
            break  # else the agreement of all pairs is reported
        for block in cells.margins(k, chosen):
            observed, expected, rated = block.observed(w), block.expected(w), block.n > 0
            of_block = ratio(observed - expected, 1 - expected)
            kappa[:, block.pairs] = np.where(rated & (block.n >= 2), of_block, np.nan)
            P_a[:, block.pairs] = np.where(rated, observed, np.nan)
            P_e[:, block.pairs] = np.where(rated, expected, np.nan)
        defined = ~np.isnan(kappa)
    averaged = defined.sum(axis=1).astype(float)
    of_kappa = ratio(np.nansum(kappa, axis=1), averaged)
    # where no pair has a kappa, the agreement beside the null is that of all pairs
    beside = np.where(defined.any(axis=1, keepdims=True), defined, ~np.isnan(P_a))
    of_P_a, of_P_e = (ratio(np.where(beside, x, 0.0).sum(axis=1), 1.0 * beside.sum(axis=1)) for x in (P_a, P_e))
    n, left = tables.n_pairable, r * (r - 1) // 2 - int(averaged[0])
    return CoefficientResult(
        estimate=of_kappa,
        observed=of_P_a,
        expected=of_P_e,
        n=n,
        df=n - 1,
        n_pairable=n,
        variance=lambda: _variance(tables, w, cells, defined),
        note=_left_out(int(averaged[0]), left),
    )


def _left_out(averaged: int, left: int) -> str | None:
    if not left:
        return None
    return f"The mean over the pairs of raters with a kappa: {averaged}; without one: {left}."


def _variance(tables: CountTables, w: FloatArray, cells: PairedCells, defined: BoolArray) -> FloatArray:
    """Return (B,) the sum over items of (sum over their pairs of term / items of the pair)^2 / pairs^2."""
    k = tables.n_labels
    share = np.zeros_like(cells.counts)
    for block in cells.margins(k, np.flatnonzero(defined.any(axis=0))):
        deviation = block.deviation(w) / np.maximum(block.n, 1)[:, block.place]
        share[:, block.cells] = np.where(defined[:, block.pairs[block.place]], deviation, 0.0)
    squares = np.zeros(len(defined))
    for pattern, position in cells.listed():
        if len(pattern):
            first = np.flatnonzero(np.diff(pattern, prepend=-1))
            of_items = np.add.reduceat(share[:, position], first, axis=1)
            squares += (tables.pattern_items[:, pattern[first]] * of_items**2).sum(axis=1)
    return ratio(squares, defined.sum(axis=1).astype(float) ** 2)


def paired_cells(tables: CountTables) -> PairedCells:
    """Count every two ratings of an item by their raters and labels."""
    k, r = tables.n_labels, tables.n_raters
    codes, counts, listed = _counted_at_once(tables) if _n_pairs(tables) <= MAX_KEPT else _counted_in_blocks(tables)
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
        listed=listed,
    )


Counted = tuple[IntArray, FloatArray, Callable[[], Iterator[tuple[IntArray, IntArray]]]]


def _n_pairs(tables: CountTables) -> int:
    """Count every two ratings of a pattern."""
    ratings_of = np.bincount(tables.pattern)
    return int((ratings_of * (ratings_of - 1) // 2).sum())


def _counted_at_once(tables: CountTables) -> Counted:
    """Return the codes that occur, the items of each, and the pairs of ratings, all of which are in memory."""
    pairs = list(listed_pairs(tables))
    code = np.concatenate([code for _, code in pairs]) if pairs else np.empty(0, np.int64)
    pattern = np.concatenate([pattern for pattern, _ in pairs]) if pairs else np.empty(0, np.int64)
    if (tables.n_raters * tables.n_labels) ** 2 > MAX_DENSE_CELLS:
        codes, position = np.unique(code, return_inverse=True)
    else:
        codes, place = _codes([code], tables)
        position = _position(codes, place, code)
    return codes, tables.count_cells(pattern, position, len(codes)), lambda: iter([(pattern, position)])


def _counted_in_blocks(tables: CountTables) -> Counted:
    """Return the same as `_counted_at_once`. The pairs are listed again block by block when they are needed."""
    codes, place = _codes((code for _, code in listed_pairs(tables)), tables)
    counts = np.zeros((len(tables.n), len(codes)))
    kept: list[tuple[IntArray, IntArray]] = []
    n_kept = 0

    def listed() -> Iterator[tuple[IntArray, IntArray]]:
        yield from kept
        for number, (pattern, code) in enumerate(listed_pairs(tables)):
            if number >= len(kept):
                yield pattern, _position(codes, place, code)

    for pattern, code in listed_pairs(tables):
        position = _position(codes, place, code)
        counts += tables.count_cells(pattern, position, len(codes))
        n_kept += len(position)
        if n_kept <= MAX_KEPT:
            kept.append((pattern, position))
    return codes, counts, listed


def listed_pairs(tables: CountTables) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pattern and the cell code of every two ratings of a pattern, sorted by pattern, in blocks."""
    k, r = tables.n_labels, tables.n_raters
    ratings_of = np.bincount(tables.pattern, minlength=tables.pattern_items.shape[1])
    for a, b in entry_pairs(tables.pattern, ratings_of):
        rater, label = tables.rater, tables.label
        yield tables.pattern[a], ((rater[a] * r + rater[b]) * k + label[a]) * k + label[b]


def _codes(blocks: Iterable[IntArray], tables: CountTables) -> tuple[IntArray, Places]:
    """Return the codes that occur, sorted; and their places, if there are few possible codes."""
    possible = (tables.n_raters * tables.n_labels) ** 2
    if possible > MAX_DENSE_CELLS:
        return pl.concat([pl.Series(block).unique() for block in blocks]).unique().sort().to_numpy(), None
    seen = np.zeros(possible, dtype=bool)
    for block in blocks:
        seen[block] = True
    return np.flatnonzero(seen), np.cumsum(seen, dtype=np.int32) - np.int32(1)


def _position(codes: IntArray, place: Places, code: IntArray) -> IntArray:
    return np.searchsorted(codes, code) if place is None else place[code].astype(np.int64)
