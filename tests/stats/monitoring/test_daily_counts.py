"""Counts by day and pattern, as codes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.errors import StatsError
from stats.monitoring.daily_counts import DailyCounts, coded_counts

Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]
DAY = date(2026, 1, 5)


@pytest.fixture
def counts(count_days: Count) -> DailyCounts:
    ratings = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "ann", "A"), ("3", "ann", "A"), ("3", "bob", "B")]
    rows = [
        {"item": item, "rater": rater, "kind": "human", "label": label, "day": DAY + timedelta(days=int(item) - 1)}
        for item, rater, label in ratings
    ]
    bot = {"item": "1", "rater": "bot", "kind": "system", "label": "B", "day": DAY, "version": "v1"}
    return count_days([*rows, bot], ["A", "B"])


def test_codes(counts: DailyCounts) -> None:
    coded = coded_counts(counts)
    assert (coded.raters, coded.systems) == (("ann", "bob"), ("bot",))
    assert coded.days.astype(object).tolist() == [DAY, DAY + timedelta(days=1), DAY + timedelta(days=2)]
    assert sorted(coded.C.tolist()) == [[1, 0], [1, 1], [1, 1]]
    assert sorted(coded.m.tolist()) == [1, 2, 2]
    assert sorted(coded.answers[0].tolist()) == [-1, -1, 1]
    assert coded.row_items.sum() == 3


def test_numbers_of_patterns_and_order_of_rows_change_nothing(counts: DailyCounts) -> None:
    def renumbered(table: pl.DataFrame) -> pl.DataFrame:
        return table.with_columns(100 - 7 * pl.col("pattern")).reverse()

    other = replace(
        counts, items=renumbered(counts.items), ratings=renumbered(counts.ratings), answers=renumbered(counts.answers)
    )
    result, two = coded_counts(counts), coded_counts(other)
    assert (result.C == two.C).all()
    assert (result.answers == two.answers).all()
    assert (result.patterns.n_items == two.patterns.n_items).all()


def test_equal_patterns_are_one(counts: DailyCounts) -> None:
    copy = counts.ratings.with_columns(pl.col("pattern") + 50)
    answers = counts.answers.with_columns(pl.col("pattern") + 50)
    twice = replace(
        counts,
        items=pl.concat([counts.items, counts.items.with_columns(pl.col("pattern") + 50)]),
        ratings=pl.concat([counts.ratings, copy]),
        answers=pl.concat([counts.answers, answers]),
    )
    result, two = coded_counts(counts), coded_counts(twice)
    assert (two.C == result.C).all()
    assert (two.patterns.n_items == 2 * result.patterns.n_items).all()
    assert len(two.patterns.label) == len(result.patterns.label)


def test_days_between(counts: DailyCounts) -> None:
    coded = coded_counts(counts.between(DAY + timedelta(days=1), DAY + timedelta(days=2)))
    assert coded.row_items.sum() == 2
    assert coded.systems == ()


def test_no_items() -> None:
    empty = DailyCounts(
        ("A", "B"),
        pl.DataFrame(schema={"day": pl.Date, "pattern": pl.Int64, "n_items": pl.Int64}),
        pl.DataFrame(schema={"pattern": pl.Int64, "rater": pl.String, "label": pl.String}),
    )
    coded = coded_counts(empty)
    assert (len(coded.days), coded.C.shape, len(coded.m)) == (0, (0, 2), 0)
    assert np.size(coded.answers) == 0


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("items", pl.lit(None, pl.Date).alias("day"), "has a null"),
        ("ratings", pl.lit("C").alias("label"), "not declared"),
        ("ratings", pl.lit("ann").alias("rater"), "two labels in one pattern"),
        ("items", pl.lit(99, pl.Int64).alias("pattern"), "no human rating"),
    ],
)
def test_errors(counts: DailyCounts, table: str, change: pl.Expr, message: str) -> None:
    with pytest.raises(StatsError, match=message):
        coded_counts(replace(counts, **{table: getattr(counts, table).with_columns(change)}))
