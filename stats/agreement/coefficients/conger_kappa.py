"""Conger's kappa: Cohen's for any number of raters."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, chance_corrected, ratio
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray


def conger_kappa(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the agreement beyond that of raters who keep their own label frequencies, averaged over pairs of raters.

    P_e = mean over rater pairs g != h of sum_jl w_jl p_gj p_hl, where p_gj is the share of label j among the
    ratings of rater g. With two raters and no gaps it is Cohen's kappa. At most 1; undefined where P_e is 1.
    Conger (1980), Psychological Bulletin 88, 322-328; the same as Shah's kappa_S on complete data; variance
    of R irrCAC `conger.kappa.raw`.
    """
    w = setting.kappa_w
    w_sym = (w + w.T) / 2
    ratings = tables.by_rater()
    n_g = ratings.sum(axis=2, keepdims=True)
    p = np.nan_to_num(ratio(ratings, n_g))
    r = (n_g > 0).sum(axis=(1, 2))  # without an item, or in a replicate, a rater may have no rating left
    pairs = np.where(r > 1, r * (r - 1.0), np.nan)
    others = (p.sum(axis=1, keepdims=True) - p) @ w_sym
    P_e = (p * others).sum(axis=(1, 2)) / pairs

    def contribution() -> FloatArray:
        # what a rating by g adds: how near its label is to the other raters' labels, against the mean of g's ratings
        usual = (p * others).sum(axis=2, keepdims=True)
        per_rating = np.nan_to_num(ratio(tables.n[:, None, None], n_g)) * (others - usual)
        e: FloatArray = tables.sum_entries(per_rating) / pairs[:, None] + P_e[:, None]
        return e

    return chance_corrected(tables, w, P_e, contribution, by_pattern=True)
