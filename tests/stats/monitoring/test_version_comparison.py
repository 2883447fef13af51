"""A new version of a system beside the old one."""

from datetime import date, datetime, timedelta
from math import exp
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.monitoring import compare_versions
from stats.monitoring.version_comparison import add_version_scores

START = date(2026, 1, 5)
SCHEMA = {"system": pl.String, "version": pl.String, "day": pl.Date, "score": pl.Float64, "n_items": pl.Int64}


def scores(*rows: tuple[str, int, float, int], system: str = "bot") -> pl.DataFrame:
    """Make a table from (version, day, score, n_items)."""
    table = [(system, version, START + timedelta(days=day), score, n) for version, day, score, n in rows]
    return add_version_scores(pl.DataFrame(table, schema=SCHEMA, orient="row"))


def steady(version: str, days: range, right: int, wrong: int) -> list[tuple[str, int, float, int]]:
    return [row for day in days for row in ((version, day, 1.0, right), (version, day, 0.0, wrong))]


def test_by_hand() -> None:
    """100 old items on one day, .9 right; 50 new ones on each of two days, .6 right."""
    (result,) = compare_versions(scores(*steady("v1", range(1), 90, 10), *steady("v2", range(1, 3), 30, 20)))
    s2 = 100 * 0.9 * 0.1 / 99
    V = s2 * (0.97 / 100 + 0.03) + s2 * (0.97 / 50 + 0.03) / 2
    assert (result.before, result.after) == pytest.approx((0.9, 0.6))
    assert result.difference == pytest.approx(-0.3)
    assert result.se == pytest.approx(V**0.5)
    assert result.e == pytest.approx(exp((0.1 * 0.3 - 0.005) / V))
    assert (result.n_before, result.n_after, result.decided_on) == (100, 100, START + timedelta(days=2))
    assert result.verdict is None or (result.e or 0) >= 40


@pytest.mark.parametrize(("right", "verdict"), [(12, "worse"), (16, None), (20, "better")])
def test_verdicts(right: int, verdict: str | None) -> None:
    rows = [*steady("v1", range(30), 16, 4), *steady("v2", range(30, 60), right, 20 - right)]
    (result,) = compare_versions(scores(*rows))
    assert result.verdict == verdict
    assert result.first_day == START + timedelta(days=30)
    assert result.to_json()["first_day"] == result.first_day.isoformat()
    assert result.decided_on > result.first_day
    if verdict is None:
        assert result.decided_on == START + timedelta(days=59)


def test_the_verdict_falls_on_the_first_day_on_which_the_evidence_reaches_40() -> None:
    table = scores(*steady("v1", range(60), 16, 4), *steady("v2", range(60, 200), 14, 6))
    (result,) = compare_versions(table)
    (before,) = compare_versions(table.filter(pl.col("day") < result.decided_on))
    assert (before.verdict, result.verdict) == (None, "worse")
    assert 30 < (before.e or 0) < 40 <= (result.e or 0) < 80


@pytest.mark.parametrize(("n_right", "reason"), [(39, "too_few_items"), (40, None)])
def test_fifty_items_of_the_old_version_are_enough(n_right: int, reason: str | None) -> None:
    (result,) = compare_versions(scores(*steady("v1", range(1), n_right, 10), *steady("v2", range(1, 3), 30, 20)))
    assert (result.n_before, result.reason) == (n_right + 10, reason)


def test_later_days_do_not_change_a_verdict() -> None:
    rows = [*steady("v1", range(30), 16, 4), *steady("v2", range(30, 60), 12, 8)]
    (full,) = compare_versions(scores(*rows))
    until = scores(*rows).filter(pl.col("day") <= full.decided_on)
    assert compare_versions(until) == (full,)
    # a late item of the old version counts from its own day on
    late = scores(*rows, ("v1", 59, 0.0, 500))
    assert compare_versions(late) == (full,)


def test_one_day_is_not_enough() -> None:
    (result,) = compare_versions(scores(*steady("v1", range(30), 16, 4), *steady("v2", range(30, 31), 0, 1000)))
    assert result.verdict is None
    assert result.e is not None
    assert result.e > 40


def test_order_of_rows_changes_nothing() -> None:
    table = scores(*steady("v1", range(30), 16, 4), *steady("v2", range(25, 60), 12, 8))
    assert compare_versions(table.sample(fraction=1, shuffle=True, seed=1)) == compare_versions(table)


def test_each_version_is_compared_with_the_one_before() -> None:
    rows = [*steady("v1", range(30), 16, 4), *steady("v3", range(30, 60), 16, 4), *steady("v2", range(60, 90), 12, 8)]
    result = compare_versions(pl.concat([scores(*rows, system="b"), scores(*rows[:40], system="a")]))
    names = [(version.system, version.old_version, version.version) for version in result]
    assert names == [("b", "v1", "v3"), ("b", "v3", "v2")]
    assert [version.verdict for version in result] == [None, "worse"]


def test_too_few_old_items() -> None:
    (result,) = compare_versions(scores(*steady("v1", range(2), 16, 4), *steady("v2", range(2, 20), 12, 8)))
    assert (result.verdict, result.e, result.reason, result.n_before) == (None, None, "too_few_items", 40)


def test_false_verdicts_are_rare() -> None:
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(100):
        right = rng.binomial(20, 0.8, 90)
        rows: list[Any] = []
        for day, n in enumerate(right.tolist()):
            rows += steady("v1" if day < 40 else "v2", range(day, day + 1), n, 20 - n)
        wrong += compare_versions(scores(*rows))[0].verdict is not None
    assert wrong <= 7


def test_a_new_version_that_answers_old_items_again_is_not_the_older_one() -> None:
    """v2 began to answer after v1, and answered the items of v1's first days again."""
    table = scores(*steady("v2", range(30), 18, 2), *steady("v1", range(30, 60), 12, 8))
    (by_day,) = compare_versions(table)
    assert (by_day.old_version, by_day.version, by_day.verdict) == ("v2", "v1", "worse")
    times = {("bot", "v1"): datetime(2026, 1, 5), ("bot", "v2"): datetime(2026, 4, 1)}
    (result,) = compare_versions(table, times)
    assert (result.old_version, result.version, result.verdict, result.reason) == ("v1", "v2", None, "too_few_items")
    later = scores(
        *steady("v2", range(30), 18, 2), *steady("v1", range(30, 60), 12, 8), *steady("v2", range(60, 90), 18, 2)
    )
    (result,) = compare_versions(later, times)
    assert (result.old_version, result.version, result.verdict) == ("v1", "v2", "better")
    assert compare_versions(table, {("bot", "v1"): times["bot", "v1"]}) == (by_day,)
