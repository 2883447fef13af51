"""Percent agreement."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, chance_corrected
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting


def percent_agreement(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the mean over items of the share of agreeing rater pairs; expected agreement 0.

    P_a = mean_i sum_j C_ij (sum_l w_jl C_il - 1) / (m_i (m_i - 1)) over the items with m_i >= 2 ratings. In
    0..1; undefined without such an item. Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 5; R
    irrCAC `pa.coeff.raw`.
    """
    return chance_corrected(tables, setting.kappa_w, np.zeros_like(tables.n), lambda: 0.0)
