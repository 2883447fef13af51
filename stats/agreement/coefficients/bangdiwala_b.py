"""Bangdiwala's B."""

from dataclasses import replace

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.coefficients.two_raters import contingency, margins, result_of_margins
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray


def bangdiwala_b(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute the area of agreement in the agreement chart of two raters: sum_j A_jj^2 / sum_j A_j. A_.j.

    A (k, k) counts the items that both rated. In 0..1, not corrected for chance, so that 0 is no hypothesis
    and there is no p-value; undefined where the raters share no label. Munoz & Bangdiwala (1997), J. Applied
    Statistics 24, 105-112 (some descriptions print A_jj without the square). The variance is the delta
    method's and divides by n, as that of R irrCAC `bangdiwala.table`.
    """
    pair_counts = margins(tables)
    area = (pair_counts.first * pair_counts.second).sum(axis=1)
    B = ratio((pair_counts.equal**2).sum(axis=1), area)

    def variance() -> FloatArray:
        # what an item in each cell adds to the linearised estimate, of mean 0
        A, n = contingency(tables), pair_counts.n
        around = pair_counts.second[:, :, None] + pair_counts.first[:, None, :]
        on_diagonal = pair_counts.equal[:, :, None] * np.eye(tables.n_labels)
        terms = n[:, None, None] * ratio(2 * on_diagonal - B[:, None, None] * around, area[:, None, None])
        return ratio((A * terms**2).sum(axis=(1, 2)), n**2)

    return replace(result_of_margins(pair_counts, B), variance=variance)
