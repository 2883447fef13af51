"""Cohen's kappa."""

from stats.agreement.coefficient import Parts, ratio
from stats.agreement.tables import Tables
from stats.agreement.two_raters import contingency, parts_of_table
from stats.agreement.weights import Setting


def cohen_kappa(tables: Tables, setting: Setting) -> Parts:
    """Agreement of two raters beyond that of independent raters with their own label frequencies.

    P_e = sum_jl w_jl p_1j p_2l, from the items that both rated. In -1..1; undefined where P_e is 1 (both
    raters gave one and the same label throughout). Cohen (1960), Educational and Psychological Measurement
    20, 37-46; weighted: Cohen (1968), Psychological Bulletin 70, 213-220.
    """
    A = contingency(tables)
    n = A.sum(axis=(1, 2))[:, None]
    return parts_of_table(A, setting.kappa_w, ratio(A.sum(axis=2), n), ratio(A.sum(axis=1), n))
