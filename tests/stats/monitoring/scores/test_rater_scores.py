"""A rater beside the others of the same item."""

from collections.abc import Callable, Sequence
from datetime import date
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from stats.monitoring.daily_counts import DailyCounts, coded_counts
from stats.monitoring.scores.agreement_scores import label_scores
from stats.monitoring.scores.rater_scores import rater_label_scores, rater_scores
from stats.monitoring.scores.score_table import ScoreTable

Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]


def rows_of(**labels: str) -> list[dict[str, Any]]:
    """Make the rows of one item: rater -> label."""
    shared = {"item": "1", "kind": "human", "day": date(2026, 1, 5)}
    return [{**shared, "rater": rater, "label": label} for rater, label in labels.items()]


def by_series(table: ScoreTable) -> dict[Any, float]:
    names = list(zip(table.subjects, table.labels, strict=True))
    return {names[s]: float(score) for s, score in zip(table.series, table.score, strict=True)}


def test_agreement_with_the_others_by_hand(count_days: Count) -> None:
    counts = coded_counts(count_days(rows_of(ann="A", bob="A", cy="A", dee="B"), ["A", "B"]))
    # ann agrees with 2 of 3; of the others' 3 pairs 1 agrees. dee agrees with none, the others' 3 pairs all agree.
    result = by_series(rater_scores(counts))
    assert result == pytest.approx({("ann", None): 1 / 3, ("bob", None): 1 / 3, ("cy", None): 1 / 3, ("dee", None): -1})


def test_use_of_labels_by_hand(count_days: Count) -> None:
    counts = coded_counts(count_days(rows_of(ann="A", bob="A", cy="B"), ["A", "B"]))
    result = by_series(rater_label_scores(counts))
    assert result["ann", "A"] == pytest.approx(1 - 1 / 2)
    assert result["cy", "A"] == -1
    assert result["cy", "B"] == 1
    assert sum(result.values()) == pytest.approx(0)


def test_two_ratings_blame_nobody(count_days: Count) -> None:
    counts = coded_counts(count_days(rows_of(ann="A", bob="B"), ["A", "B"]))
    assert len(rater_scores(counts).score) == len(rater_label_scores(counts).score) == 0
    assert by_series(label_scores(counts)) == {(None, "A"): 0.5, (None, "B"): 0.5}


def test_random_items_against_pairs(count_days: Count) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        labels = {f"r{r}": "ABC"[rng.integers(3)] for r in range(int(rng.integers(3, 8)))}
        result = by_series(rater_scores(coded_counts(count_days(rows_of(**labels), ["A", "B", "C"]))))
        for rater, label in labels.items():
            others = [other for name, other in labels.items() if name != rater]
            own = np.mean([label == other for other in others])
            theirs = np.mean([a == b for a, b in combinations(others, 2)])
            assert result[rater, None] == pytest.approx(own - theirs)
