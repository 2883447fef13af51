"""What a coefficient is: a function from tables to parts. And the pieces that most of them share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.agreement.tables import Tables
from stats.agreement.weights import Setting
from stats.intervals import FloatArray


@dataclass(frozen=True)
class Parts:
    """What a coefficient makes of tables: everything that an estimate, its standard error and a bootstrap need.

    All (B,) unless said otherwise; NaN where undefined. observed, expected: agreement, with 1 for full
    agreement. terms (B, T): what an item of each row adds to the linearised estimate. items (B, T): items of
    each row. centre: the mean of the terms. n: items in the variance, which is sum(items (terms - centre)^2)
    / (n (n - ddof)). df: degrees of freedom of the t interval. n_pairable: items with two ratings or more
    that entered.
    """

    estimate: FloatArray
    observed: FloatArray
    expected: FloatArray
    terms: FloatArray
    items: FloatArray
    centre: FloatArray
    n: FloatArray
    ddof: int
    df: FloatArray
    n_pairable: FloatArray


@dataclass(frozen=True)
class Coefficient:
    """A row of COEFFICIENTS: `compute` may assume two raters or more, and exactly two with `two_raters`.

    `chance` is False for a coefficient without a chance term, which is defined for one declared label too.
    `weighted` is False for one that is not defined with weights.
    """

    name: str
    compute: Callable[[Tables, Setting], Parts]
    two_raters: bool = False
    chance: bool = True
    weighted: bool = True


def agreement_of_rows(tables: Tables, w: FloatArray) -> FloatArray:
    """(Q,) agreement within an item of each count row: weighted agreeing rater pairs / rater pairs; 0 if none."""
    agreeing = (tables.C * (tables.C @ w.T - 1)).sum(axis=1)
    a: FloatArray = agreeing / np.maximum(tables.m * (tables.m - 1), 1) * tables.pairable
    return a


def observed_agreement(tables: Tables, a: FloatArray) -> FloatArray:
    """(B,) mean agreement of the items with two ratings or more; NaN without such an item."""
    return ratio(tables.items @ a, tables.n_pairable)


def label_shares(tables: Tables) -> FloatArray:
    """(B, k) Fleiss' p_j: mean over items of the share of the item's ratings that have the label."""
    return ratio(tables.items @ (tables.C / tables.m[:, None]), tables.n[:, None])


def chance_corrected(
    tables: Tables, w: FloatArray, P_e: FloatArray, e: FloatArray | float, *, by_pattern: bool = False
) -> Parts:
    """(P_a - P_e) / (1 - P_e) with Gwet's variance, for an expected agreement P_e (B,).

    `e` (B, Q), or (B, P) with `by_pattern`, is what an item of each row contributes to the expected
    agreement.
    """
    a, pairable, items = agreement_of_rows(tables, w), tables.pairable, tables.items
    P_a = observed_agreement(tables, a)
    if by_pattern:
        a, pairable, items = a[tables.row_of], pairable[tables.row_of], tables.pattern_items
    room = 1 - P_e
    kappa = ratio(P_a - P_e, room)
    of_pairs = ratio(tables.n, tables.n_pairable)[:, None] * (a - P_e[:, None] * pairable)
    terms = ratio(of_pairs - 2 * (1 - kappa)[:, None] * (e - P_e[:, None]), room[:, None])
    return Parts(
        estimate=kappa,
        observed=P_a,
        expected=P_e,
        terms=terms,
        items=items,
        centre=kappa,
        n=tables.n,
        ddof=1,
        df=tables.n - 1,
        n_pairable=tables.n_pairable,
    )


def ratio(over: FloatArray, under: FloatArray) -> FloatArray:
    """over / under, NaN where `under` is 0 but for rounding."""
    return over / np.where(np.abs(under) > 1e-12, under, np.nan)
