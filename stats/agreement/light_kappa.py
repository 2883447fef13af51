"""Light's kappa."""

import numpy as np
import numpy.typing as npt

from stats.agreement.coefficient import Parts, ratio
from stats.agreement.cohen_kappa import cohen_of_table, deviation_of_cohen
from stats.agreement.paired_cells import PairedCells, listed_pairs, paired_cells
from stats.agreement.tables import Tables
from stats.agreement.weights import Setting
from stats.intervals import FloatArray


def light_kappa(tables: Tables, setting: Setting) -> Parts:
    """Mean of Cohen's kappa over the pairs of raters, each from the items that both rated.

    Pairs with fewer than two common items, or an expected agreement of 1, have no kappa and are left out; a
    note says how many. At most 1; undefined if no pair has one. Observed and expected agreement are means
    over the same pairs. Light (1971), Psychological Bulletin 76, 365-377. The variance is the delta method's:
    an item's terms in the kappas of all its pairs are added before they are squared, so that pairs which share
    a rater or an item are not taken as independent; with two raters it is Cohen's.
    """
    cells = paired_cells(tables)
    r = tables.n_raters
    return mean_kappa(tables, setting, cells, np.ones(len(cells.rater_a), dtype=bool), n_possible=r * (r - 1) // 2)


def mean_kappa(
    tables: Tables, setting: Setting, cells: PairedCells, chosen: npt.NDArray[np.bool_], *, n_possible: int
) -> Parts:
    """Mean of Cohen's kappa over the `chosen` (N,) of all pairs; n_possible counts also those without an item."""
    k, w = tables.n_labels, setting.kappa_w
    n_sets, n_pairs = len(cells.counts), len(cells.rater_a)
    kappa, P_a, P_e = (np.full((n_sets, n_pairs), np.nan) for _ in range(3))
    for pairs, A in cells.contingency(k):
        parts = cohen_of_table(A.reshape(-1, k, k), w)
        rated = (parts.n > 0) & np.tile(chosen[pairs], n_sets)
        kappa[:, pairs] = np.where(rated & (parts.n >= 2), parts.estimate, np.nan).reshape(n_sets, -1)
        P_a[:, pairs] = np.where(rated, parts.observed, np.nan).reshape(n_sets, -1)
        P_e[:, pairs] = np.where(rated, parts.expected, np.nan).reshape(n_sets, -1)
    known = ~np.isnan(kappa)
    averaged = known.sum(axis=1).astype(float)
    of_kappa = ratio(np.nansum(kappa, axis=1), averaged)
    # where no pair has a kappa, the agreement beside the null is that of all pairs
    beside = np.where(known.any(axis=1, keepdims=True), known, ~np.isnan(P_a))
    of_P_a, of_P_e = (ratio(np.where(beside, x, 0.0).sum(axis=1), 1.0 * beside.sum(axis=1)) for x in (P_a, P_e))
    n, left = tables.n_pairable, n_possible - int(averaged[0])
    return Parts(
        estimate=of_kappa,
        observed=of_P_a,
        expected=of_P_e,
        n=n,
        df=n - 1,
        n_pairable=n,
        variance=lambda: _variance(tables, w, cells, known),
        note=_left_out(int(averaged[0]), left),
    )


def _left_out(averaged: int, left: int) -> str | None:
    if not left:
        return None
    return f"The mean of {averaged} pair{'s' * (averaged != 1)} of raters; {left} have no kappa of their own."


def _variance(tables: Tables, w: FloatArray, cells: PairedCells, known: npt.NDArray[np.bool_]) -> FloatArray:
    """(B,) sum over items of (sum over their pairs of term / items of the pair)^2 / pairs^2."""
    k = tables.n_labels
    share = np.zeros_like(cells.counts)
    for pairs, A in cells.contingency(k):
        n_pairs = A.shape[1]
        flat = A.reshape(-1, k, k)
        deviation = deviation_of_cohen(flat, w) / np.maximum(flat.sum(axis=(1, 2)), 1)[:, None, None]
        deviation = np.where(known[:, pairs].reshape(-1, 1, 1), deviation, 0.0).reshape(A.shape)
        inside = slice(cells.first[pairs.start], cells.first[pairs.stop])
        pair = np.repeat(np.arange(n_pairs), np.diff(cells.first[pairs.start : pairs.stop + 1]))
        share[:, inside] = deviation[:, pair, cells.label_a[inside], cells.label_b[inside]]
    squares = np.zeros(len(known))
    for pattern, code in listed_pairs(tables):
        if len(pattern):
            first = np.flatnonzero(np.diff(pattern, prepend=-1))
            of_items = np.add.reduceat(share[:, cells.position(code)], first, axis=1)
            squares += (tables.pattern_items[:, pattern[first]] * of_items**2).sum(axis=1)
    return ratio(squares, known.sum(axis=1) ** 2.0)
