"""Groups of charts from day sums."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.monitoring import (
    AlarmBudget,
    DailyCounts,
    QuestionReference,
    chart_groups,
    day_sums,
    fit_reference,
    reference_period,
)

Rows = Callable[..., list[dict[str, Any]]]
Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]


@pytest.fixture(scope="module")
def fitted(simulated_rows: Rows, count_days: Count) -> tuple[pl.DataFrame, QuestionReference]:
    counts = count_days(simulated_rows(seed=8), ["A", "B", "C"])
    period = reference_period(counts.items)
    assert period is not None
    reference = fit_reference(counts, period=period)
    return day_sums(counts, reference=reference), reference


def test_kinds_subjects_and_thresholds(fitted: tuple[pl.DataFrame, QuestionReference]) -> None:
    groups = chart_groups(fitted[0], reference=fitted[1], budget=AlarmBudget())
    names = [(group.chart, group.subject) for group in groups]
    assert names[:3] == [("agreement", None), ("labels", None), ("rater", "ann")]
    assert names[-1] == ("system", "bot")
    assert len(groups) == 2 + 3 * 4 + 1
    thresholds = {group.chart: group.threshold for group in groups}
    assert thresholds == {
        "agreement": 1000,
        "labels": 1000,
        "rater": 8000,
        "rater_labels": 16_000,
        "rater_speed": 16_000,
        "system": 1000,
    }
    assert sum(250 / group.threshold for group in groups) == pytest.approx(1)


def test_changes(fitted: tuple[pl.DataFrame, QuestionReference]) -> None:
    sums, reference = fitted
    groups = {group.chart: group for group in chart_groups(sums, reference=reference, budget=AlarmBudget())}
    assert groups["rater"].smallest_change == pytest.approx(0.3 * reference.span)
    assert groups["rater"].larger_change == reference.span
    assert {chart: group.direction for chart, group in groups.items() if group.direction != "down"} == {
        "labels": "both",
        "rater_labels": "both",
        "rater_speed": "up",
    }
    assert groups["rater_labels"].labels == groups["labels"].labels == ("A", "B", "C")
    assert groups["agreement"].labels == ()
    assert all(group.n_reference == 20 for group in groups.values())


def test_order_of_rows_changes_nothing(fitted: tuple[pl.DataFrame, QuestionReference]) -> None:
    sums, reference = fitted
    shuffled = sums.sample(fraction=1, shuffle=True, seed=2)
    for result, other in zip(
        *(chart_groups(table, reference=reference, budget=AlarmBudget()) for table in (sums, shuffled)), strict=True
    ):
        assert (result.score_sums == other.score_sums).all()
        assert (result.days == other.days).all()
        assert (result.levels == other.levels).all()


def test_a_day_without_scores_is_no_look(fitted: tuple[pl.DataFrame, QuestionReference]) -> None:
    sums, reference = fitted
    day = reference.period.last + timedelta(days=3)
    away = sums.filter((pl.col("subject") != "ann") | pl.col("subject").is_null() | (pl.col("day") != day))
    groups = chart_groups(away, reference=reference, budget=AlarmBudget())
    has_day = {(group.chart, group.subject): np.datetime64(day) in group.days for group in groups}
    assert not has_day["rater", "ann"]
    assert has_day["rater", "bob"]
