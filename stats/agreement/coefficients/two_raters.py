"""Compute what the coefficients of two raters share: contingency table, margins, and kappa with its variance."""

from dataclasses import dataclass

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.count_tables import CountTables
from stats.arrays import FloatArray
from stats.distinct_keys import distinct_keys


def contingency(tables: CountTables) -> FloatArray:
    """Count the items that both rated, by the label of the first and of the second rater: (B, k, k)."""
    k = tables.n_labels
    first_rating = np.flatnonzero(np.diff(tables.pattern) == 0)
    cell = tables.label[first_rating] * k + tables.label[first_rating + 1]
    return tables.count_cells(tables.pattern[first_rating], cell, k * k).reshape(-1, k, k)


@dataclass(frozen=True)
class Margins:
    """Counts of the items that both rated.

    n (B,): all. first, second (B, k): by the label of the first, of the second rater. equal (B, k): by the label on
    which they agree. cells (B, c): by both labels, for the c pairs of labels that occur.
    """

    n: FloatArray
    first: FloatArray
    second: FloatArray
    equal: FloatArray
    cells: FloatArray


def margins(tables: CountTables) -> Margins:
    """Count the Margins, for coefficients that need not see each of the k x k cells; k may be hundreds."""
    k = tables.n_labels
    first_rating = np.flatnonzero(np.diff(tables.pattern) == 0)
    pattern, first, second = tables.pattern[first_rating], tables.label[first_rating], tables.label[first_rating + 1]
    same = first == second
    codes, _, cell = distinct_keys(first * k + second)
    by_first = tables.count_cells(pattern, first, k)
    return Margins(
        n=by_first.sum(axis=1),
        first=by_first,
        second=tables.count_cells(pattern, second, k),
        equal=tables.count_cells(pattern[same], first[same], k),
        cells=tables.count_cells(pattern, cell, max(len(codes), 1)),
    )


def kappa_of_table(A: FloatArray, w: FloatArray, p_first: FloatArray, p_second: FloatArray) -> CoefficientResult:
    """Compute (P_a - P_e) / (1 - P_e), P_e = sum_jl w_jl p_first_j p_second_l, from A (B, k, k) and shares (B, k).

    n counts the items that both raters rated. The variance divides by n, not n - 1.
    """
    n = A.sum(axis=(1, 2))
    P_a = ratio((A * w).sum(axis=(1, 2)), n)
    P_e = (p_first * (p_second @ w.T)).sum(axis=1)
    kappa = ratio(P_a - P_e, 1 - P_e)

    def variance() -> FloatArray:
        return ratio((A * deviation_of_table(A, w, p_first, p_second) ** 2).sum(axis=(1, 2)), n**2)

    return CoefficientResult(kappa, P_a, P_e, n, n - 1, n, variance)


def deviation_of_table(A: FloatArray, w: FloatArray, p_first: FloatArray, p_second: FloatArray) -> FloatArray:
    """Return (B, k, k): what an item in each cell adds to the linearised kappa, less its mean over the items.

    Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72, 323-327, eq. 8; for Scott's pi as in R irrCAC
    `scott2.table`.
    """
    P_a = ratio((A * w).sum(axis=(1, 2)), A.sum(axis=(1, 2)))[:, None, None]
    near_first, near_second = p_second @ w.T, p_first @ w
    P_e = (p_first * near_first).sum(axis=1)[:, None, None]
    kappa = ratio(P_a - P_e, 1 - P_e)
    e = near_first[:, :, None] + near_second[:, None, :]
    return ratio(w - P_a - (1 - kappa) * (e - 2 * P_e), 1 - P_e)


def result_of_margins(pair_counts: Margins, estimate: FloatArray) -> CoefficientResult:
    """Return the result of a coefficient without expected agreement and without a formula for its variance."""
    n = pair_counts.n
    P_a = ratio(pair_counts.equal.sum(axis=1), n)
    return CoefficientResult(estimate, P_a, np.full_like(n, np.nan), n, n - 1, n)
