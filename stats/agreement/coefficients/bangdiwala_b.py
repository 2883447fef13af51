"""Bangdiwala's B."""

from dataclasses import replace

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientParts, ratio
from stats.agreement.coefficients.two_raters import contingency, margins, parts_of_margins
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray


def bangdiwala_b(tables: CountTables, setting: LabelSetting) -> CoefficientParts:
    """Compute the area of agreement in the agreement chart of two raters: sum_j A_jj^2 / sum_j A_j. A_.j.

    A (k, k) counts the items that both rated. In 0..1, not corrected for chance, so that 0 is no hypothesis
    and there is no p-value; undefined where the raters share no label. Munoz & Bangdiwala (1997), J. Applied
    Statistics 24, 105-112 (some descriptions print A_jj without the square). The variance is the delta
    method's and divides by n, as that of R irrCAC `bangdiwala.table`.
    """
    both = margins(tables)
    area = (both.first * both.second).sum(axis=1)
    B = ratio((both.equal**2).sum(axis=1), area)

    def variance() -> FloatArray:
        # what an item in each cell adds to the linearised estimate, of mean 0
        A, n = contingency(tables), both.n
        around = both.second[:, :, None] + both.first[:, None, :]
        on_diagonal = both.equal[:, :, None] * np.eye(tables.n_labels)
        terms = n[:, None, None] * ratio(2 * on_diagonal - B[:, None, None] * around, area[:, None, None])
        return ratio((A * terms**2).sum(axis=(1, 2)), n**2)

    return replace(parts_of_margins(both, B), variance=variance)
