"""Difference between two systems by bootstrap over items, for methods without a likelihood.

Both systems get the same weights.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stats.accuracy import warnings_in_words
from stats.accuracy.comparison.paired import Difference, Undefined
from stats.accuracy.fitting.bootstrap import deviations
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.system_patterns import SystemTable, patterns_by_rater, patterns_of
from stats.accuracy.systems import ESTIMATORS
from stats.arrays import FloatArray, IntArray

Mask = NDArray[np.bool_]
TOO_NARROW = "The interval is a bootstrap's, which sees no error that comes of wrong assumptions: it may be too narrow."
NO_BOOTSTRAP = "There is no interval: hardly any bootstrap sample has a difference."


def resampled_difference(
    table: SystemTable, both_answered: Mask, a: str, b: str, method: str, seed: int, confidence: float
) -> Difference | Undefined:
    """Return the difference on the rows of the table that both systems answered.

    It has an interval if both accuracies have one: it must be no surer than they are.
    """
    estimator = ESTIMATORS[method]
    sides = patterns_of_both(table, both_answered, a, b, method)
    fits = [estimator.fit(patterns) for patterns in sides]
    for fit in fits:
        if fit.reason is not None:
            return fit.reason, fit.detail or ""
    base = table.C.shape[1] + 1
    codes = [np.where(both_answered, table.answers[name], -1) + 1 for name in (a, b)]
    joint = SystemPatterns(table.C[table.row], codes[0] * base + codes[1], table.humans.n_items, table.ordered)

    def replicate(C: IntArray, answers: IntArray, W: FloatArray) -> FloatArray:
        n_items, system_answers = np.ones(len(C), np.int64), (answers // base - 1, answers % base - 1)
        first, other = (
            estimator.replicate(SystemPatterns(C, each, n_items, table.ordered), W) for each in system_answers
        )
        return first - other

    own = [estimator.interval(side, fit, confidence, seed) for side, fit in zip(sides, fits, strict=True)]
    ends = [(each.low, each.high) for each in own if each.low is not None and each.high is not None]
    around = deviations(joint, replicate, seed=seed)
    defined = around[~np.isnan(around)]
    figures = fits[0].accuracy or 0.0, fits[1].accuracy or 0.0
    value = figures[0] - figures[1]
    if defined.size < 2 or len(ends) < 2:
        return Difference(value, None, warnings=(NO_BOOTSTRAP,), accuracies=figures)
    warnings = (TOO_NARROW, *warnings_in_words.on_replicates(1 - defined.size / around.size))
    error = float(defined.std(ddof=1))
    return Difference(value, error, warnings=warnings, accuracies=figures, intervals=(ends[0], ends[1]))


def patterns_of_both(
    table: SystemTable, both_answered: Mask, a: str, b: str, method: str
) -> tuple[SystemPatterns, SystemPatterns]:
    """Return each system's patterns for the method's estimator, with its answers to the items that both answered."""
    masked = replace(table, answers={name: np.where(both_answered, table.answers[name], -1) for name in (a, b)})
    make = patterns_by_rater if ESTIMATORS[method].by_rater else patterns_of
    return make(masked, a), make(masked, b)
