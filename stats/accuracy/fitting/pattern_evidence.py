"""Make the evidence matrix of patterns, with raters pooled or one by one, in the form that is fastest for them."""

import numpy as np

from stats.accuracy.fitting.crossed import Crossed
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.evidence import CELLS, Dense, Evidence, Sparse
from stats.arrays import IntArray

_EMPTY = 20  # cells of X per filled cell from which the sparse form is faster
_ALIKE = 2  # patterns per human pattern from which the crossed form is faster


def pooled(C: IntArray, system: IntArray) -> Evidence:
    """Return evidence with one block for all raters: X = [1, C, system's label], F = 1 + 2k.

    >>> pooled(np.array([[2, 1]]), np.array([1])).X
    array([[1., 2., 1., 0., 1.]])
    """
    k = C.shape[1]
    return _crossed_or_dense(Dense(np.hstack([np.ones((len(C), 1)), C, system[:, None] == np.arange(k)])), system, k)


def is_dense(patterns: SystemPatterns) -> bool:
    """Tell whether rater-level patterns are few enough for a matrix with a column per rater and label."""
    raters = 0 if patterns.raters is None else patterns.raters.n_raters
    return len(patterns.C) * (1 + (raters + 1) * patterns.n_labels) <= CELLS


def by_rater(patterns: SystemPatterns) -> Evidence:
    """Return evidence with one block per rater, F = 1 + (r + 1) k, from patterns that know who gave which label.

    The matrix is sparse where it would be large or mostly empty. Raises TypeError if the patterns do not know the
    raters.
    """
    if patterns.raters is None:
        raise TypeError("These patterns do not say who gave which label.")
    ratings, k, p = patterns.raters, patterns.n_labels, len(patterns.C)
    answered = np.flatnonzero(patterns.answered)
    pattern = np.concatenate([ratings.pattern, answered])
    feature = np.concatenate([ratings.rater * k + ratings.label, ratings.n_raters * k + patterns.system[answered]]) + 1
    F = 1 + (ratings.n_raters + 1) * k
    if is_dense(patterns) and p * F < _EMPTY * len(pattern):
        X = np.zeros((p, F))
        X[:, 0] = 1
        X[pattern, feature] = 1
        return _crossed_or_dense(Dense(X), patterns.system, k)
    order = np.argsort(pattern, kind="stable")
    pattern = pattern[order]
    return Sparse(pattern, feature[order], np.searchsorted(pattern, np.arange(p)), F)


def _crossed_or_dense(dense: Dense, system: IntArray, k: int) -> Evidence:
    """Return the crossed form where patterns that follow each other mostly differ only in the system's label."""
    humans = dense.X[:, :-k]
    first = np.flatnonzero(np.append(True, (humans[1:] != humans[:-1]).any(axis=1)))
    if len(humans) < _ALIKE * len(first) or len(first) * k > CELLS:
        return dense
    human = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(humans))))
    cell = (system + 1) * len(first) + human
    if np.bincount(cell).max() > 1:  # patterns that repeat have no cell of their own
        return dense
    return Crossed(Dense(humans[first]), cell, k)
