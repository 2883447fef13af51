"""Day sums: exact, additive, and the same for any order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from stats.monitoring import DailyCounts, QuestionReference, add_day_sums, day_sums, fit_reference, reference_period
from stats.monitoring.daily_counts import coded_counts
from stats.monitoring.question_reference import score_tables

Rows = Callable[..., list[dict[str, Any]]]
Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]
LABELS = ["A", "B", "C"]


@pytest.fixture(scope="module")
def rows(simulated_rows: Rows) -> list[dict[str, Any]]:
    return simulated_rows(seed=7, n_days=30)


@pytest.fixture(scope="module")
def reference(rows: list[dict[str, Any]], count_days: Count) -> QuestionReference:
    counts = count_days(rows, LABELS)
    period = reference_period(counts.items)
    assert period is not None
    return fit_reference(counts, period=period)


def test_each_item_adds_its_rounded_score(
    rows: list[dict[str, Any]], reference: QuestionReference, count_days: Count
) -> None:
    """Items scored one by one, each as counts of its own."""
    day = rows[0]["day"]
    on_day = [row for row in rows if row["day"] == day]
    expected: dict[Any, list[int]] = {}
    for item in {row["item"] for row in on_day}:
        coded = coded_counts(count_days([row for row in on_day if row["item"] == item], LABELS))
        for table in score_tables(coded, reference.agreement, reference.systems, reference.one_coin):
            for s, score in zip(table.series, table.score, strict=True):
                total = expected.setdefault((table.chart, table.subjects[s], table.labels[s]), [0, 0])
                total[0] += 1
                total[1] += round(score * 1e6)
    sums = day_sums(count_days(on_day, LABELS), reference=reference).filter(pl.col("chart") != "rater_speed")
    assert {tuple(row[:3]): list(row[4:]) for row in sums.iter_rows()} == expected


@given(st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_order_changes_nothing(
    rows: list[dict[str, Any]], reference: QuestionReference, count_days: Count, seed: int
) -> None:
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    counts, other = count_days(rows, LABELS), count_days(shuffled, LABELS)
    assert_frame_equal(day_sums(counts, reference=reference), day_sums(other, reference=reference))
    assert fit_reference(other, period=reference.period).to_json() == reference.to_json()


@given(st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_disjoint_items_add_up(
    rows: list[dict[str, Any]], reference: QuestionReference, count_days: Count, seed: int
) -> None:
    parts: tuple[list[Any], list[Any]] = ([], [])
    for row in rows:
        parts[hash((seed, row["item"])) % 2].append(row)
    whole = day_sums(count_days(rows, LABELS), reference=reference)
    added = add_day_sums(*(day_sums(count_days(part, LABELS), reference=reference) for part in parts))
    assert_frame_equal(added, whole)


def test_renamed_raters(rows: list[dict[str, Any]], reference: QuestionReference, count_days: Count) -> None:
    names = {"ann": "zoe", "bob": "yan", "cy": "xu", "dee": "wim", "bot": "bot"}
    renamed = count_days([row | {"rater": names[row["rater"]]} for row in rows], LABELS)
    result = day_sums(renamed, reference=fit_reference(renamed, period=reference.period))
    sums = day_sums(count_days(rows, LABELS), reference=reference)
    expected = sums.with_columns(pl.col("subject").replace(names)).sort("chart", "subject", "label", "day")
    people = pl.col("chart").is_in(["agreement", "labels", "rater", "rater_labels", "rater_speed"])
    assert_frame_equal(result.filter(people), expected.filter(people))
    # the system's score is a sum over raters in another order: the last digit may round differently
    off = (result.filter(~people)["score_sum"] - expected.filter(~people)["score_sum"]).abs().max()
    assert off is not None
    assert off <= 20  # type: ignore[operator]


def test_only_charts_that_exist(rows: list[dict[str, Any]], reference: QuestionReference, count_days: Count) -> None:
    later = max(row["day"] for row in rows) + timedelta(days=1)
    new = [row | {"day": later, "rater": "new"} for row in rows[:50] if row["kind"] == "human"]
    sums = day_sums(count_days([*rows, *new], LABELS), reference=reference)
    assert "new" not in sums["subject"].to_list()
    assert later in sums.filter(chart="labels")["day"].to_list()


def test_no_durations_and_no_systems(rows: list[dict[str, Any]], count_days: Count) -> None:
    humans = [{**row, "duration": None} for row in rows if row["kind"] == "human"]
    counts = count_days(humans, LABELS)
    period = reference_period(counts.items)
    assert period is not None
    sums = day_sums(counts, reference=fit_reference(counts, period=period))
    assert set(sums["chart"]) == {"agreement", "labels", "rater", "rater_labels"}
    assert replace(counts).versions.is_empty()
