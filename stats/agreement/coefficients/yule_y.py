"""Yule's Y."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.coefficients.two_raters import contingency, margins, result_of_margins
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting


def yule_y(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute (sqrt(ad) - sqrt(bc)) / (sqrt(ad) + sqrt(bc)) for two raters with two labels.

    a, d count the items on which they agree, b, c those on which they differ. In -1..1; undefined where b or
    c is 0 though the raters differ (the odds ratio ad / bc is infinite: the limit 1 would hide that they do),
    and where one of a, d is 0 too. Yule (1912), J. Royal Statistical Society 75, 579-652.
    """
    A = contingency(tables)
    same, other = np.sqrt(A[:, 0, 0] * A[:, 1, 1]), np.sqrt(A[:, 0, 1] * A[:, 1, 0])
    infinite = (other == 0) & (A[:, 0, 1] + A[:, 1, 0] > 0)
    return result_of_margins(margins(tables), ratio(same - other, np.where(infinite, 0, same + other)))
