"""Lehner's method without bins: maximum likelihood of the system's accuracy, given the raters' posterior.

With g the posterior of the *system's own* label on an item, the chance of that answer is g P_s + (1 - g) (1 - P_s) /
(N - 1); P_s maximises the product over the items. Assumptions are Lehner's (`stats.accuracy.lehner`); the bins, the
clipping inside them and the restriction to the top label are gone. Base rates are floored at min(.03, .15/N).
"""

import numpy as np

from stats.accuracy import lehner, logit, notes
from stats.accuracy.data import floored
from stats.accuracy.estimator import Estimator, Fit, FloatArray, IntArray, Interval, Patterns
from stats.accuracy.lehner_fit import own_answer_score
from stats.accuracy.likelihood import why_undefined

_STEPS = 60
_FLAT = 1e-6  # an item whose N g - 1 is below this says nothing of the system


def fit(patterns: Patterns) -> Fit:
    """The estimate for the system in `patterns`; reasons as for the other methods, and `not_identified` where the
    raters' posterior is no better than a guess on every item."""
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_undefined(patterns)
    if undefined is not None:
        return Fit(None, n, *undefined)
    W = patterns.n_items[None, :].astype(np.float64)
    accuracy = float(estimate(patterns.C, patterns.system, W)[0])
    if np.isnan(accuracy):
        detail = "The raters' posterior is no better than a guess on every item, so it says nothing of the system."
        return Fit(None, n, "not_identified", detail)
    raters = lehner.rater_figures(patterns.C, W)
    return Fit(
        accuracy,
        n,
        warnings=notes.on_any(patterns, accuracy, pairs=True, symmetric=True),
        score=own_answer_score(raters, accuracy),
    )


def estimate(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """(B,) P_s under each weighting W (B, p); NaN where it is undefined.

    >>> C = np.array([[3, 0], [2, 1], [0, 3]])
    >>> estimate(C, np.array([0, 0, 0]), np.array([[4.0, 2.0, 4.0]])).round(3).tolist()
    [0.591]
    """
    usable = (system >= 0) & (C.sum(axis=1) > 0)
    found = np.full(len(W), np.nan)
    for rows in lehner.blocks(len(W), C.size):
        raters = lehner.rater_figures(C, W[rows])
        known = np.flatnonzero(~np.isnan(raters.P_c) & (W[rows][:, usable].sum(axis=1) > 0))
        if known.size:
            rates = floored(raters.base_rates[known], W[rows][known] @ C > 0)
            some = lehner.Raters(raters.P_a[known], raters.P_c[known], rates)
            found[np.arange(len(W))[rows][known]] = _maximum(
                _own_posterior(C[usable], system[usable], some), W[rows][known][:, usable], C.shape[1]
            )
    return found


def _own_posterior(C: IntArray, system: IntArray, raters: lehner.Raters) -> FloatArray:
    """(B, p) posterior of the label that the system gave."""
    P = lehner.posterior(C, raters)
    return np.asarray(P[:, np.arange(len(C)), system])


def _maximum(g: FloatArray, w: FloatArray, N: int) -> FloatArray:
    """(B,) the P_s in [0, 1] that maximises sum w log(a + b P_s), a concave function, by Newton's method inside a
    bracket that closes in; NaN where b is 0 everywhere."""
    a = (1 - g) / (N - 1)
    b = g - a
    low, high = np.zeros(len(g)), np.ones(len(g))
    P = np.full(len(g), 0.5)
    for _ in range(_STEPS):
        ratio = b / np.maximum(a + b * P[:, None], 1e-300)
        slope, bend = (w * ratio).sum(axis=1), (w * ratio**2).sum(axis=1)
        low, high = np.where(slope > 0, P, low), np.where(slope > 0, high, P)
        move = P + slope / np.maximum(bend, 1e-300)
        after = np.where((move > low) & (move < high), move, (low + high) / 2)
        done, P = np.abs(after - P).max() < 1e-12, after
        if done:
            break
    return np.where((np.abs(b) * (w > 0)).max(axis=1) * (N - 1) > _FLAT, P, np.nan)


def interval(patterns: Patterns, fitted: Fit, confidence: float, seed: int) -> Interval:
    """Bootstrap over items on the logit scale: it carries the error of the raters' figures along."""
    if fitted.accuracy is None:
        return Interval(None, None, None)
    return logit.bootstrap(patterns, estimate, fitted.accuracy, confidence, seed)


def replicate(patterns: Patterns, W: FloatArray) -> FloatArray:
    """(B,) the estimate under each weighting; NaN where it is undefined."""
    return estimate(patterns.C, patterns.system, W)


BINLESS = Estimator("binless", "Lehner's method without bins", fit, interval, replicate)
