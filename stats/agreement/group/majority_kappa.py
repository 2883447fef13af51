"""Cohen's kappa of one rater with the majority of the others."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.count_tables import CountTables
from stats.agreement.group.group_tables import GroupTables
from stats.agreement.weights import LabelSetting


def majority_kappa(tables: CountTables, setting: LabelSetting, group: GroupTables) -> CoefficientResult:
    """Compute Cohen's kappa of the system's label and the label that most of the others gave to the item.

    Where labels tie, the item counts in equal parts for each of them, so that neither chance nor the order of
    labels decides. Over the items that the system and at least one other rated. In -1..1; undefined where the
    expected agreement is 1. A majority hides how divided the group is: see `vanbelle_albert`, `shah_s`.
    """
    w, n = setting.kappa_w, tables.n
    most = tables.C.max(axis=1, keepdims=True, initial=0)
    top = np.equal(tables.C, most).astype(float)
    majority = top / top.sum(axis=1, keepdims=True)
    near = majority @ w.T
    observed = ratio(tables.sum_rows(near[np.arange(len(near)), group.answer]), n)
    p = ratio(tables.sum_rows(np.eye(tables.n_labels)[group.answer]), n[:, None])
    expected = (p * ratio(tables.sum_rows(near), n[:, None])).sum(axis=1)
    # the variance of Cohen's kappa takes each item for one cell, which a tie is not
    return CoefficientResult(ratio(observed - expected, 1 - expected), observed, expected, n, n - 1, n)
