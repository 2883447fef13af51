"""Lehner's method: a system's accuracy from raters who may be less accurate than it, without right answers.

Source: P. E. Lehner (2015), Estimating the Accuracy of Automated Classification Systems Using Only Expert
Ratings that are Less Accurate than the System, J. Modern Applied Statistical Methods 14(1), art. 13,
doi:10.22237/jmasm/1430453520, with Eq. 3 read as (1 - P("A"|A)) / (N - 1), from which alone its Eqs. 4 and 5
follow.

It assumes that raters are equally accurate, that a rater errs with the same probability on every item and
label, that errors spread evenly over the other N - 1 labels, and that raters and system err independently.

Shapes: k = N labels, p patterns, B weightings W (B, p) of the same patterns (one for an estimate; many for a
bootstrap or a simulation). NaN marks what is undefined inside these arrays; it never leaves this package.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.accuracy.estimator import FloatArray, IntArray

N_BINS = 10
TIE = 1e-9  # posteriors, and bin edges, that are closer than this are the same
SINGULAR = 1e-6  # a bin with N P_g - 1 below this says nothing
_CELLS = 2_000_000  # numbers held at once in one (B, patterns, k) block
_SURE = 1e-12  # P_c is held this far from 1, so that raters in perfect agreement keep finite odds


@dataclass(frozen=True)
class Raters:
    """What the raters' own agreement says of them, per weighting; NaN where undefined.

    P_a: (B,) agreeing pairs of ratings of the same item over all such pairs.
    P_c: (B,) probability that a rating is right, in (1/N, 1]; NaN unless P_a > 1/N.
    base_rates: (B, k) share of items whose right label is X; rows sum to 1.
    """

    P_a: FloatArray
    P_c: FloatArray
    base_rates: FloatArray


@dataclass(frozen=True)
class Bins:
    """The items the system answered, by the raters' confidence in their top label: bin b is (b/10, (b+1)/10].

    All (B, 10): n = weight of the bin's items, P_g = mean posterior of the top label, P_a = share of items
    where the system gives that label, P_s = the system's accuracy by Eq. 7, clipped to [0, 1]; NaN where
    empty or singular.
    """

    n: FloatArray
    P_g: FloatArray
    P_a: FloatArray
    P_s: FloatArray


def rater_figures(C: IntArray, W: FloatArray) -> Raters:
    """Pair agreement, accuracy and base rates (Eqs. 1-5) from counts C (p, k) under weightings W (B, p).

    >>> C = np.array([[3, 0], [2, 1], [0, 3]])
    >>> raters = rater_figures(C, np.array([[4.0, 2.0, 4.0]]))
    >>> round(float(raters.P_a[0]), 4), round(float(raters.P_c[0]), 4)
    (0.8667, 0.9282)
    """
    m = C.sum(axis=1)
    agreeing, pairs = W @ (C * (C - 1) / 2).sum(axis=1), W @ (m * (m - 1) / 2)
    P_a = _ratio(agreeing, pairs)
    P_c = rater_accuracy(P_a, C.shape[1])
    f = _ratio(W @ C, (W @ m)[:, None])
    return Raters(P_a, P_c, base_rates(f, P_c))


def kappa(P_a: FloatArray, N: int) -> FloatArray:
    """Agreement corrected for chance 1/N, in [-1/(N-1), 1]."""
    return np.asarray((P_a - 1 / N) / (1 - 1 / N))


def rater_accuracy(P_a: FloatArray, N: int) -> FloatArray:
    """P_c, the upper root of P_a = P_c^2 + (1 - P_c)^2 / (N - 1) (Eq. 4); NaN unless P_a > 1/N."""
    identified = np.where(P_a > 1 / N + _SURE, P_a, np.nan)
    return 1 / N + np.sqrt(((N - 1) * identified - (N - 1) / N) / N)


def base_rates(f: FloatArray, P_c: FloatArray) -> FloatArray:
    """P(X) from the share f (B, k) of ratings that say X (Eq. 5), clipped at 0 and scaled to sum to 1."""
    N = f.shape[1]
    raw = ((N - 1) * f - 1 + P_c[:, None]) / (N * P_c[:, None] - 1)
    clipped = np.clip(raw, 0, None)
    return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))


def posterior(C: IntArray, raters: Raters) -> FloatArray:
    """P(right label is X | the item's ratings), (B, p, k), by Bayes' rule with independent raters.

    An item nobody rated has the base rates. Computed on logarithms, since 130 ratings overflow the odds.
    """
    N = C.shape[1]
    P_c = np.minimum(raters.P_c, 1 - _SURE)
    with np.errstate(divide="ignore"):  # a base rate of 0 stays 0
        log_base = np.log(raters.base_rates)
    log_odds = np.log((N - 1) * P_c / (1 - P_c))
    joint = C[None, :, :] * log_odds[:, None, None] + log_base[:, None, :]
    joint -= joint.max(axis=2, keepdims=True)
    np.exp(joint, out=joint)
    return np.asarray(joint / joint.sum(axis=2, keepdims=True))


def top_label(P: FloatArray) -> IntArray:
    """Code of the most probable label along the last axis; ties go to the first declared one."""
    return np.asarray((P.max(axis=-1, keepdims=True) - TIE <= P).argmax(axis=-1), dtype=np.int64)


def system_accuracy(P_a: FloatArray, P_g: FloatArray, N: int) -> FloatArray:
    """P_s of Eq. 7 from the agreement P_a with a label that is right with probability P_g; NaN where N P_g =
    1."""
    denominator = np.where(N * P_g - 1 > SINGULAR, N * P_g - 1, np.nan)
    return np.asarray(np.clip(((N - 1) * P_a - 1 + P_g) / denominator, 0, 1))


def bin_figures(C: IntArray, system: IntArray, W: FloatArray, raters: Raters) -> Bins:
    """The bins of Table 4 for the items that the system answered and somebody rated.

    An item without a rating is left out: its "top label" would be the commonest label whatever the item is,
    so that it would say how often the system answers with that label, not how often it is right.
    """
    usable = np.flatnonzero((system >= 0) & (C.sum(axis=1) > 0))
    n, sum_g, hits = (np.zeros(len(W) * N_BINS) for _ in range(3))
    for block in blocks(usable.size, len(W) * C.shape[1]):
        part = usable[block]
        P = posterior(C[part], raters)
        P_g, w = P.max(axis=2), W[:, part]
        cell = (bin_of(P_g) + N_BINS * np.arange(len(W))[:, None]).ravel()
        n += np.bincount(cell, w.ravel(), n.size)
        sum_g += np.bincount(cell, (w * P_g).ravel(), n.size)
        hits += np.bincount(cell, (w * (top_label(P) == system[part])).ravel(), n.size)
    shape = (len(W), N_BINS)
    P_g, P_a = _ratio(sum_g, n).reshape(shape), _ratio(hits, n).reshape(shape)
    return Bins(n.reshape(shape), P_g, P_a, system_accuracy(P_a, P_g, C.shape[1]))


def blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of 0..n whose rows, each `width` numbers wide, fit in memory whatever n is."""
    step = max(1, _CELLS // max(1, width))
    return (slice(start, start + step) for start in range(0, n, step))


def bin_of(P_g: FloatArray) -> IntArray:
    """Bin number 0..9 of (b/10, (b+1)/10], closed on the right within 1e-9."""
    return np.asarray((np.ceil((P_g - TIE) * N_BINS) - 1).clip(0, N_BINS - 1), dtype=np.int64)


def mean_of_bins(bins: Bins) -> FloatArray:
    """(B,) the bins' estimates weighted by their items, over the bins that have one; NaN where none has."""
    defined = ~np.isnan(bins.P_s)
    n = np.where(defined, bins.n, 0.0)
    return _ratio((n * np.where(defined, bins.P_s, 0.0)).sum(axis=1), n.sum(axis=1))


def replicate(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """(B,) Lehner's estimate under each weighting; NaN where it is undefined."""
    estimates = np.full(len(W), np.nan)
    for rows in np.array_split(np.arange(len(W)), max(1, len(W) // 64)):
        raters = rater_figures(C, W[rows])
        known = ~np.isnan(raters.P_c)
        if known.any():
            some = Raters(raters.P_a[known], raters.P_c[known], raters.base_rates[known])
            estimates[rows[known]] = mean_of_bins(bin_figures(C, system, W[rows[known]], some))
    return estimates


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, NaN where b is 0."""
    out = np.full(np.broadcast_shapes(a.shape, b.shape), np.nan)
    return np.asarray(np.divide(a, b, out=out, where=b > 0))
