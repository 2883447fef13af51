"""Gwet's AC1, and AC2 where there are weights."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, chance_corrected, label_shares, sums_at_rows
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting


def gwet_ac(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the agreement beyond that by chance on items which are hard to label.

    P_e = sum(w) / (k (k - 1)) * sum_j p_j (1 - p_j).
    p_j as in Fleiss' kappa, items with one rating included. Unlike kappa it does not fall when one label is
    much commoner than the others. At most 1; undefined for one declared label, 1 where one of several labels
    was used. Gwet (2008), Br. J. Math. Stat. Psychol. 61, 29-48, doi:10.1348/000711006X126600; R irrCAC
    `gwet.ac1.raw`.
    """
    w, k = setting.kappa_w, tables.n_labels
    p = label_shares(tables)
    spread = w.sum() / (k * (k - 1)) if k > 1 else np.nan  # 0 / 0 for one declared label
    P_e = spread * (p * (1 - p)).sum(axis=1)
    return chance_corrected(tables, w, P_e, lambda: sums_at_rows(spread * (1 - p), tables.C / tables.m[:, None]))
