"""Mean of Cohen's kappa of one rater with each other rater."""

from collections.abc import Iterator

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.coefficients.cohen_kappa import cohen_of_table, deviation_of_cohen
from stats.agreement.count_tables import CountTables
from stats.agreement.group.group_tables import GroupTables, whole_sets
from stats.agreement.weights import LabelSetting
from stats.arrays import BoolArray, FloatArray


def mean_pairwise_kappa(tables: CountTables, setting: LabelSetting, group: GroupTables) -> CoefficientResult:
    """Compute the mean over the other raters of Cohen's kappa with the system, each from the items that both rated.

    A rater with fewer than two items in common with the system, or an expected agreement of 1, has no kappa
    and is left out; a note says how many. At most 1; undefined if no rater has one. Observed and expected
    agreement are means over the same raters. The variance is the delta method's: an item's terms in the kappas
    of all raters are added before they are squared, as for Light's kappa; with one other rater it is Cohen's.
    """
    w, n = setting.kappa_w, tables.n
    blocks = [_kappas(A, w) for _, A in _tables_by_rater(tables, group)]
    values, defined = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    sums, averaged = values.sum(axis=1), defined.sum(axis=1).astype(float)
    if tables.left_out is not None:
        sums, averaged = _without_items(tables, group, w, values, defined)
    kappa, P_a, P_e = ratio(sums, averaged[:, None]).T
    left = group.n_raters - int(averaged[0])
    return CoefficientResult(
        estimate=kappa,
        observed=P_a,
        expected=P_e,
        n=n,
        df=n - 1,
        n_pairable=n,
        variance=lambda: _variance(tables, group, w),
        note=f"The mean over the other raters with a kappa: {int(averaged[0])}; without one: {left}." if left else None,
    )


def _kappas(A: FloatArray, w: FloatArray) -> tuple[FloatArray, BoolArray]:
    """(B, r, 3) kappa, observed and expected agreement of tables A (B, r, k, k), 0 if none; (B, r) who has them."""
    n_sets, r, k = A.shape[:3]
    cohen = cohen_of_table(A.reshape(n_sets * r, k, k), w)
    defined = (cohen.n >= 2) & ~np.isnan(cohen.estimate)
    values = np.stack([cohen.estimate, cohen.observed, cohen.expected], axis=1)
    return np.where(defined[:, None], values, 0.0).reshape(n_sets, r, 3), defined.reshape(n_sets, r)


def _tables_by_rater(tables: CountTables, group: GroupTables) -> Iterator[tuple[CountTables, FloatArray]]:
    """(B, r, k, k) items by the system's label and by that of each other rater, in blocks of sets."""
    k, r = tables.n_labels, group.n_raters
    cell = (group.rater * k + group.pattern_answer[group.pattern]) * k + group.label
    for block in whole_sets(tables, r * k * k):
        A = block.count_cells(group.pattern, cell, r * k * k)
        yield block, A.reshape(len(block.pattern_items), r, k, k)


def _without_items(
    tables: CountTables, group: GroupTables, w: FloatArray, values: FloatArray, defined: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return sums (B, 3) and numbers (B,) of the kappas without each item, which changes those of its raters only."""
    assert tables.left_out is not None  # the caller checks it
    base, pattern = tables.left_out
    of_set, entry, begin = group.left_out_entries(pattern)
    at = base[of_set], group.rater[entry]
    own, other = group.pattern_answer[group.pattern[entry]], group.label[entry]
    A = np.concatenate([A for _, A in _tables_by_rater(tables, group)])
    first, second = A.sum(axis=3), A.sum(axis=2)
    near_first, near_second = second @ w.T, first @ w
    left = A.sum(axis=(2, 3))[at] - 1
    P_a = ratio((A * w).sum(axis=(2, 3))[at] - w[own, other], left)
    by_chance = (
        (first * near_first).sum(axis=2)[at] - near_first[(*at, own)] - near_second[(*at, other)] + w[own, other]
    )
    P_e = ratio(by_chance, left**2)
    kappa = ratio(P_a - P_e, 1 - P_e)
    stays = (left >= 2) & ~np.isnan(kappa)
    new = np.where(stays[:, None], np.stack([kappa, P_a, P_e], axis=1), 0.0)
    sums = values.sum(axis=1)[base] + np.add.reduceat(new - values[at], begin)
    averaged = defined.sum(axis=1).astype(float)[base] + np.add.reduceat(stays.astype(float) - defined[at], begin)
    return sums, averaged


def _variance(tables: CountTables, group: GroupTables, w: FloatArray) -> FloatArray:
    """(B,) sum over items of (sum over their raters of term / items of the rater)^2 / raters^2."""
    begin = np.flatnonzero(np.diff(group.pattern, prepend=-1))
    at = slice(None), group.rater, group.pattern_answer[group.pattern], group.label
    variances = []
    for block, A in _tables_by_rater(tables, group):
        _, defined = _kappas(A, w)
        terms = deviation_of_cohen(A.reshape(-1, *A.shape[2:]), w).reshape(A.shape)
        terms = np.where(defined[:, :, None, None], terms / np.maximum(A.sum(axis=(2, 3), keepdims=True), 1), 0.0)
        of_items = np.add.reduceat(terms[at], begin, axis=1)
        raters = defined.sum(axis=1).astype(float)
        variances.append(ratio((block.pattern_items * of_items**2).sum(axis=1), raters**2))
    return np.concatenate(variances)
