"""Intraclass correlations: the six forms of Shrout and Fleiss."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.agreement.coefficients.coefficient import Bounds, CoefficientResult, ratio
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting
from stats.arrays import FloatArray
from stats.special_functions import fdtr, fdtrc, fdtri


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of n items by r raters, (B,) each: between items, raters, residual, within items."""

    n: FloatArray
    r: int
    MSR: FloatArray
    MSC: FloatArray
    MSE: FloatArray
    MSW: FloatArray


def icc1(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute ICC(1,1): each item has different raters. (MSR - MSW) / (MSR + (r - 1) MSW).

    All six forms: labels are numbers, from the items that every rater rated (a gap leaves the item out; the
    note says how many remain). In -1/(r-1)..1, ICC(2,1) can be lower; of a mean of raters -inf..1; undefined
    where the items do not differ. Interval and p-value are those of the F distribution, the test against 0
    two-sided, as the interval is; the standard error is the jackknife's. Shrout & Fleiss (1979), Psychological
    Bulletin 86, 420-428; McGraw & Wong (1996), Psychological Methods 1, 30-46.
    """
    return _of_form(tables, setting, _one_way, of_mean=False)


def icc2(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute ICC(2,1): raters drawn from many, absolute agreement.

    (MSR - MSE) / (MSR + (r - 1) MSE + r (MSC - MSE) / n)."""
    return _of_form(tables, setting, _absolute, of_mean=False)


def icc3(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute ICC(3,1): these raters only, consistency. (MSR - MSE) / (MSR + (r - 1) MSE)."""
    return _of_form(tables, setting, _consistent, of_mean=False)


def icc1k(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute ICC(1,k): as ICC(1,1), of the mean of the r ratings. (MSR - MSW) / MSR."""
    return _of_form(tables, setting, _one_way, of_mean=True)


def icc2k(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute ICC(2,k): as ICC(2,1), of the mean of the r ratings. (MSR - MSE) / (MSR + (MSC - MSE) / n)."""
    return _of_form(tables, setting, _absolute, of_mean=True)


def icc3k(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute ICC(3,k): as ICC(3,1), of the mean of the r ratings. (MSR - MSE) / MSR."""
    return _of_form(tables, setting, _consistent, of_mean=True)


@dataclass(frozen=True)
class SingleRaterForm:
    """An ICC of one rater: estimate and F (B,), degrees of freedom of F, ends(confidence) of the interval."""

    estimate: FloatArray
    F: FloatArray
    df: tuple[FloatArray, FloatArray]
    ends: Callable[[float], tuple[FloatArray, FloatArray]]


def _one_way(s: MeanSquares) -> SingleRaterForm:
    df = s.n - 1, s.n * (s.r - 1)
    estimate = ratio(s.MSR - s.MSW, s.MSR + (s.r - 1) * s.MSW)
    F = ratio(s.MSR, s.MSW)
    return SingleRaterForm(estimate, F, df, lambda confidence: _ends_of_f(F, df, s.r, confidence))


def _consistent(s: MeanSquares) -> SingleRaterForm:
    df = s.n - 1, (s.n - 1) * (s.r - 1)
    estimate = ratio(s.MSR - s.MSE, s.MSR + (s.r - 1) * s.MSE)
    F = ratio(s.MSR, s.MSE)
    return SingleRaterForm(estimate, F, df, lambda confidence: _ends_of_f(F, df, s.r, confidence))


def _absolute(s: MeanSquares) -> SingleRaterForm:
    n, r = s.n, s.r
    estimate = ratio(s.MSR - s.MSE, s.MSR + (r - 1) * s.MSE + r * ratio(s.MSC - s.MSE, n))
    df = n - 1, (n - 1) * (r - 1)

    def ends(confidence: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends by Satterthwaite's degrees of freedom for the mean square of raters and residual."""
        a = ratio(r * estimate, n * (1 - estimate))
        b = 1 + a * (n - 1)
        squares = (a * s.MSC) ** 2 / (r - 1) + (b * s.MSE) ** 2 / df[1]
        # of two positive parts it is never below the smaller df; a negative estimate makes one part negative
        v = np.maximum(ratio((a * s.MSC + b * s.MSE) ** 2, squares), r - 1)
        q = (1 + confidence) / 2
        F_low, F_high = fdtri(df[0], v, q), fdtri(v, df[0], q)
        rest = r * s.MSC + (r * n - r - n) * s.MSE
        # divided by F, which is infinite for degrees of freedom near 0
        low = ratio(n * (s.MSR / F_low - s.MSE), rest + n * s.MSR / F_low)
        return low, ratio(n * (s.MSR - s.MSE / F_high), rest / F_high + n * s.MSR)

    return SingleRaterForm(estimate, ratio(s.MSR, s.MSE), df, ends)


def _ends_of_f(
    F: FloatArray, df: tuple[FloatArray, FloatArray], r: int, confidence: float
) -> tuple[FloatArray, FloatArray]:
    q = (1 + confidence) / 2
    F_low, F_high = F / fdtri(*df, q), F * fdtri(*df[::-1], q)
    return (F_low - 1) / (F_low + r - 1), (F_high - 1) / (F_high + r - 1)


def _of_form(
    tables: CountTables, setting: LabelSetting, form: Callable[[MeanSquares], SingleRaterForm], *, of_mean: bool
) -> CoefficientResult:
    squares = _mean_squares(tables, setting.scores)
    single = form(squares)
    n, r = squares.n, squares.r

    def of_form(rho: FloatArray) -> FloatArray:
        # Spearman and Brown; from -1 / (r - 1) downwards the mean of r raters has no variance left to share out
        return ratio(r * rho, np.maximum(1 + (r - 1) * rho, 0)) if of_mean else rho

    def bounds(confidence: float) -> Bounds:
        low, high = (of_form(end) for end in single.ends(confidence))
        p_value = 2 * np.minimum(fdtr(*single.df, single.F), fdtrc(*single.df, single.F))
        return Bounds(low, high, p_value)

    nan, n_all = np.full_like(n, np.nan), int(tables.n[0])
    note = f"From the {int(n[0])} of {n_all} items that every rater rated." if n[0] < n_all else None
    return CoefficientResult(of_form(single.estimate), nan, nan, n, n - 1, n, bounds=bounds, note=note)


def _mean_squares(tables: CountTables, scores: FloatArray) -> MeanSquares:
    """Sum over the items that every rater rated, with scores moved and scaled into -1..1, so that squares stay
    comparable with 1 (no form depends on the scores' origin and unit)."""
    r, n_patterns = tables.n_raters, tables.pattern_items.shape[1]
    rated_by_all = np.bincount(tables.pattern, minlength=n_patterns) == r
    x = scores[tables.label[rated_by_all[tables.pattern]]].reshape(-1, r)
    items = tables.pattern_items.sum(axis=0)[rated_by_all]
    x -= (items @ x).sum() / max(r * items.sum(), 1)
    x /= np.abs(x).max(initial=0) or 1
    sums = np.zeros((n_patterns, r + 3 if len(x) else 3))
    sums[rated_by_all, :3] = np.column_stack([np.ones(len(x)), x.sum(axis=1) ** 2 / r, (x**2).sum(axis=1)])
    if len(x):
        sums[rated_by_all, 3:] = x
    totals = tables.sum_patterns(sums)
    n, of_items, total, of_raters = totals[:, 0], totals[:, 1], totals[:, 2], totals[:, 3:]
    mean = ratio(of_raters.sum(axis=1) ** 2, r * n)
    SSR, SSC = of_items - mean, ratio((of_raters**2).sum(axis=1), n) - mean
    # what is left of the total can fall below 0 by rounding
    SSE = np.where(total - of_items - SSC < 1e-12 * total, 0.0, total - of_items - SSC)
    of_n, raters = np.where(n > 1, n - 1, np.nan), r - 1
    return MeanSquares(
        n=n,
        r=r,
        MSR=np.where(1e-12 * total > SSR, 0.0, SSR) / of_n,
        MSC=np.maximum(SSC, 0) / raters,
        MSE=SSE / (of_n * raters),
        MSW=(np.maximum(SSC, 0) + SSE) / (np.where(n > 0, n, np.nan) * raters),
    )
