"""Information agreement, extended by continuity (IA_C)."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.coefficients.two_raters import margins, result_of_margins
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray
from stats.special_functions import xlogy

TOO_HIGH = "On average too high, and its interval in the wrong place"
MIN_BY_CHANCE, MAX_BY_CHANCE = 0.04, 0.25  # from the one it is said; from the other the first order is not enough


def information_agreement(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute I(X; Y) / min(H(X), H(Y)): mutual information of two raters over the smaller of their entropies.

    X is the second rater (columns), Y the first (rows). Where H(X) = 0 the limit 1 - m / k, m rows with an
    item, else where H(Y) = 0 the limit 1 - l / k, l columns with an item. In 0..1: 0 for independent raters,
    1 where one rater's label tells the other's, be it the same or not. 0 is an end of the range, hence there
    is no p-value. Defined wherever both raters rated an item and two labels are declared. Casagrande,
    Fabris & Girometti (2020), Medical & Biological Engineering & Computing 58, 3089-3099,
    doi:10.1007/s11517-020-02261-2, and the measures of pyagree.
    """
    pair_counts, k = margins(tables), tables.n_labels
    n = np.where(pair_counts.n > 0, pair_counts.n, np.nan)
    H_Y, H_X, H_XY = (_entropy(counts, n) for counts in (pair_counts.first, pair_counts.second, pair_counts.cells))
    shared = np.clip(ratio(H_X + H_Y - H_XY, np.minimum(H_X, H_Y)), 0.0, 1.0)
    m, l_ = (pair_counts.first > 0).sum(axis=1), (pair_counts.second > 0).sum(axis=1)
    # with one label used by a rater, that rater's entropy is 0
    limit = np.where(l_ == 1, 1 - m / k, 1 - l_ / k)
    estimate = np.where((l_ == 1) | (m == 1), limit, shared)
    return result_of_margins(pair_counts, np.where(np.isnan(n), np.nan, estimate))


def too_few_items_for_labels(tables: CountTables) -> str | None:
    """Say what unrelated raters would reach, where that is no longer near 0.

    Their mutual information is (rows - 1)(columns - 1) / 2n on average, in the first order: Miller (1955).
    """
    pair_counts = margins(tables)
    n = pair_counts.n[:1]
    if not n[0]:
        return None
    rows, columns = int((pair_counts.first[0] > 0).sum()), int((pair_counts.second[0] > 0).sum())
    smaller = min(_entropy(counts[:1], n)[0] for counts in (pair_counts.first, pair_counts.second))
    by_chance = (rows - 1) * (columns - 1) / (2 * n[0] * smaller) if smaller > 0 else 0.0
    if by_chance < MIN_BY_CHANCE:
        return None
    reached = f"about {by_chance:.2f}" if by_chance < MAX_BY_CHANCE else "a large part of it"
    return (
        f"{TOO_HIGH}: with {n[0]:,.0f} items for {rows} x {columns} "
        f"labels, raters that have nothing in common would reach {reached}."
    )


def too_high_note(detail: str | None) -> str:
    """Return the sentence of `too_few_items_for_labels` in the detail of a row, '' if it is not there."""
    _, beginning, rest = (detail or "").partition(TOO_HIGH)
    return beginning + rest


def _entropy(counts: FloatArray, n: FloatArray) -> FloatArray:
    """Return the (B,) entropy in nats of counts (B, c) that sum to n (B,)."""
    p = counts / n[:, None]
    H: FloatArray = -np.asarray(xlogy(p, p), dtype=float).sum(axis=1)
    return H
