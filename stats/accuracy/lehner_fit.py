"""Lehner's method as an estimator: one system's figure with reasons and warnings, and its bootstrap interval."""

import numpy as np

from stats.accuracy import lehner, notes
from stats.accuracy.bootstrap import deviations
from stats.accuracy.estimator import Estimator, Fit, FloatArray, IntArray, Interval, Patterns, Score


def fit(patterns: Patterns) -> Fit:
    """Lehner's estimate of the accuracy of the system in `patterns`.

    `n_items` counts the items that the system answered and somebody rated. Undefined, with its reason: no
    item has two ratings (`zero_denominator`), raters agree no better than chance 1/N (`not_identified`), no
    item in common with the raters (`too_few_items`), every bin singular (`not_identified`).
    """
    W = patterns.n_items[None, :].astype(np.float64)
    raters = lehner.rater_figures(patterns.C, W)
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_no_accuracy(raters, patterns.n_labels)
    if undefined is None and n == 0:
        undefined = ("too_few_items", "The system answered none of the items that somebody rated.")
    if undefined is not None:
        return Fit(None, n, *undefined)
    bins = lehner.bin_figures(patterns.C, patterns.system, W, raters)
    accuracy = float(lehner.mean_of_bins(bins)[0])
    if np.isnan(accuracy):
        detail = "The raters' top label is no better than a guess on every item, so it says nothing of the system."
        return Fit(None, n, "not_identified", detail)
    kappa = float(lehner.kappa(raters.P_a, patterns.n_labels)[0])
    warnings = (
        *notes.on_raters(patterns, kappa, raters.base_rates[0]),
        *notes.on_answers(patterns),
        *notes.on_bins(bins.n[0], bins.P_s[0]),
        *notes.on_estimate(accuracy, patterns.n_labels),
    )
    return Fit(accuracy, n, warnings=warnings, score=own_answer_score(raters, accuracy))


def why_no_accuracy(raters: lehner.Raters, n_labels: int) -> tuple[str, str] | None:
    """Reason and sentence where the raters' accuracy is undefined, else None."""
    P_a = float(raters.P_a[0])
    if np.isnan(P_a):
        return (
            "zero_denominator",
            "No item has two human ratings, so nothing is known of how far the raters agree.",
        )
    if np.isnan(raters.P_c[0]):
        return "not_identified", (
            f"The raters agree on {P_a:.4f} of their pairs, no more than chance gives with {n_labels} labels"
            f" ({1 / n_labels:.4f}), so their accuracy cannot be told and neither can the system's."
        )
    return None


def own_answer_score(raters: lehner.Raters, P_s: float) -> Score:
    """P(the system's answer x is right | ratings, answer) = g_x P_s / (g_x P_s + (1 - g_x) (1 - P_s) / (N -
    1))."""

    def score(C: IntArray, system: IntArray) -> FloatArray:
        N = C.shape[1]
        g_x = np.empty(len(C))
        for rows in lehner.blocks(len(C), N):
            P = lehner.posterior(C[rows], raters)[0]
            g_x[rows] = P[np.arange(len(P)), system[rows]]
        right, wrong = g_x * P_s, (1 - g_x) * (1 - P_s) / (N - 1)
        total = right + wrong
        return np.asarray(np.divide(right, total, out=g_x.copy(), where=total > 0))

    return score


def interval(patterns: Patterns, fitted: Fit, confidence: float, seed: int) -> Interval:
    """Percentile bootstrap over items, widened to hold the estimate where bias puts it outside; se is the
    bootstrap's SD.

    It is too narrow, and says so.
    """
    if fitted.accuracy is None:
        return Interval(None, None, None)
    around = deviations(patterns, lehner.replicate, seed=seed)
    defined = around[~np.isnan(around)]
    if defined.size < 2:
        return Interval(None, None, None, tuple(notes.on_replicates(1.0)))
    tail = (1 - confidence) / 2
    below, above = np.quantile(defined, [tail, 1 - tail])
    low, high = max(0.0, fitted.accuracy + min(below, 0.0)), min(1.0, fitted.accuracy + max(above, 0.0))
    undefined = 1 - defined.size / around.size
    warnings = (notes.INTERVAL_TOO_NARROW, *notes.on_replicates(undefined))
    return Interval(float(defined.std(ddof=1)), float(low), float(high), warnings)


def replicate(patterns: Patterns, W: FloatArray) -> FloatArray:
    """(B,) Lehner's estimate under each weighting; NaN where it is undefined."""
    return lehner.replicate(patterns.C, patterns.system, W)


LEHNER = Estimator("lehner", "Lehner's method (2015), exactly", fit, interval, replicate)
