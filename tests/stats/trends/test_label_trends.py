"""Pairs of labels that are followed."""

import numpy as np
import pytest

from stats.patterns import RatingPatterns
from stats.trends.label_trends import confusion_trends
from stats.trends.window_sums import window_units


def test_of_many_pairs_of_labels_the_most_frequent_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stats.trends.label_trends.MAX_PAIRS", 1)
    items = np.array([2, 3, 9])  # of the labels 0 and 1, 1 and 2, 2 twice
    patterns = RatingPatterns(
        items, np.repeat(np.arange(3), 2), np.tile([0, 1], 3), np.array([0, 1, 1, 2, 2, 2]), n_raters=2, n_labels=4
    )
    row = np.zeros(1, np.int64)
    units = window_units((row, row), (np.zeros(3, np.int64), np.arange(3), items), n_windows=1, n_patterns=3)
    result = confusion_trends(patterns, units, confidence=0.95)
    assert (result.label_a.tolist(), result.label_b.tolist()) == ([1], [2])
    assert (result.n_items.tolist(), result.n_pairs.tolist()) == ([14], [[3]])
    assert result.shares.share[0, 0] == 3 / 14
