"""The reference days."""

from datetime import date, timedelta

import polars as pl
import pytest

from stats.errors import StatsError
from stats.monitoring.reference_period import period_between, reference_period

START = date(2026, 1, 5)


def items(*numbers: int) -> pl.DataFrame:
    """Make one row a day; 0 is a day without items."""
    rows = [(START + timedelta(days=d), n) for d, n in enumerate(numbers) if n]
    return pl.DataFrame(rows, schema={"day": pl.Date, "n_items": pl.Int64}, orient="row")


def test_whole_days_until_both_are_enough() -> None:
    result = reference_period(items(40, 0, 30, 50, 60), n_items=60, n_days=3)
    assert result is not None
    assert result.to_json() == {"first": "2026-01-05", "last": "2026-01-08", "n_days": 3, "n_items": 120}
    more = reference_period(items(40, 0, 30, 50, 60), n_items=121, n_days=3)
    assert more is not None
    assert more.last == date(2026, 1, 9)


def test_order_of_rows_and_patterns_change_nothing() -> None:
    table = items(40, 30, 50)
    split = pl.concat([table.reverse(), table.reverse()])
    assert reference_period(split, n_items=140, n_days=2) == reference_period(
        table.with_columns(pl.col("n_items") * 2), n_items=140, n_days=2
    )


def test_too_few() -> None:
    assert reference_period(items(40, 30), n_items=300, n_days=1) is None
    assert reference_period(items(400, 300)) is None
    assert reference_period(items()) is None


def test_a_new_normal_starts_later() -> None:
    result = reference_period(items(*[20] * 60), start=START + timedelta(days=30))
    assert result is not None
    assert (result.first, result.n_days) == (START + timedelta(days=30), 20)


def test_named_days() -> None:
    result = period_between(items(40, 30, 50), first=START, last=START + timedelta(days=1))
    assert result is not None
    assert (result.n_days, result.n_items) == (2, 70)
    assert period_between(items(40), first=START + timedelta(days=5), last=START + timedelta(days=9)) is None
    with pytest.raises(StatsError, match="before it starts"):
        period_between(items(40), first=START, last=START - timedelta(days=1))


def test_numbers_below_one() -> None:
    with pytest.raises(StatsError, match="has items and days"):
        reference_period(items(1), n_items=0)
    with pytest.raises(StatsError, match="has items and days"):
        reference_period(items(1), n_days=0)


def test_the_least_that_is_asked_for_is_enough() -> None:
    result = reference_period(items(1, 5), n_items=1, n_days=1)
    assert result is not None
    assert (result.first, result.last, result.n_items) == (START, START, 1)
    exact = reference_period(items(40, 20, 30), n_items=60, n_days=2)
    assert exact is not None
    assert exact.last == START + timedelta(days=1)
    day = period_between(items(40, 30), first=START, last=START)
    assert day is not None
    assert (day.n_days, day.n_items) == (1, 40)
