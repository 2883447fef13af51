"""Make the evidence matrix of patterns, with raters pooled or one by one, in the form that is fastest for them."""

import numpy as np

from stats.accuracy.fitting.crossed import Crossed
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.evidence import CELLS, Dense, Evidence, Sparse
from stats.arrays import FloatArray, IntArray

_EMPTY = 8  # cells of X per filled cell from which the sparse form is faster
_SMALL = 100_000  # cells below which the sparse form does not pay for its import
_ALIKE = 2  # patterns per human pattern from which the crossed form is faster


def pooled(C: IntArray, system: IntArray) -> Evidence:
    """Return evidence with one block for all raters: X = [1, C, system's label], F = 1 + 2k.

    >>> pooled(np.array([[2, 1]]), np.array([1])).X
    array([[1., 2., 1., 0., 1.]])
    """
    k = C.shape[1]
    return _fastest(np.hstack([np.ones((len(C), 1)), C, system[:, None] == np.arange(k)]), system, k)


def is_dense(patterns: SystemPatterns) -> bool:
    """Tell whether rater-level patterns are few enough for a matrix with a column per rater and label."""
    raters = 0 if patterns.raters is None else patterns.raters.n_raters
    return len(patterns.C) * (1 + (raters + 1) * patterns.n_labels) <= CELLS


def by_rater(patterns: SystemPatterns) -> Evidence:
    """Return evidence with one block per rater, F = 1 + (r + 1) k, from patterns that know who gave which label.

    Raises TypeError if the patterns do not know the raters.
    """
    if patterns.raters is None:
        raise TypeError("These patterns do not say who gave which label.")
    ratings, k, p = patterns.raters, patterns.n_labels, len(patterns.C)
    answered = np.flatnonzero(patterns.answered)
    pattern = np.concatenate([np.arange(p), ratings.pattern, answered])
    of_answers = ratings.n_raters * k + patterns.system[answered] + 1
    feature = np.concatenate([np.zeros(p, np.int64), ratings.rater * k + ratings.label + 1, of_answers])
    F = 1 + (ratings.n_raters + 1) * k
    if is_dense(patterns):
        X = np.zeros((p, F))
        X[pattern, feature] = 1
        return _fastest(X, patterns.system, k)
    from scipy.sparse import csr_array  # here, because it takes long to import

    return Sparse(csr_array((np.ones(len(pattern)), (pattern, feature)), shape=(p, F)))


def _fastest(X: FloatArray, system: IntArray, k: int) -> Evidence:
    """Return the crossed form where patterns that follow each other mostly differ only in the system's label."""
    humans = X[:, :-k]
    first = np.flatnonzero(np.append(True, (humans[1:] != humans[:-1]).any(axis=1)))
    H = len(first)
    if len(X) < _ALIKE * H or H * k > CELLS:
        return _sparse_or_dense(X)
    cell = (system + 1) * H + np.repeat(np.arange(H), np.diff(np.append(first, len(X))))
    if np.bincount(cell).max() > 1:  # patterns that repeat have no cell of their own
        return _sparse_or_dense(X)
    return Crossed(_sparse_or_dense(humans[first]), cell, H, k)


def _sparse_or_dense(X: FloatArray) -> Evidence:
    if X.size < _SMALL or X.size < _EMPTY * np.count_nonzero(X):
        return Dense(X)
    from scipy.sparse import csr_array  # here, because it takes long to import

    return Sparse(csr_array(X))
