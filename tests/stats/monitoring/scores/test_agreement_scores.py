"""The mean score of the reference is the coefficient that `agreement` computes."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement import agreement
from stats.errors import StatsError
from stats.monitoring.daily_counts import DailyCounts, coded_counts
from stats.monitoring.scores.agreement_scores import COEFFICIENTS_ON_CHARTS, agreement_reference, agreement_scores
from stats.monitoring.scores.score_table import score_moments

LABELS = ["A", "B", "C"]
Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]
ITEMS = st.lists(st.lists(st.sampled_from([*LABELS, None]), min_size=4, max_size=4), min_size=2, max_size=12)


def rows_of(items: list[list[str | None]]) -> list[dict[str, Any]]:
    return [
        {"item": str(i), "rater": f"r{r}", "kind": "human", "label": label, "day": date(2026, 1, 5)}
        for i, labels in enumerate(items)
        for r, label in enumerate(labels)
        if label is not None
    ]


@given(ITEMS, st.sampled_from(COEFFICIENTS_ON_CHARTS))
@settings(max_examples=80, deadline=None)
def test_the_mean_score_is_the_coefficient(count_days: Count, items: list[list[str | None]], coefficient: str) -> None:
    paired = [labels for labels in items if sum(label is not None for label in labels) >= 2]
    if not paired:
        return
    rows = rows_of(paired)
    counts = coded_counts(count_days(rows, LABELS))
    n_items = counts.patterns.n_items
    result = agreement_reference(counts, n_items, coefficient=coefficient)
    frame = pl.DataFrame(rows).select("item", "rater", "label")
    expected = agreement(frame, labels=LABELS, coefficients=[coefficient])["estimate"][0]
    if result is None:
        assert expected is None
        return
    assert result.estimate == pytest.approx(expected, abs=1e-12)
    moments = score_moments(agreement_scores(counts, result), n_items)
    assert moments.mean[0] == pytest.approx(result.estimate, abs=1e-12)
    assert moments.n_items[0] == len(paired)


def test_by_hand(count_days: Count) -> None:
    """Two items: A A, A B. pi = (.75, .25), Pe = .625, Pa = .5, kappa = -1/3."""
    counts = coded_counts(count_days(rows_of([["A", "A"], ["A", "B"]]), ["A", "B"]))
    reference = agreement_reference(counts, counts.patterns.n_items, coefficient="fleiss_kappa")
    assert reference is not None
    assert (reference.observed, reference.expected, reference.span) == (0.5, 0.625, -0.125)
    assert reference.estimate == pytest.approx(-1 / 3)
    # item 1: -1/3 + [.5 - 2 (4/3) (.75 - .625)] / .375 = 1/9; item 2: -1/3 + [-.5 + 2 (4/3) .125] / .375 = -7/9
    assert sorted(agreement_scores(counts, reference).score) == pytest.approx([-7 / 9, 1 / 9])


def test_items_with_one_rating_do_not_enter(count_days: Count) -> None:
    pairs = [["A", "A"], ["A", "B"], ["B", "B"]]
    with_single, without = (
        coded_counts(count_days(rows_of(items), ["A", "B"])) for items in ([*pairs, ["B", None]], pairs)
    )
    result, other = (
        agreement_reference(counts, counts.patterns.n_items, coefficient="fleiss_kappa")
        for counts in (with_single, without)
    )
    assert result == other


def test_undefined(count_days: Count) -> None:
    for items in ([["A", "A"], ["A", "A"]], [["A", None], ["B", None]]):
        counts = coded_counts(count_days(rows_of(items), ["A", "B"]))
        assert agreement_reference(counts, counts.patterns.n_items, coefficient="fleiss_kappa") is None


def test_a_coefficient_without_chart(count_days: Count) -> None:
    counts = coded_counts(count_days(rows_of([["A", "A"]]), ["A", "B"]))
    with pytest.raises(StatsError, match="No chart follows"):
        agreement_reference(counts, np.ones(1, np.int64), coefficient="cohen_kappa")
