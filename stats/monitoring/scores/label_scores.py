"""Score an item for each label by the share of its ratings that have the label."""

import numpy as np

from stats.monitoring.daily_counts import CodedCounts
from stats.monitoring.scores.agreement_scores import label_shares
from stats.monitoring.scores.score_table import ScoreTable


def label_scores(counts: CodedCounts) -> ScoreTable:
    """Score the patterns with a rating or more: one series for each label, scores in 0..1."""
    k, pattern = len(counts.labels), np.flatnonzero(counts.m >= 1)
    series, patterns = np.repeat(np.arange(k), len(pattern)), np.tile(pattern, k)
    score = label_shares(counts.C[pattern]).T.ravel()
    return ScoreTable("labels", (None,) * k, counts.labels, series, patterns, score)
