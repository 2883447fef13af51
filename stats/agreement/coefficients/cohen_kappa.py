"""Cohen's kappa."""

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.coefficients.two_raters import contingency, deviation_of_table, kappa_of_table
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray


def cohen_kappa(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the agreement of two raters beyond that of independent raters with their own label frequencies.

    P_e = sum_jl w_jl p_1j p_2l, from the items that both rated. In -1..1; undefined where P_e is 1 (both
    raters gave one and the same label throughout). Cohen (1960), Educational and Psychological Measurement
    20, 37-46; weighted: Cohen (1968), Psychological Bulletin 70, 213-220.
    """
    return cohen_of_table(contingency(tables), setting.kappa_w)


def cohen_of_table(A: FloatArray, w: FloatArray) -> CoefficientResult:
    """Compute Cohen's kappa from contingency tables A (B, k, k)."""
    return kappa_of_table(A, w, *_shares(A))


def deviation_of_cohen(A: FloatArray, w: FloatArray) -> FloatArray:
    """Return (B, k, k): what an item in each cell adds to the linearised kappa, less its mean over the items."""
    return deviation_of_table(A, w, *_shares(A))


def _shares(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the (B, k) share of each label among the ratings of the first and of the second rater."""
    n = A.sum(axis=(1, 2))[:, None]
    return ratio(A.sum(axis=2), n), ratio(A.sum(axis=1), n)
