"""The Lehner estimator: one system's accuracy with reasons and warnings, and its bootstrap interval."""

import numpy as np

from stats.accuracy import warnings_in_words
from stats.accuracy.estimators import lehner
from stats.accuracy.fitting import logit
from stats.accuracy.fitting.bootstrap import deviations
from stats.accuracy.fitting.estimator import Estimator, Interval, Score, SystemFit, SystemPatterns
from stats.arrays import FloatArray, IntArray
from stats.numeric_labels import ITEMS_PER_LABEL
from stats.reasons import TOO_MANY_LABELS

NO_WIDTH = 1e-9
MANY_LABELS = 10  # used by the raters; with fewer the intervals hold on few items, too


def fit(patterns: SystemPatterns) -> SystemFit:
    """Return Lehner's estimate of the accuracy of the system in `patterns`.

    `n_items` counts the items that the system answered and at least one human rated. The estimate is undefined, with a
    reason, where no item has two ratings (`zero_denominator`), where the raters agree no better than chance 1/N
    (`not_identified`) or hardly agree on many labels with few items for each (`too_many_labels`), where system and
    raters have no item in common (`too_few_items`), and where every bin is singular (`not_identified`).
    """
    W = patterns.n_items[None, :].astype(np.float64)
    raters = lehner.rater_figures(patterns.C, W)
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_no_accuracy(raters, patterns.C, patterns.n_items)
    if undefined is None and n == 0:
        undefined = ("too_few_items", "The system answered none of the items that somebody rated.")
    if undefined is not None:
        return SystemFit(None, n, *undefined)
    bins = lehner.bin_figures(patterns.C, patterns.system, W, raters)
    accuracy = float(lehner.mean_of_bins(bins)[0])
    if np.isnan(accuracy):
        detail = "The raters' top label is no better than a guess on every item, so it says nothing of the system."
        return SystemFit(None, n, "not_identified", detail)
    kappa = float(lehner.kappa(raters.P_a, patterns.n_labels)[0])
    warnings = (
        *warnings_in_words.on_raters(patterns, kappa, raters.base_rates[0]),
        *warnings_in_words.on_answers(patterns),
        *warnings_in_words.on_bins(bins.n[0], bins.P_s[0]),
        *warnings_in_words.on_estimate(accuracy, patterns.n_labels),
    )
    return SystemFit(accuracy, n, warnings=warnings, score=own_answer_score(raters, accuracy))


def why_no_accuracy(raters: lehner.RaterFigures, C: IntArray, n_items: IntArray) -> tuple[str, str] | None:
    """Return reason and sentence where the raters' accuracy is undefined, else None. Pass their counts C (p, k) and the
    number of items of each pattern (p,).

    It is also undefined where many labels are spread over few items and the raters hardly agree, as with numbers that
    were taken for labels. There the ratings also fit if one rater is always right and the others hardly ever. In
    simulations with two raters of .20, 20 or 60 labels and up to two items for each, the models put them at .50, and
    the 95 % intervals held the truth in a fifth of the sets.
    """
    P_a, n_labels = float(raters.P_a[0]), C.shape[1]
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
    n_used, n_rated = int((C.sum(axis=0) > 0).sum()), int(n_items[C.sum(axis=1) > 1].sum())
    agree_little = float(lehner.kappa(raters.P_a, n_labels)[0]) < warnings_in_words.LOW_KAPPA
    if agree_little and n_used >= MANY_LABELS and n_rated < ITEMS_PER_LABEL * n_used:
        return TOO_MANY_LABELS, (
            f"The raters agree on {P_a:.1%} of their pairs, and {n_rated} items are too few to learn how often each of"
            f" their {n_used} labels is right: without gold it takes {ITEMS_PER_LABEL} items for each"
            " label. If the labels are numbers or texts, not names of classes, say so."
        )
    return None


def own_answer_score(raters: lehner.RaterFigures, P_s: float) -> Score:
    """Return the score g_x P_s / (g_x P_s + (1 - g_x) (1 - P_s) / (N - 1)) of an item with answer x.

    This is P(the system's answer x is right | ratings, answer).
    """

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


def interval(patterns: SystemPatterns, fitted: SystemFit, confidence: float, seed: int) -> Interval:
    """Return the percentile bootstrap interval over items; the standard error is the bootstrap's standard deviation.

    The interval is widened to hold the estimate where bias puts it outside. It is too narrow, and a warning says so.
    Where the estimate is 0 or 1 in all samples, they show no error at all. Then the error is that of a share of as many
    items (`logit.least_variance`).
    """
    if fitted.accuracy is None:
        return Interval(None, None, None)
    around = deviations(patterns, lehner.replicate, seed=seed)
    defined = around[~np.isnan(around)]
    if defined.size < 2:
        return Interval(None, None, None, tuple(warnings_in_words.on_replicates(1.0)))
    tail = (1 - confidence) / 2
    below, above = np.quantile(defined, [tail, 1 - tail])
    low, high = max(0.0, fitted.accuracy + min(below, 0.0)), min(1.0, fitted.accuracy + max(above, 0.0))
    undefined = 1 - defined.size / around.size
    warnings = (warnings_in_words.INTERVAL_TOO_NARROW, *warnings_in_words.on_replicates(undefined))
    if high - low < NO_WIDTH:
        n = patterns.count(patterns.rated & patterns.answered)
        inside = (fitted.accuracy * n + 0.5) / (n + 1)
        share = logit.interval(inside, logit.least_variance(inside, n), confidence)
        if share.low is not None and share.high is not None:
            return Interval(share.se, min(share.low, low), max(share.high, high), warnings)
    return Interval(float(defined.std(ddof=1)), float(low), float(high), warnings)


def replicate(patterns: SystemPatterns, W: FloatArray) -> FloatArray:
    """Return Lehner's estimate (B,) under each weighting; NaN where it is undefined."""
    return lehner.replicate(patterns.C, patterns.system, W)


LEHNER = Estimator("lehner", "Lehner's method (2015), exactly", fit, interval, replicate)
