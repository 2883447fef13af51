"""Vanbelle and Albert's kappa of one rater against a group of raters."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio
from stats.agreement.count_tables import CountTables
from stats.agreement.group.group_tables import GroupTables, share_of
from stats.agreement.weights import LabelSetting


def vanbelle_albert(tables: CountTables, setting: LabelSetting, group: GroupTables) -> CoefficientResult:
    """Compute the agreement with the group beyond chance, against the most that a rater can reach with this group.

    (Pi_T - Pi_E) / (Pi_M - Pi_E) over the items that the system and at least one other rated, where q_ij is
    the share of label j among the others' ratings of item i and y_i the system's label:
    Pi_T = mean_i sum_l w_(y_i)l q_il, Pi_M = mean_i max_j sum_l w_jl q_il, and Pi_E = sum_jl w_jl p_j q_l with
    the system's shares p_j and q_l = mean_i q_il. At most 1, where the system gives a label of most agreement
    on every item; with one other rater it is Cohen's kappa. Undefined where Pi_M = Pi_E. Vanbelle & Albert (2009),
    Statistica Neerlandica 63, 82-100.
    """
    w, n = setting.kappa_w, tables.n
    q = share_of(tables.C)
    near = q @ w.T
    T = ratio(tables.sum_rows(near[np.arange(len(near)), group.answer]), n)
    M = ratio(tables.sum_rows(near.max(axis=1, initial=0)), n)
    p = ratio(tables.sum_rows(np.eye(tables.n_labels)[group.answer]), n[:, None])
    E = (p * ratio(tables.sum_rows(near), n[:, None])).sum(axis=1)
    note = f"The most that this group allows is an agreement of {M[0]:.4f}." if M[0] < 1 - 1e-12 else None
    return CoefficientResult(ratio(T - E, M - E), T, E, n, n - 1, n, note=note)
