"""Light's kappa, computed from the non-zero cells of the contingency tables of all pairs of raters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.coefficients.coefficient import CoefficientParts, ratio
from stats.agreement.coefficients.cohen_kappa import cohen_of_table, deviation_of_cohen
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import BoolArray, FloatArray, IntArray
from stats.patterns import entry_pairs

MAX_CELLS = 2_000_000  # cells of contingency tables in memory at once
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

    def contingency(self, k: int, chosen: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray, FloatArray]]:
        """Yield contingency tables (B, pairs, k, k) of the chosen pairs, in blocks.

        Each comes with its pairs, the cells of all of them, and the place of each cell's pair among them.
        """
        step = max(MAX_CELLS // (len(self.counts) * k * k), 1)
        for start in range(0, len(chosen), step):
            pairs = chosen[start : start + step]
            sizes = self.first[pairs + 1] - self.first[pairs]
            place = np.repeat(np.arange(len(pairs)), sizes)
            cells = np.arange(len(place)) + np.repeat(self.first[pairs] - (np.cumsum(sizes) - sizes), sizes)
            A = np.zeros((len(self.counts), len(pairs), k, k))
            A[:, place, self.label_a[cells], self.label_b[cells]] = self.counts[:, cells]
            yield pairs, cells, place, A


def light_kappa(tables: CountTables, setting: LabelSetting) -> CoefficientParts:
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
        for pairs, _, _, A in cells.contingency(k, chosen):
            cohen = cohen_of_table(A.reshape(-1, k, k), w)
            rated = cohen.n > 0
            kappa[:, pairs] = np.where(rated & (cohen.n >= 2), cohen.estimate, np.nan).reshape(n_sets, -1)
            P_a[:, pairs] = np.where(rated, cohen.observed, np.nan).reshape(n_sets, -1)
            P_e[:, pairs] = np.where(rated, cohen.expected, np.nan).reshape(n_sets, -1)
        defined = ~np.isnan(kappa)
    averaged = defined.sum(axis=1).astype(float)
    of_kappa = ratio(np.nansum(kappa, axis=1), averaged)
    # where no pair has a kappa, the agreement beside the null is that of all pairs
    beside = np.where(defined.any(axis=1, keepdims=True), defined, ~np.isnan(P_a))
    of_P_a, of_P_e = (ratio(np.where(beside, x, 0.0).sum(axis=1), 1.0 * beside.sum(axis=1)) for x in (P_a, P_e))
    n, left = tables.n_pairable, r * (r - 1) // 2 - int(averaged[0])
    return CoefficientParts(
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
    return f"The mean of {averaged} pair{'s' * (averaged != 1)} of raters; {left} have no kappa of their own."


def _variance(tables: CountTables, w: FloatArray, cells: PairedCells, defined: BoolArray) -> FloatArray:
    """Return (B,) the sum over items of (sum over their pairs of term / items of the pair)^2 / pairs^2."""
    k = tables.n_labels
    share = np.zeros_like(cells.counts)
    for pairs, inside, place, A in cells.contingency(k, np.flatnonzero(defined.any(axis=0))):
        flat = A.reshape(-1, k, k)
        deviation = deviation_of_cohen(flat, w) / np.maximum(flat.sum(axis=(1, 2)), 1)[:, None, None]
        deviation = np.where(defined[:, pairs].reshape(-1, 1, 1), deviation, 0.0).reshape(A.shape)
        share[:, inside] = deviation[:, place, cells.label_a[inside], cells.label_b[inside]]
    squares = np.zeros(len(defined))
    for pattern, position in cells.listed():
        if len(pattern):
            first = np.flatnonzero(np.diff(pattern, prepend=-1))
            of_items = np.add.reduceat(share[:, position], first, axis=1)
            squares += (tables.pattern_items[:, pattern[first]] * of_items**2).sum(axis=1)
    return ratio(squares, defined.sum(axis=1) ** 2.0)


def paired_cells(tables: CountTables) -> PairedCells:
    """Count every two ratings of an item by their raters and labels."""
    k, r = tables.n_labels, tables.n_raters
    codes, place = _codes(tables)
    counts = np.zeros((len(tables.n), len(codes)))
    kept: list[tuple[IntArray, IntArray]] = []
    n_kept = 0

    def listed() -> Iterator[tuple[IntArray, IntArray]]:
        yield from kept
        skipped = len(kept)
        for number, (pattern, code) in enumerate(listed_pairs(tables) if n_kept > MAX_KEPT else ()):
            if number >= skipped:
                yield pattern, _position(codes, place, code)

    for pattern, code in listed_pairs(tables):
        position = _position(codes, place, code)
        counts += tables.count_cells(pattern, position, len(codes))
        n_kept += len(position)
        if n_kept <= MAX_KEPT:
            kept.append((pattern, position))
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


def listed_pairs(tables: CountTables) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pattern and the cell code of every two ratings of a pattern, sorted by pattern, in blocks."""
    k, r = tables.n_labels, tables.n_raters
    ratings_of = np.bincount(tables.pattern, minlength=tables.pattern_items.shape[1])
    for a, b in entry_pairs(tables.pattern, ratings_of):
        rater, label = tables.rater, tables.label
        yield tables.pattern[a], ((rater[a] * r + rater[b]) * k + label[a]) * k + label[b]


def _codes(tables: CountTables) -> tuple[IntArray, Places]:
    """Return the codes that occur, sorted; and their places, if there are few possible codes."""
    possible = (tables.n_raters * tables.n_labels) ** 2
    if possible > MAX_DENSE_CELLS:
        blocks = [pl.Series(code).unique() for _, code in listed_pairs(tables)]
        return pl.concat(blocks).unique().sort().to_numpy(), None
    seen = np.zeros(possible, dtype=bool)
    for _, code in listed_pairs(tables):
        seen[code] = True
    return np.flatnonzero(seen), np.cumsum(seen, dtype=np.int32) - np.int32(1)


def _position(codes: IntArray, place: Places, code: IntArray) -> IntArray:
    return np.searchsorted(codes, code) if place is None else place[code].astype(np.int64)
