"""Fit the one-coin model to the reference, and use it unchanged ever after to say which label of an item is right.

A rater is right with one probability c, and otherwise gives each other label equally often. Only the humans enter. The
model stays as it is, so that a change of people does not move the yardstick of the systems.

Source: A. P. Dawid & A. M. Skene (1979), Appl. Stat. 28, 20-28, with one parameter a rater.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.monitoring.daily_counts import CodedCounts

PRIOR_RIGHT, PRIOR_RATINGS = 4.0, 5.0  # pseudo-ratings of each rater
MIN_RIGHT, MAX_RIGHT = 0.05, 0.99
MIN_ITERATIONS, MAX_ITERATIONS = 20, 10_000
TOLERANCE = 1e-13


@dataclass(frozen=True)
class FrozenOneCoin:
    """Probability of being right of each rater, and shares (k,) of the right labels. New raters have .8."""

    rater_accuracy: dict[str, float]
    shares: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON."""
        return {"rater_accuracy": self.rater_accuracy, "shares": list(self.shares)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "FrozenOneCoin":
        """Return the model of `to_json`."""
        return cls(dict(values["rater_accuracy"]), tuple(values["shares"]))


def fit_one_coin(counts: CodedCounts, n_items: IntArray) -> FrozenOneCoin:
    """Fit the model by EM to the items with a human rating. n_items (P,): reference items of each pattern."""
    ratings, k, r = counts.patterns, len(counts.labels), len(counts.raters)
    weight = n_items.astype(np.float64)
    n_ratings = np.bincount(ratings.rater, weights=weight[ratings.pattern], minlength=r)
    c, shares = np.full(r, PRIOR_RIGHT / PRIOR_RATINGS), np.full(k, 1 / k)
    for iteration in range(MAX_ITERATIONS):
        P = _posteriors(counts, c, shares)
        right = np.bincount(
            ratings.rater, weights=weight[ratings.pattern] * P[ratings.pattern, ratings.label], minlength=r
        )
        new_c = np.clip((right + PRIOR_RIGHT) / (n_ratings + PRIOR_RATINGS), MIN_RIGHT, MAX_RIGHT)
        new_shares = weight @ P / weight.sum()
        step = max(np.abs(new_c - c).max(), np.abs(new_shares - shares).max())
        c, shares = new_c, new_shares
        if iteration + 1 >= MIN_ITERATIONS and step < TOLERANCE:
            break
    return FrozenOneCoin(dict(zip(counts.raters, c.tolist(), strict=True)), tuple(shares.tolist()))


def posteriors(counts: CodedCounts, model: FrozenOneCoin) -> FloatArray:
    """Return (P, k) the probability that each label is the right one of a pattern. Rows add up to 1."""
    c = np.array([model.rater_accuracy.get(name, PRIOR_RIGHT / PRIOR_RATINGS) for name in counts.raters])
    return _posteriors(counts, c, np.array(model.shares))


def _posteriors(counts: CodedCounts, c: FloatArray, shares: FloatArray) -> FloatArray:
    ratings, k, P = counts.patterns, len(shares), len(counts.m)
    gain = np.log(c) - np.log((1 - c) / max(k - 1, 1))  # of a label that a rater gave, over one that he did not give
    cell = ratings.pattern * k + ratings.label
    with np.errstate(divide="ignore"):
        log_p = np.log(shares) + np.bincount(cell, weights=gain[ratings.rater], minlength=P * k).reshape(P, k)
    log_p -= log_p.max(axis=1, keepdims=True)
    p = np.exp(log_p)
    return np.asarray(p / p.sum(axis=1, keepdims=True))
