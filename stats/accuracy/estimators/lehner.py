"""The formulas of Lehner's method: a system's accuracy from raters who may be less accurate, without right answers.

Source: P. E. Lehner (2015), Estimating the Accuracy of Automated Classification Systems Using Only Expert Ratings that
are Less Accurate than the System, J. Modern Applied Statistical Methods 14(1), art. 13, doi:10.22237/jmasm/1430453520.
Eq. 3 is read as (1 - P("A"|A)) / (N - 1), the only reading from which Eqs. 4 and 5 follow.

The method assumes that raters are equally accurate, that a rater errs with the same probability on every item and
label, that errors spread evenly over the other N - 1 labels, and that raters and system err independently.

Shapes: k = N labels, p patterns, B weightings W (B, p) of the same patterns (one for an estimate, many for a bootstrap
or a simulation). NaN marks undefined values inside these arrays. It never leaves this package.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray, IntArray

N_BINS = 10
TIE = 1e-9  # posteriors and bin edges closer than this are equal
SINGULAR = 1e-6  # a bin with N P_g - 1 below this holds no information
_CELLS = 2_000_000  # numbers held at once in one (B, patterns, k) block
_SURE = 1e-12  # P_c is held this far from 1, so that raters in perfect agreement keep finite odds


@dataclass(frozen=True)
class RaterFigures:
    """The raters' agreement, accuracy and base rates, per weighting; NaN where undefined.

    - P_a: (B,) share of agreeing pairs among all pairs of ratings of the same item.
    - P_c: (B,) probability that a rating is right, in (1/N, 1]; NaN unless P_a > 1/N.
    - base_rates: (B, k) share of items whose right label is X; rows sum to 1.
    """

    P_a: FloatArray
    P_c: FloatArray
    base_rates: FloatArray


@dataclass(frozen=True)
class CertaintyBins:
    """Answered items grouped by the raters' confidence in their top label; bin b is (b/10, (b+1)/10].

    All are (B, 10). n is the weight of the bin's items, P_g the mean posterior of the top label, P_a the share of
    items where the system gives that label. P_s is the system's accuracy by Eq. 7, clipped to [0, 1]; NaN where the
    bin is empty or singular.
    """

    n: FloatArray
    P_g: FloatArray
    P_a: FloatArray
    P_s: FloatArray


def rater_figures(C: IntArray, W: FloatArray) -> RaterFigures:
    """Return pair agreement, accuracy and base rates (Eqs. 1-5), from counts C (p, k) under weightings W (B, p).

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
    return RaterFigures(P_a, P_c, base_rates(f, P_c))


def kappa(P_a: FloatArray, N: int) -> FloatArray:
    """Return agreement corrected for chance 1/N, in [-1/(N-1), 1]."""
    return np.asarray((P_a - 1 / N) / (1 - 1 / N))


def rater_accuracy(P_a: FloatArray, N: int) -> FloatArray:
    """Return P_c, the upper root of P_a = P_c^2 + (1 - P_c)^2 / (N - 1) (Eq. 4); NaN unless P_a > 1/N."""
    identified = np.where(P_a > 1 / N + _SURE, P_a, np.nan)
    return 1 / N + np.sqrt(((N - 1) * identified - (N - 1) / N) / N)


def base_rates(f: FloatArray, P_c: FloatArray) -> FloatArray:
    """Return P(X) from the share f (B, k) of ratings with label X (Eq. 5), clipped at 0 and scaled to sum to 1."""
    N = f.shape[1]
    raw = ((N - 1) * f - 1 + P_c[:, None]) / (N * P_c[:, None] - 1)
    clipped = np.clip(raw, 0, None)
    return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))


