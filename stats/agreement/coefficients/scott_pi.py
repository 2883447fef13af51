"""Scott's pi."""

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.coefficients.two_raters import contingency, kappa_of_table
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting


def scott_pi(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the agreement of two raters beyond that of independent raters with the same label frequencies.

    P_e = sum_jl w_jl p_j p_l with p_j = the mean of both raters' shares, from the items that both rated. In
    -1..1; undefined where every rating has one label. Scott (1955), Public Opinion Quarterly 19, 321-325.
    """
    A = contingency(tables)
    p = ratio(A.sum(axis=2) + A.sum(axis=1), 2 * A.sum(axis=(1, 2))[:, None])
    return kappa_of_table(A, setting.kappa_w, p, p)
