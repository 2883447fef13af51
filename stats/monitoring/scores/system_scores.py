"""Score a system's answer by the probability that it is right, corrected for how well people know the right label.

Raw agreement with people would blame the system when people get worse. With P the posterior of the item's label from
the humans' frozen one-coin model, q = sum P^2, b = (1 - q) / (k - 1) and G the mean of q - b over the reference:
score = a0 + [P(s) - b - a0 (q - b)] / G. Its mean over the reference is a0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.monitoring.daily_counts import CodedCounts
from stats.monitoring.scores.frozen_one_coin import FrozenOneCoin, posteriors
from stats.monitoring.scores.score_table import ScoreTable

MIN_INFORMATION = 1e-9


@dataclass(frozen=True)
class SystemReference:
    """A system at the reference, frozen: its accuracy a0, and what the raters know of an item (G, in 0..1)."""

    system: str
    accuracy: float
    information: float

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON."""
        return dict(vars(self))


def system_references(counts: CodedCounts, n_items: IntArray, model: FrozenOneCoin) -> tuple[SystemReference, ...]:
    """Compute a0 and G of each system over the reference items that it answered. n_items (P,): of each pattern.

    A system without reference items has none, nor has any system where the raters tell nothing (G = 0).
    """
    references = []
    P_right, b, surplus = _knowledge(counts, model)
    for system, answer in zip(counts.systems, counts.answers, strict=True):
        answered = np.flatnonzero((answer >= 0) & (counts.m >= 1) & (n_items > 0))
        weight = n_items[answered].astype(np.float64)
        if not len(answered):
            continue
        G = float(weight @ surplus[answered] / weight.sum())
        if G < MIN_INFORMATION:
            continue
        gain = float(weight @ (P_right[answered, answer[answered]] - b[answered]) / weight.sum())
        references.append(SystemReference(system, gain / G, G))
    return tuple(references)


def system_scores(counts: CodedCounts, references: tuple[SystemReference, ...], model: FrozenOneCoin) -> ScoreTable:
    """Score the patterns with a human rating and the system's answer: one series a system that has a reference."""
    P_right, b, surplus = _knowledge(counts, model)
    series, patterns, scores = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for number, reference in enumerate(references):
        if reference.system not in counts.systems:
            continue
        answer, a0 = counts.answers[counts.systems.index(reference.system)], reference.accuracy
        pattern = np.flatnonzero((answer >= 0) & (counts.m >= 1))
        gain = P_right[pattern, answer[pattern]] - b[pattern] - a0 * surplus[pattern]
        series.append(np.full(len(pattern), number))
        patterns.append(pattern)
        scores.append(a0 + gain / reference.information)
    subjects = tuple(reference.system for reference in references)
    columns = (np.concatenate(series), np.concatenate(patterns), np.concatenate(scores))
    return ScoreTable("system", subjects, (None,) * len(subjects), *columns)


def _knowledge(counts: CodedCounts, model: FrozenOneCoin) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the posterior (P, k), b (P,) and q - b (P,) of each pattern."""
    P_right = posteriors(counts, model)
    q = (P_right**2).sum(axis=1)
    b = (1 - q) / max(len(counts.labels) - 1, 1)
    return P_right, b, q - b
