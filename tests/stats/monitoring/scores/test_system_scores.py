"""The frozen one-coin model, and the score of a system that does not move with people."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np
import pytest

from stats.monitoring.daily_counts import DailyCounts, coded_counts
from stats.monitoring.scores.frozen_one_coin import FrozenOneCoin, fit_one_coin, posteriors
from stats.monitoring.scores.score_table import score_moments
from stats.monitoring.scores.system_scores import system_references, system_scores

Rows = Callable[..., list[dict[str, Any]]]
Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]
LABELS = ["A", "B", "C"]


def test_posterior_by_hand(count_days: Count) -> None:
    rows = [
        {"item": "1", "rater": rater, "kind": "human", "label": label, "day": date(2026, 1, 5)}
        for rater, label in (("ann", "A"), ("bob", "A"), ("new", "B"))
    ]
    counts = coded_counts(count_days(rows, LABELS))
    model = FrozenOneCoin({"ann": 0.9, "bob": 0.6}, (0.5, 0.3, 0.2))
    weights = np.array([0.5 * 0.9 * 0.6 * 0.1, 0.3 * 0.05 * 0.2 * 0.8, 0.2 * 0.05 * 0.2 * 0.1])  # a new rater has .8
    assert posteriors(counts, model)[0] == pytest.approx(weights / weights.sum())


def test_the_fit_is_a_fixed_point_and_finds_the_raters(simulated_rows: Rows, count_days: Count) -> None:
    counts = coded_counts(count_days(simulated_rows(seed=1, n_days=100), LABELS))
    n = counts.patterns.n_items.astype(float)
    model = fit_one_coin(counts, counts.patterns.n_items)
    P, entries = posteriors(counts, model), counts.patterns
    for code, rater in enumerate(counts.raters):
        own = entries.rater == code
        right = (n[entries.pattern] * P[entries.pattern, entries.label])[own].sum()
        ratings = n[entries.pattern[own]].sum()
        assert model.rater_accuracy[rater] == pytest.approx((right + 4) / (ratings + 5), abs=1e-11)
        assert model.rater_accuracy[rater] == pytest.approx(0.8 + 0.2 / 3, abs=0.03)
    assert model.shares == pytest.approx(n @ P / n.sum(), abs=1e-11)
    assert sum(model.shares) == pytest.approx(1)


def test_the_mean_score_is_the_accuracy(simulated_rows: Rows, count_days: Count) -> None:
    rows = simulated_rows(seed=2, n_days=100)
    counts = coded_counts(count_days(rows, LABELS))
    model = fit_one_coin(counts, counts.patterns.n_items)
    references = system_references(counts, counts.patterns.n_items, model)
    moments = score_moments(system_scores(counts, references, model), counts.patterns.n_items)
    assert [reference.system for reference in references] == ["bot"]
    assert moments.mean[0] == pytest.approx(references[0].accuracy, abs=1e-12)
    assert references[0].accuracy == pytest.approx(0.8 + 0.2 / 3, abs=0.03)


def test_worse_people_do_not_make_a_system_worse(simulated_rows: Rows, count_days: Count) -> None:
    reference = coded_counts(count_days(simulated_rows(seed=3, n_days=150), LABELS))
    model = fit_one_coin(reference, reference.patterns.n_items)
    references = system_references(reference, reference.patterns.n_items, model)
    later = coded_counts(count_days(simulated_rows(seed=4, n_days=150, accuracy=0.65), LABELS))
    n = later.patterns.n_items
    mean = score_moments(system_scores(later, references, model), n).mean[0]
    agreement = [c.patterns.n_items @ (c.C[np.arange(len(c.C)), c.answers[0]] / c.m) for c in (reference, later)]
    raw_drop = agreement[0] / reference.patterns.n_items.sum() - agreement[1] / n.sum()
    assert raw_drop > 0.07
    assert abs(mean - references[0].accuracy) < 0.5 * raw_drop


def test_no_answers_and_no_knowledge(count_days: Count) -> None:
    rows = [
        {"item": str(i), "rater": "ann", "kind": "human", "label": "ABC"[i % 3], "day": date(2026, 1, 5)}
        for i in range(9)
    ]
    counts = coded_counts(count_days(rows, LABELS))
    model = fit_one_coin(counts, counts.patterns.n_items)
    assert system_references(counts, counts.patterns.n_items, model) == ()
    assert system_scores(counts, (), model).n_series == 0
