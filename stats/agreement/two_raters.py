"""What Cohen's kappa and Scott's pi share: the contingency table of two raters and its large-sample variance."""

import numpy as np

from stats.agreement.coefficient import Parts, ratio
from stats.agreement.tables import Tables
from stats.intervals import FloatArray


def contingency(tables: Tables) -> FloatArray:
    """(B, k, k) items by the label of the first and of the second rater, of the items that both rated."""
    k = tables.n_labels
    both = np.flatnonzero(np.diff(tables.pattern) == 0)
    cell = tables.label[both] * k + tables.label[both + 1]
    of_cells = np.zeros((len(both), k * k))
    of_cells[np.arange(len(both)), cell] = 1
    return (tables.pattern_items[:, tables.pattern[both]] @ of_cells).reshape(-1, k, k)


def parts_of_table(A: FloatArray, w: FloatArray, p_first: FloatArray, p_second: FloatArray) -> Parts:
    """(P_a - P_e) / (1 - P_e), P_e = sum_jl w_jl p_first_j p_second_l, for label shares (B, k).

    Variance of Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72, 323-327, eq. 8 (for Scott's pi as
    in R irrCAC `scott2.table`); it divides by n, not n - 1. n counts the items that both raters rated.
    """
    n_pairs, k = A.shape[:2]
    n = A.sum(axis=(1, 2))
    P_a = ratio((A * w).sum(axis=(1, 2)), n)
    near_first, near_second = p_second @ w.T, p_first @ w
    P_e = (p_first * near_first).sum(axis=1)
    kappa = ratio(P_a - P_e, 1 - P_e)
    e = near_first[:, :, None] + near_second[:, None, :]
    room = (1 - P_e)[:, None]
    return Parts(
        estimate=kappa,
        observed=P_a,
        expected=P_e,
        terms=ratio((w - (1 - kappa)[:, None, None] * e).reshape(n_pairs, k * k), room),
        items=A.reshape(n_pairs, k * k),
        centre=ratio(P_a - 2 * (1 - kappa) * P_e, 1 - P_e),
        n=n,
        ddof=0,
        df=n - 1,
        n_pairable=n,
    )
