"""Shah's S of one rater against a fixed group of raters."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.count_tables import CountTables
from stats.agreement.group.group_tables import GroupTables, whole_sets
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray


def shah_s(tables: CountTables, setting: LabelSetting, group: GroupTables) -> CoefficientResult:
    """Compute the agreement with the pairs of others who agree, beyond chance, against the most that is possible.

    (A_o - A_e) / (A_max - A_e). With y_i the system's label of item i, C_ij the others who gave it label j and
    m_i their number: A_o = mean_i C_(i,y_i) (C_(i,y_i) - 1) / (m_i (m_i - 1)), the share of pairs of others who
    both gave the system's label; A_max = mean_i max_j C_ij (C_ij - 1) / (m_i (m_i - 1)), both over the items with
    m_i >= 2; A_e = mean over pairs of others g != h of sum_j p_j p_gj p_hj, where p_j is the share of label j
    among the system's labels and p_gj among those of rater g, over all items that the system and at least one
    other rated. At most 1, where the system gives the label of most pairs on every item. Needs two others, no
    weights; undefined where A_max <= A_e: the group agrees with itself no more than chance would have it.
    Shah (2011), ECML PKDD 2011 III, LNAI 6913, 191-206, Eqs. 6-8; the figures that it prints in Sec. 5.3 count
    four of the six ordered pairs of three raters in A_e.
    """
    n, n_pairable = tables.n, tables.n_pairable
    C, m = tables.C, tables.m
    pairs = C * (C - 1) / np.maximum(m * (m - 1), 1)[:, None]
    observed = ratio(tables.sum_rows(pairs[np.arange(len(C)), group.answer]), n_pairable)
    most = ratio(tables.sum_rows(pairs.max(axis=1, initial=0)), n_pairable)
    p = ratio(tables.sum_rows(np.eye(tables.n_labels)[group.answer]), n[:, None])
    expected = (p * _both_by_chance(tables, group)).sum(axis=1)
    room = np.where(most > expected, most - expected, np.nan)
    return CoefficientResult(
        ratio(observed - expected, room), observed, expected, n, n - 1, n_pairable, note=_note(n, n_pairable, most)
    )


def _both_by_chance(tables: CountTables, group: GroupTables) -> FloatArray:
    """(B, k) mean over pairs of others of p_gj p_hj = ((sum_g p_gj)^2 - sum_g p_gj^2) / (r (r - 1)).

    r counts the others who have a rating in the set.
    """
    blocks = (_shares(block, group) for block in whole_sets(tables, group.n_raters * tables.n_labels))
    if tables.left_out is None:
        return np.concatenate([_mean_product(p.sum(axis=1), (p**2).sum(axis=1), _seen(n_g)) for p, n_g in blocks])
    p, n_g = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    base, pattern = tables.left_out
    of_set, entry, begin = group.left_out_entries(pattern)
    # only the raters of the item have other shares without it
    at = base[of_set], group.rater[entry]
    old, n_left = p[at], (n_g[at] - 1)[:, None]
    new = np.where(n_left > 0, old + (old - np.eye(tables.n_labels)[group.label[entry]]) / np.maximum(n_left, 1), 0)
    return _mean_product(
        p.sum(axis=1)[base] + np.add.reduceat(new - old, begin),
        (p**2).sum(axis=1)[base] + np.add.reduceat(new**2 - old**2, begin),
        _seen(n_g)[base] - np.add.reduceat((n_left[:, 0] == 0).astype(float), begin),
    )


def _shares(tables: CountTables, group: GroupTables) -> tuple[FloatArray, FloatArray]:
    """(B, r, k) share of each label among the ratings of each other rater, 0 without any; (B, r) these ratings."""
    n_sets, k, r = len(tables.pattern_items), tables.n_labels, group.n_raters
    ratings = tables.count_cells(group.pattern, group.rater * k + group.label, r * k).reshape(n_sets, r, k)
    n_g: FloatArray = ratings.sum(axis=2)
    return ratings / np.maximum(n_g, 1)[:, :, None], n_g


def _seen(n_g: FloatArray) -> FloatArray:
    """(B,) raters with a rating."""
    seen: FloatArray = (n_g > 0).sum(axis=1).astype(float)
    return seen


def _mean_product(total: FloatArray, squares: FloatArray, r: FloatArray) -> FloatArray:
    return ratio(total**2 - squares, (r * (r - 1))[:, None])


def _note(n: FloatArray, n_pairable: FloatArray, most: FloatArray) -> str | None:
    used = f"From the {n_pairable[0]:.0f} of {n[0]:.0f} items that two or more of the others rated."
    limit = f"The most that this group allows is an agreement of {most[0]:.4f}."
    notes = (used if n_pairable[0] < n[0] else None, limit if most[0] < 1 - 1e-12 else None)
    return " ".join(note for note in notes if note) or None
