"""Compare a rater with the others who rated the same item: agreement, and use of each label.

A hard item or the fault of another rater lowers both sides of the comparison, so that it accuses nobody. With two
ratings an item nobody can be told apart: items with three ratings or more are scored, the rater's own among them.
"""

import numpy as np

from stats.arrays import IntArray
from stats.monitoring.daily_counts import CodedCounts
from stats.monitoring.scores.score_table import ScoreTable

MIN_RATINGS = 3


def rater_scores(counts: CodedCounts) -> ScoreTable:
    """Score each rater's agreement with the others, less their agreement among themselves: one series a rater.

    Scores lie in -1..1. With m ratings, C raters for each label and c for the rater's own: (c - 1) / (m - 1) less
    [sum C (C - 1) - 2 (c - 1)] / ((m - 1) (m - 2)).
    """
    pattern, rater, label = _compared(counts)
    C, m = counts.C, counts.m[pattern]
    equal_others = C[pattern, label] - 1
    equal_pairs = (C * (C - 1)).sum(axis=1)[pattern] - 2 * equal_others
    score = equal_others / (m - 1) - equal_pairs / ((m - 1) * (m - 2))
    return ScoreTable("rater", counts.raters, (None,) * len(counts.raters), rater, pattern, score)


def rater_label_scores(counts: CodedCounts) -> ScoreTable:
    """Score each rater's use of each label, 1 or 0, less the others' share of it: k series a rater, in -1..1."""
    pattern, rater, label = _compared(counts)
    k, m = len(counts.labels), counts.m[pattern]
    own = (label[:, None] == np.arange(k)).astype(np.int64)
    score = own - (counts.C[pattern] - own) / (m - 1)[:, None]
    series = rater[:, None] * k + np.arange(k)
    subjects = tuple(name for name in counts.raters for _ in range(k))
    labels = counts.labels * len(counts.raters)
    return ScoreTable("rater_labels", subjects, labels, series.ravel(), np.repeat(pattern, k), score.ravel())


def _compared(counts: CodedCounts) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pattern, rater and label of each rating in a pattern with three ratings or more."""
    patterns = counts.patterns
    kept = counts.m[patterns.pattern] >= MIN_RATINGS
    return patterns.pattern[kept], patterns.rater[kept], patterns.label[kept]
