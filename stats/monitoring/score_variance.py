"""Foresee the variance of the scores of a chart from a few figures that a user can guess.

All raters are right with the same probability, errors spread evenly, and all labels are equally common. All answers
that an item can get are enumerated.
"""

import numpy as np

from stats.accuracy.planning.one_coin_information import item_patterns, rater_accuracy
from stats.arrays import FloatArray, IntArray


def agreement_variance(n_labels: int, n_raters: int, kappa: float) -> float:
    """Return the variance of an item's score for Fleiss' kappa, with n_raters ratings an item (2 or more).

    >>> round(agreement_variance(2, 3, 0.6), 4)
    0.3733
    """
    C, _, probability = _answers(n_labels, n_raters, rater_accuracy(n_labels, kappa), 1 / n_labels)
    agreement = (C * (C - 1)).sum(axis=1) / (n_raters * (n_raters - 1))
    return _variance(agreement / (1 - 1 / n_labels), probability)


def rater_variance(n_labels: int, n_raters: int, kappa: float) -> float:
    """Return the variance of a rater's score, with n_raters ratings an item (3 or more)."""
    c = rater_accuracy(n_labels, kappa)
    C, own, probability = _answers(n_labels, n_raters - 1, c, c)
    others = n_raters - 1
    equal = C[np.arange(len(C)), own] / others
    return _variance(equal - (C * (C - 1)).sum(axis=1) / (others * (others - 1)), probability)


def system_variance(n_labels: int, n_raters: int, kappa: float, accuracy: float) -> float:
    """Return the variance of a system's score, with n_raters human ratings an item (1 or more)."""
    c = rater_accuracy(n_labels, kappa)
    C, own, probability = _answers(n_labels, n_raters, c, accuracy)
    L = _likelihood(C, n_raters, c)
    P = L / L.sum(axis=1, keepdims=True)
    q = (P**2).sum(axis=1)
    b = (1 - q) / (n_labels - 1)
    gain = P[np.arange(len(C)), own] - b - accuracy * (q - b)
    return _variance(gain / float(probability @ (q - b)), probability)


def _answers(n_labels: int, n_raters: int, c: float, s: float) -> tuple[IntArray, IntArray, FloatArray]:
    """Return counts (patterns, k) of raters with accuracy c, the answer of one with accuracy s, and the probability."""
    C, own, ways = item_patterns(n_labels, n_raters)
    L = _likelihood(C, n_raters, c)
    right = L[np.arange(len(C)), own]
    return C, own, ways / n_labels * (s * right + (1 - s) / (n_labels - 1) * (L.sum(axis=1) - right))


def _likelihood(C: IntArray, m: int, c: float) -> FloatArray:
    """Return the likelihood (patterns, k) of the raters' labels by the right label."""
    return np.asarray(c**C * ((1 - c) / (C.shape[1] - 1)) ** (m - C))


def _variance(score: FloatArray, probability: FloatArray) -> float:
    mean = probability @ score
    return float(probability @ (score - mean) ** 2)
