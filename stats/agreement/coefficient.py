"""What a coefficient is: a function from tables to parts. And the pieces that most of them share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.agreement.tables import Tables
from stats.agreement.weights import Setting
from stats.intervals import FloatArray


@dataclass(frozen=True)
class Bounds:
    """Ends of an interval and the p-value, (B,) each."""

    low: FloatArray
    high: FloatArray
    p_value: FloatArray


@dataclass(frozen=True)
class Parts:
    """What a coefficient makes of tables. All (B,); NaN where undefined.

    observed, expected: agreement, with 1 for full agreement; NaN if the coefficient knows no such thing.
    n: items that enter; n_pairable: those of them with two ratings or more. df: degrees of freedom of the t
    interval. variance: of the estimate, where a formula is known; called only if an analytic standard error
    is wanted, never for replicates. bounds: the coefficient's own interval at a confidence, where it has one.
    note: a sentence for each set, or None.
    """

    estimate: FloatArray
    observed: FloatArray
    expected: FloatArray
    n: FloatArray
    df: FloatArray
    n_pairable: FloatArray
    variance: Callable[[], FloatArray] | None = None
    bounds: Callable[[float], Bounds] | None = None
    note: str | None = None


ALL_RATERS = -1


@dataclass(frozen=True)
class Coefficient:
    """A row of COEFFICIENTS: `compute` may assume two raters or more, and what the flags say.

    two_raters: exactly two. two_labels: exactly two declared labels. numeric: labels are numbers (interval
    and ratio scales). weighted: weights may be given. chance: corrected for chance, hence undefined for one
    declared label. by_rater: depends on who gave which label, not on the counts alone. least: lower end of
    its range where the interval is cut. tested: 0 is a hypothesis worth a p-value. enters: the fewest ratings
    with which an item enters (ALL_RATERS: as many as there are raters). width(k, r): numbers that it holds
    for each of many sets at once. denominator: what is wrong when it is zero.
    """

    name: str
    compute: Callable[[Tables, Setting], Parts]
    two_raters: bool = False
    two_labels: bool = False
    numeric: bool = False
    weighted: bool = True
    chance: bool = True
    by_rater: bool = True
    least: float = -np.inf
    tested: bool = True
    enters: int = 1
    width: Callable[[int, int], int] = lambda k, r: k * max(k, r)
    denominator: str = "The expected agreement is 1 (all of these ratings have one label): nothing can exceed it."


def agreement_of_rows(tables: Tables, w: FloatArray) -> FloatArray:
    """(Q,) agreement within an item of each count row: weighted agreeing rater pairs / rater pairs; 0 if none."""
    agreeing = (tables.C * (tables.C @ w.T - 1)).sum(axis=1)
    a: FloatArray = agreeing / np.maximum(tables.m * (tables.m - 1), 1) * tables.pairable
    return a


def observed_agreement(tables: Tables, a: FloatArray) -> FloatArray:
    """(B,) mean agreement of the items with two ratings or more; NaN without such an item."""
    return ratio(tables.sum_rows(a), tables.n_pairable)


def label_shares(tables: Tables) -> FloatArray:
    """(B, k) Fleiss' p_j: mean over items of the share of the item's ratings that have the label."""
    return ratio(tables.sum_rows(tables.C / tables.m[:, None]), tables.n[:, None])


def chance_corrected(
    tables: Tables,
    w: FloatArray,
    P_e: FloatArray,
    e: Callable[[], FloatArray | float],
    *,
    by_pattern: bool = False,
) -> Parts:
    """(P_a - P_e) / (1 - P_e) with Gwet's variance, for an expected agreement P_e (B,).

    `e()` (B, Q), or (B, P) with `by_pattern`, is what an item of each row contributes to the expected
    agreement.
    """
    a = agreement_of_rows(tables, w)
    P_a = observed_agreement(tables, a)
    kappa = ratio(P_a - P_e, 1 - P_e)

    def variance() -> FloatArray:
        rows = tables.row_of if by_pattern else slice(None)
        items = tables.pattern_items if by_pattern else tables.items
        of_pairs = ratio(tables.n, tables.n_pairable)[:, None] * (a[rows] - P_e[:, None] * tables.pairable[rows])
        terms = ratio(of_pairs - 2 * (1 - kappa)[:, None] * (e() - P_e[:, None]), (1 - P_e)[:, None])
        return variance_of_mean(items, terms, kappa, ddof=1)

    return Parts(kappa, P_a, P_e, tables.n, tables.n - 1, tables.n_pairable, variance)


def variance_of_mean(items: FloatArray, terms: FloatArray, centre: FloatArray, *, ddof: int) -> FloatArray:
    """(B,) sum(items (terms - centre)^2) / (n (n - ddof)), n = sum(items), for items and terms (B, T)."""
    n = items.sum(axis=1)
    squares = (items * (terms - centre[:, None]) ** 2).sum(axis=1)
    variance: FloatArray = squares / np.where(n > ddof, n * (n - ddof), np.nan)
    return variance


def ratio(over: FloatArray, under: FloatArray) -> FloatArray:
    """over / under, NaN where `under` is 0 but for rounding."""
    return over / np.where(np.abs(under) > 1e-12, under, np.nan)
