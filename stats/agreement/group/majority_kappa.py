"""Cohen's kappa of one rater with the majority of the others."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult
from stats.agreement.coefficients.cohen_kappa import cohen_of_table
from stats.agreement.count_tables import CountTables
from stats.agreement.group.group_tables import GroupTables
from stats.agreement.weights import LabelSetting


def majority_kappa(tables: CountTables, setting: LabelSetting, group: GroupTables) -> CoefficientResult:
    """Compute Cohen's kappa of the system's label and the label that most of the others gave to the item.

    Where labels tie, the item counts in equal parts for each of them, so that neither chance nor the order of
    labels decides. Over the items that the system and at least one other rated. In -1..1; undefined where the
    expected agreement is 1. A majority hides how divided the group is: see `vanbelle_albert`, `shah_s`.
    """
    k = tables.n_labels
    most = tables.C.max(axis=1, keepdims=True, initial=0)
    top = np.equal(tables.C, most).astype(float)
    majority = top / top.sum(axis=1, keepdims=True)
    cells = np.eye(k)[group.answer][:, :, None] * majority[:, None, :]
    A = tables.sum_rows(cells.reshape(len(cells), k * k)).reshape(-1, k, k)
    cohen = cohen_of_table(A, setting.kappa_w)
    n = tables.n
    # the variance of Cohen's kappa takes each item for one cell, which a tie is not
    return CoefficientResult(cohen.estimate, cohen.observed, cohen.expected, n, n - 1, n)
