"""Fleiss' kappa."""

from stats.agreement.coefficients.coefficient import CoefficientResult, chance_corrected, label_shares, sums_at_rows
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting


def fleiss_kappa(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the agreement beyond that of raters who draw from the same label frequencies.

    P_e = sum_jl w_jl p_j p_l.
    p_j is the mean over items of the share of the item's ratings that have label j; an item with one rating
    counts in p_j and not in the observed agreement, as in Gwet. (Fleiss, Levin & Paik 2003, ch. 18, pool the
    ratings instead, which differs where items have unequal numbers of them.) At most 1; undefined where every
    rating has one label. Fleiss (1971), Psychological Bulletin 76, 378-382 (his P_e sums p_j squared, which some
    descriptions misprint); variance of R irrCAC `fleiss.kappa.raw`: Gwet (2008), Br. J. Math. Stat. Psychol.
    61, 29-48.
    """
    w = setting.kappa_w
    p = label_shares(tables)
    near = p @ (w + w.T) / 2
    P_e = (p * near).sum(axis=1)
    return chance_corrected(tables, w, P_e, lambda: sums_at_rows(near, tables.C / tables.m[:, None]))
