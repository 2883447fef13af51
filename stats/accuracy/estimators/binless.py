"""The binless estimator: Lehner's method without bins, as the maximum likelihood of the system's accuracy.

Let g be the raters' posterior of the *system's own* label on an item. The probability of that answer is g P_s + (1 -
g) (1 - P_s) / (N - 1), and P_s maximises the product over the items. The assumptions are Lehner's
(`stats.accuracy.estimators.lehner`). The bins, the clipping inside them and the restriction to the top label are
dropped. Base rates are floored at min(.03, .15/N).
"""

import numpy as np

from stats.accuracy import warnings_in_words
from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.lehner_fit import own_answer_score
from stats.accuracy.fitting import logit
from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.fitting.likelihood import why_undefined
from stats.accuracy.fitting.model_data import floored
from stats.arrays import FloatArray, IntArray

_SEARCH_STEPS = 60
_FLAT = 1e-6  # an item whose N g - 1 is below this holds no information about the system


def fit(patterns: SystemPatterns) -> SystemFit:
    """Return the estimate for the system in `patterns`.

    Reasons are as for the other methods, and `not_identified` where the raters' posterior is no better than a guess on
    every item.
    """
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_undefined(patterns)
    if undefined is not None:
        return SystemFit(None, n, *undefined)
    W = patterns.n_items[None, :].astype(np.float64)
    accuracy = float(estimate(patterns.C, patterns.system, W)[0])
    if np.isnan(accuracy):
        detail = "The raters' posterior is no better than a guess on every item, so it says nothing of the system."
        return SystemFit(None, n, "not_identified", detail)
    raters = lehner.rater_figures(patterns.C, W)
    return SystemFit(
        accuracy,
        n,
        warnings=warnings_in_words.on_any(patterns, accuracy, pairs=True, symmetric=True),
        score=own_answer_score(raters, accuracy),
    )


def estimate(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """Return P_s (B,) under each weighting W (B, p); NaN where it is undefined.

    >>> C = np.array([[3, 0], [2, 1], [0, 3]])
    >>> estimate(C, np.array([0, 0, 0]), np.array([[4.0, 2.0, 4.0]])).round(3).tolist()
    [0.591]
    """
    usable = (system >= 0) & (C.sum(axis=1) > 0)
    accuracies = np.full(len(W), np.nan)
    for rows in lehner.blocks(len(W), C.size):
        raters = lehner.rater_figures(C, W[rows])
        defined = np.flatnonzero(~np.isnan(raters.P_c) & (W[rows][:, usable].sum(axis=1) > 0))
        if defined.size:
            rates = floored(raters.base_rates[defined], W[rows][defined] @ C > 0)
            defined_raters = lehner.RaterFigures(raters.P_a[defined], raters.P_c[defined], rates)
            accuracies[np.arange(len(W))[rows][defined]] = _maximum(
                _own_posterior(C[usable], system[usable], defined_raters), W[rows][defined][:, usable], C.shape[1]
            )
    return accuracies


def _own_posterior(C: IntArray, system: IntArray, raters: lehner.RaterFigures) -> FloatArray:
    """Return the posterior (B, p) of the label that the system gave."""
    first, run = lehner.runs(C)
    return np.asarray(lehner.posterior(C[first], raters)[:, run, system])


def _maximum(g: FloatArray, w: FloatArray, N: int) -> FloatArray:
    """Return the P_s (B,) in [0, 1] that maximises sum w log(a + b P_s); NaN where b is 0 everywhere.

    The function is concave. It is maximised by Newton's method inside a shrinking bracket.
    """
    a = (1 - g) / (N - 1)
    b = g - a
    low, high = np.zeros(len(g)), np.ones(len(g))
    P = np.full(len(g), 0.5)
    for _ in range(_SEARCH_STEPS):
        ratio = b / np.maximum(a + b * P[:, None], 1e-300)
        slope, bend = (w * ratio).sum(axis=1), (w * ratio**2).sum(axis=1)
        low, high = np.where(slope > 0, P, low), np.where(slope > 0, high, P)
        move = P + slope / np.maximum(bend, 1e-300)
        after = np.where((move > low) & (move < high), move, (low + high) / 2)
        converged, P = np.abs(after - P).max() < 1e-12, after
        if converged:
            break
    return np.where((np.abs(b) * (w > 0)).max(axis=1) * (N - 1) > _FLAT, P, np.nan)


BINLESS = logit.bootstrapped("binless", "Lehner's method without bins", fit, estimate)