def posterior(C: IntArray, raters: RaterFigures) -> FloatArray:
    """Return P(right label is X | the item's ratings) (B, p, k), by Bayes' rule with independent raters.

    An item without a rating has the base rates. The calculation uses logarithms, because 130 ratings overflow the
    odds.
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
    """Return the code of the most probable label along the last axis. Ties go to the first declared label."""
    return np.asarray((P.max(axis=-1, keepdims=True) - TIE <= P).argmax(axis=-1), dtype=np.int64)


def system_accuracy(P_a: FloatArray, P_g: FloatArray, N: int) -> FloatArray:
    """Return P_s of Eq. 7; NaN where N P_g = 1.

    P_a is the agreement with a label that is right with probability P_g.
    """
    denominator = np.where(N * P_g - 1 > SINGULAR, N * P_g - 1, np.nan)
    return np.asarray(np.clip(((N - 1) * P_a - 1 + P_g) / denominator, 0, 1))


def bin_figures(C: IntArray, system: IntArray, W: FloatArray, raters: RaterFigures) -> CertaintyBins:
    """Return the bins of Table 4 for the items that have an answer of the system and a human rating.

    Items without a rating are left out. Their "top label" would be the commonest label whatever the item is, and would
    show how often the system answers with that label, not how often it is right.
    """
    usable = np.flatnonzero((system >= 0) & (C.sum(axis=1) > 0))
    n, sum_g, hits = (np.zeros(len(W) * N_BINS) for _ in range(3))
    first, run = runs(C[usable])
    ends = np.append(first, usable.size)
    for block in blocks(first.size, len(W) * (C.shape[1] + 1)):
        starts, stop = first[block], ends[min(block.stop, first.size)]
        part = usable[starts[0] : stop]
        P, w, starts = posterior(C[usable[starts]], raters), W[:, part], starts - starts[0]
        P_g = P.max(axis=2)
        hit = w * (top_label(P)[:, run[first[block.start] : stop] - block.start] == system[part])
        cell = (bin_of(P_g) + N_BINS * np.arange(len(W))[:, None]).ravel()
        of_run = np.add.reduceat(w, starts, axis=1)
        n += np.bincount(cell, of_run.ravel(), n.size)
        sum_g += np.bincount(cell, (of_run * P_g).ravel(), n.size)
        hits += np.bincount(cell, np.add.reduceat(hit, starts, axis=1).ravel(), n.size)
    shape = (len(W), N_BINS)
    P_g, P_a = _ratio(sum_g, n).reshape(shape), _ratio(hits, n).reshape(shape)
    return CertaintyBins(n.reshape(shape), P_g, P_a, system_accuracy(P_a, P_g, C.shape[1]))


def runs(C: IntArray) -> tuple[IntArray, IntArray]:
    """Return where each run of equal rows begins, and the run of each row. Each run has one posterior.

    Patterns are sorted by their counts, so that those which differ in the system's answer are one run.

    >>> first, run = runs(np.array([[2, 0], [2, 0], [1, 1]]))
    >>> first.tolist(), run.tolist()
    ([0, 2], [0, 0, 1])
    """
    begins = np.ones(len(C), bool)
    begins[1:] = (C[1:] != C[:-1]).any(axis=1)
    return np.flatnonzero(begins), np.cumsum(begins) - 1


def blocks(n: int, width: int) -> Iterator[slice]:
    """Return slices of 0..n whose rows, each `width` numbers wide, fit in memory for any n."""
    step = max(1, _CELLS // max(1, width))
    return (slice(start, start + step) for start in range(0, n, step))


def bin_of(P_g: FloatArray) -> IntArray:
    """Return the bin number 0..9 of (b/10, (b+1)/10], closed on the right within 1e-9."""
    return np.asarray((np.ceil((P_g - TIE) * N_BINS) - 1).clip(0, N_BINS - 1), dtype=np.int64)


def mean_of_bins(bins: CertaintyBins) -> FloatArray:
    """Return the mean (B,) of the bins' estimates, weighted by their items; NaN where no bin has an estimate."""
    defined = ~np.isnan(bins.P_s)
    n = np.where(defined, bins.n, 0.0)
    return _ratio((n * np.where(defined, bins.P_s, 0.0)).sum(axis=1), n.sum(axis=1))


def replicate(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """Return Lehner's estimate (B,) under each weighting; NaN where it is undefined."""
    estimates = np.full(len(W), np.nan)
    for rows in np.array_split(np.arange(len(W)), max(1, len(W) // 64)):
        raters = rater_figures(C, W[rows])
        defined = ~np.isnan(raters.P_c)
        if defined.any():
            defined_raters = RaterFigures(raters.P_a[defined], raters.P_c[defined], raters.base_rates[defined])
            estimates[rows[defined]] = mean_of_bins(bin_figures(C, system, W[rows[defined]], defined_raters))
    return estimates


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a / b, NaN where b is 0."""
    out = np.full(np.broadcast_shapes(a.shape, b.shape), np.nan)
    return np.asarray(np.divide(a, b, out=out, where=b > 0))
