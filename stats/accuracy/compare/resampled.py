"""Difference between two systems by a method without a likelihood: bootstrap over items, the same weights for both."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stats.accuracy import notes
from stats.accuracy.bootstrap import deviations
from stats.accuracy.compare.paired import Difference, Undefined
from stats.accuracy.estimator import FloatArray, IntArray, Patterns
from stats.accuracy.systems import ESTIMATORS
from stats.accuracy.tables import Table, patterns_by_rater, patterns_of

Mask = NDArray[np.bool_]
TOO_NARROW = "The interval is a bootstrap's, which sees no error that comes of wrong assumptions: it may be too narrow."
NO_BOOTSTRAP = "There is no interval: hardly any bootstrap sample has a difference."


def resampled_difference(table: Table, both: Mask, a: str, b: str, method: str, seed: int) -> Difference | Undefined:
    """On the rows of the table that both answered."""
    estimator = ESTIMATORS[method]
    fits = [estimator.fit(patterns) for patterns in patterns_of_both(table, both, a, b, method)]
    for found in fits:
        if found.reason is not None:
            return found.reason, found.detail or ""
    base = table.C.shape[1] + 1
    codes = [np.where(both, table.answers[name], -1) + 1 for name in (a, b)]
    joint = Patterns(table.C[table.row], codes[0] * base + codes[1], table.humans.n_items, table.ordered)

    def replicate(C: IntArray, answers: IntArray, W: FloatArray) -> FloatArray:
        n_items, given = np.ones(len(C), np.int64), (answers // base - 1, answers % base - 1)
        one, other = (estimator.replicate(Patterns(C, each, n_items, table.ordered), W) for each in given)
        return one - other

    around = deviations(joint, replicate, seed=seed)
    defined = around[~np.isnan(around)]
    value = (fits[0].accuracy or 0.0) - (fits[1].accuracy or 0.0)
    if defined.size < 2:
        return Difference(value, None, warnings=(NO_BOOTSTRAP,))
    warnings = (TOO_NARROW, *notes.on_replicates(1 - defined.size / around.size))
    return Difference(value, float(defined.std(ddof=1)), warnings=warnings)


def patterns_of_both(table: Table, both: Mask, a: str, b: str, method: str) -> tuple[Patterns, Patterns]:
    """What the method's estimator is given for each system: its answers to the items that both answered."""
    masked = replace(table, answers={name: np.where(both, table.answers[name], -1) for name in (a, b)})
    make = patterns_by_rater if ESTIMATORS[method].by_rater else patterns_of
    return make(masked, a), make(masked, b)
