"""Define a coefficient, a function from CountTables to CoefficientResult, and the formulas that most of them share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray


@dataclass(frozen=True)
class Bounds:
    """The ends of an interval and the p-value, (B,) each."""

    low: FloatArray
    high: FloatArray
    p_value: FloatArray


@dataclass(frozen=True)
class CoefficientResult:
    """The result of a coefficient for B sets of ratings. Arrays are (B,) and NaN where undefined.

    - observed, expected: agreement in 0..1; NaN if the coefficient has none.
    - n: items that enter. n_pairable: items among them with two ratings or more.
    - df: degrees of freedom of the t interval.
    - variance: of the estimate, if there is a formula. It is called for an analytic standard error only, never for
      replicates, and only it may use `tables.items` directly.
    - bounds: the coefficient's own interval at a confidence, if it has one.
    - note: a sentence about the first set for the column `detail`, or None.
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
    """An entry of COEFFICIENTS. `compute` is called with two raters or more, and only where the flags allow it.

    - two_raters: it is defined for exactly two raters. two_labels: for exactly two declared labels.
    - numeric: labels must be numbers (interval and ratio scales).
    - weighted: it accepts weights. weighted_form: the coefficient that it is with weights, if it accepts none itself.
    - corrects_chance: it is corrected for chance, hence undefined for one declared label.
    - by_rater: it is computed from who gave which label, not from the counts alone.
    - needs_names: its value depends on who gave which label. It is undefined for votes without names.
    - lower_limit: the lower end of its range, at which the interval is cut; -inf for no cut.
    - has_p_value: the test that it is 0 makes sense.
    - min_ratings: the fewest ratings with which an item enters; ALL_RATERS for one rating by each rater.
    - width(k, r): how many numbers it holds for each set, to limit memory.
    - zero_denominator: the sentence for the reason `zero_denominator`.
    - caution: a sentence on what makes the first set's figure wrong, or None.
    """

    name: str
    compute: Callable[[CountTables, LabelSetting], CoefficientResult]
    two_raters: bool = False
    two_labels: bool = False
    numeric: bool = False
    weighted: bool = True
    weighted_form: str | None = None
    corrects_chance: bool = True
    by_rater: bool = True
    needs_names: bool = True
    lower_limit: float = -np.inf
    has_p_value: bool = True
    min_ratings: int = 1
    width: Callable[[int, int], int] = lambda k, r: k * max(k, r)
    caution: Callable[[CountTables], str | None] | None = None
    zero_denominator: str = "The expected agreement is 1 (all of these ratings have one label): nothing can exceed it."


def agreement_of_rows(tables: CountTables, w: FloatArray) -> FloatArray:
    """Return (Q,) weighted agreeing rater pairs / rater pairs of an item of each count row; 0 without a pair."""
    agreeing = (tables.C * (tables.C @ w.T - 1)).sum(axis=1)
    a: FloatArray = agreeing / np.maximum(tables.m * (tables.m - 1), 1) * tables.pairable
    return a


def observed_agreement(tables: CountTables, a: FloatArray) -> FloatArray:
    """Return the (B,) mean agreement of the items with two ratings or more; NaN without such an item."""
    return ratio(tables.sum_rows(a), tables.n_pairable)


def label_shares(tables: CountTables) -> FloatArray:
    """Return Fleiss' p_j (B, k): the mean over items of the share of the item's ratings with label j."""
    return ratio(tables.sum_rows(tables.C / tables.m[:, None]), tables.n[:, None])


def chance_corrected(
    tables: CountTables,
    w: FloatArray,
    P_e: FloatArray,
    e: Callable[[], FloatArray | float],
    *,
    by_pattern: bool = False,
) -> CoefficientResult:
    """Compute (P_a - P_e) / (1 - P_e) with Gwet's variance, for an expected agreement P_e (B,).

    `e()` returns what an item of each count row adds to the expected agreement: (B, Q), or (B, P) with `by_pattern`.
    """
    a = agreement_of_rows(tables, w)
    P_a = observed_agreement(tables, a)
    kappa = ratio(P_a - P_e, 1 - P_e)

    def variance() -> FloatArray:
        rows = tables.row_of if by_pattern else slice(None)
        items = tables.pattern_items if by_pattern else tables.items
        of_pairs = ratio(tables.n, tables.n_pairable)[:, None] * (a[rows] - P_e[:, None] * tables.pairable[rows])
        terms = ratio(of_pairs - 2 * (1 - kappa)[:, None] * (e() - P_e[:, None]), (1 - P_e)[:, None])
        return variance_of_mean(items, terms, kappa)

    return CoefficientResult(kappa, P_a, P_e, tables.n, tables.n - 1, tables.n_pairable, variance)


def sums_at_rows(p: FloatArray, X: FloatArray) -> FloatArray:
    """Return p @ X.T (B, Q): sum_j p_j X_j, for p (B, k) of each set and X (Q, k) of each count row.

    The labels are added one after another. So the last bit does not depend on the number of sets and rows.
    """
    sums = np.zeros((len(p), len(X)))
    for of_sets, of_rows in zip(p.T, X.T, strict=True):
        sums += of_sets[:, None] * of_rows
    return sums


def variance_of_mean(items: FloatArray, terms: FloatArray, centre: FloatArray) -> FloatArray:
    """Return (B,) sum(items (terms - centre)^2) / (n (n - 1)), n = sum(items), for items and terms (B, T)."""
    n = items.sum(axis=1)
    squares = (items * (terms - centre[:, None]) ** 2).sum(axis=1)
    variance: FloatArray = squares / np.where(n > 1, n * (n - 1), np.nan)
    return variance


def ratio(over: FloatArray, under: FloatArray) -> FloatArray:
    """Return over / under, NaN where |under| is at most 1e-12, which is 0 but for rounding."""
    return over / np.where(np.abs(under) > 1e-12, under, np.nan)
