"""Brennan and Prediger's coefficient."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, chance_corrected
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting


def brennan_prediger(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the agreement beyond that of k equally likely labels: P_e = sum(w) / k^2, 1/k without weights.

    Also known as Bennett's S (two raters), Randolph's free-marginal kappa and Lehner's kappa. In -1/(k-1)..1;
    undefined for one declared label. k counts the declared labels, also those nobody used.
    Brennan & Prediger (1981), Educational and Psychological Measurement 41, 687-699; variance of R irrCAC
    `bp.coeff.raw`.
    """
    w = setting.kappa_w
    P_e = np.full_like(tables.n, w.sum() / tables.n_labels**2)
    return chance_corrected(tables, w, P_e, lambda: P_e[:, None])
