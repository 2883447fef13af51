"""Say which label of an item is right, from the ratings of people whose accuracies are held fixed.

A rater is right with probability c, and otherwise gives each other label equally often. The accuracies come from an
estimate over all items; only the shares of the right labels are found here, by EM.

Source of the model: A. P. Dawid & A. M. Skene (1979), Appl. Stat. 28, 20-28, with one parameter a rater.
"""

from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns

MIN_RIGHT, MAX_RIGHT = 0.05, 0.99
ITERATIONS = 30  # of the shares of labels, and of where errors go
PRIOR_ERRORS = 5.0  # pseudo-answers for each right label, spread equally over the wrong ones


@dataclass(frozen=True)
class FixedRaters:
    """Probabilities of labels from ratings: P patterns, E ratings, k labels.

    - evidence (P, k): log of the probability of each label to be right, but for a constant of each pattern.
    - gain (E,): what each rating adds to the evidence for its label.
    """

    evidence: FloatArray
    gain: FloatArray

    def posteriors(self) -> FloatArray:
        """Return (P, k): the probability of each label from all ratings of the pattern."""
        return _normalized(self.evidence)

    def without(self, rating: IntArray, pattern: IntArray, label: IntArray) -> FloatArray:
        """Return (ratings, k): the probability of each label of a pattern from all its ratings but one.

        `rating` are places among the E ratings, pattern and label those of each.
        """
        evidence = self.evidence[pattern]
        evidence[np.arange(len(rating)), label] -= self.gain[rating]
        return _normalized(evidence)


def fixed_raters(patterns: RatingPatterns, accuracy: FloatArray) -> FixedRaters:
    """Return the model with these accuracies (raters,), each cut to .05 to .99, and the shares of labels that fit."""
    k, P = patterns.n_labels, len(patterns.n_items)
    c = np.clip(accuracy, MIN_RIGHT, MAX_RIGHT)
    gain = (np.log(c) - np.log((1 - c) / max(k - 1, 1)))[patterns.rater]
    evidence = np.bincount(patterns.pattern * k + patterns.label, weights=gain, minlength=P * k).reshape(P, k)
    weight, shares = patterns.n_items / patterns.n_items.sum(), np.full(k, 1 / k)
    likely = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    for _ in range(ITERATIONS):
        shares = np.maximum(shares * ((weight / (likely @ shares)) @ likely), 1e-9)
    return FixedRaters(evidence + np.log(shares), gain)


def error_shares(P: FloatArray, answer: IntArray, n_items: IntArray, accuracy: float) -> FloatArray:
    """Return (k, k) where the errors of a subject go: how often it gives each label, where each other one is right.

    P (answers, k) are the probabilities of labels from the other raters. Rows sum to 1, the diagonal is 0. Found by
    EM with the accuracy fixed, from equal shares, which some pseudo-answers keep it near.
    """
    k = P.shape[1]
    uniform = (1 - np.eye(k)) / max(k - 1, 1)
    K: FloatArray = uniform
    from scipy.sparse import csr_array

    by_answer = csr_array((np.ones(len(answer)), (answer, np.arange(len(answer)))), shape=(k, len(answer)))
    for _ in range(ITERATIONS):
        likely = accuracy * np.eye(k) + (1 - accuracy) * K
        joint = P * likely.T[answer]
        joint *= (n_items / joint.sum(axis=1))[:, None]
        counts = (by_answer @ joint).T
        wrong = counts * (1 - np.eye(k)) + PRIOR_ERRORS * uniform
        K = np.asarray(wrong / np.maximum(wrong.sum(axis=1, keepdims=True), 1e-12))
    return K


def gains(P: FloatArray, answer: IntArray, errors: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return u and v of each answer (see `stats.trends.anchored_accuracy`). Without `errors` all are equally likely."""
    q = (P**2).sum(axis=1)
    b = (1 - q) / max(P.shape[1] - 1, 1) if errors is None else ((P @ errors) * P).sum(axis=1)
    return P[np.arange(len(answer)), answer] - b, q - b


def _normalized(evidence: FloatArray) -> FloatArray:
    p = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    return np.asarray(p / p.sum(axis=1, keepdims=True))
