"""Raters one at a time: against the slow way, against the truth, and where it is undefined."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from stats.accuracy import rater_quality
from stats.errors import StatsError
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]


def test_each_rater_has_a_row_in_bounds(table2: pl.DataFrame) -> None:
    result = rater_quality(table2.filter(pl.col("rater") != "system"), labels=["A", "B", "C", "D"])
    assert " ".join(result.columns) == "rater n_ratings accuracy low high agreement_with_others reason detail n_gold"
    for row in result.iter_rows(named=True):
        assert 0 <= row["low"] <= row["accuracy"] <= row["high"] <= 1
        assert (row["n_ratings"], row["n_gold"]) == (10, 0)


def test_missing_ratings_and_uneven_raters(frame: Frame) -> None:
    ratings = frame(*["AAA-", "BB-B", "CC--", "A-CA", "-BBB", "C-C-", "BBBB", "A---"] * 3)
    result = rater_quality(ratings, labels=["A", "B", "C"])
    assert result["accuracy"].null_count() == 0
    # r2 is the one who disagrees
    assert result.sort("accuracy")["rater"][0] == "r2"
    # r3: BB-B agrees with 2 of 2, A-CA with 1 of 2, -BBB with 2 of 2, BBBB with 3 of 3
    assert result.filter(pl.col("rater") == "r3")["agreement_with_others"][0] == pytest.approx(8 / 9)
    assert result["n_ratings"].to_list() == [21, 15, 15, 12]


@pytest.mark.parametrize("n_raters", [3, 30])
def test_accuracy_is_recovered(n_raters: int) -> None:
    right = {f"r{j:02}": 0.5 + 0.4 * (j % 3) / 2 for j in range(n_raters)}
    rng = np.random.default_rng(n_raters)
    world = simulate_ratings(
        n_items=3000, labels=list("ABCD"), raters=right, systems={}, rng=rng, base_rates=[0.4, 0.3, 0.2, 0.1]
    )
    result = rater_quality(world.drop("truth"), labels=list("ABCD"))
    estimates = dict(result.select("rater", "accuracy").rows())
    assert all(abs(estimates[name] - right[name]) < 0.06 for name in right)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng, held = np.random.default_rng(8), []
    for _ in range(80):
        raters = dict.fromkeys("abcd", 0.6)
        world = simulate_ratings(n_items=200, labels=list("ABCDE"), raters=raters, systems={}, rng=rng)
        result = rater_quality(world.drop("truth"), labels=list("ABCDE"), confidence=0.9)
        held += ((result["low"] <= 0.6) & (result["high"] >= 0.6)).to_list()
    assert 0.85 < np.mean(held) < 0.99


@pytest.mark.parametrize(
    ("items", "rater", "reason", "agreement"),
    [
        (["AA", "BB", "AB"], "r0", "too_few_raters", 2 / 3),
        (["A", "B"], "r0", "too_few_raters", None),
        (["AAA-", "BBB-", "---A"], "r3", "too_few_items", None),
        (["AA-", "B-B", "AA-"], "r0", "zero_denominator", 1),
        (["AAB", "BAB", "BBA", "AAB"], "r0", "not_identified", 0.5),
    ],
)
def test_undefined_is_null_with_a_reason(
    frame: Frame, items: list[str], rater: str, reason: str, agreement: float | None
) -> None:
    result = rater_quality(frame(*items), labels=["A", "B"]).filter(pl.col("rater") == rater).row(0, named=True)
    assert result["accuracy"] is result["low"] is result["high"] is None
    assert result["reason"] == reason
    assert result["agreement_with_others"] == (None if agreement is None else pytest.approx(agreement))


def test_bad_requests_are_refused(frame: Frame) -> None:
    with pytest.raises(StatsError, match="Confidence"):
        rater_quality(frame("AA"), labels=["A", "B"], confidence=1.0)
    with pytest.raises(StatsError, match="two declared labels"):
        rater_quality(frame("AA"), labels=["A"])
    with pytest.raises(StatsError, match="r0"):
        rater_quality(pl.concat([frame("AA"), frame("AA")]), labels=["A", "B"])


def test_nobody_rated_and_nobody_is_listed() -> None:
    nobody = pl.DataFrame(schema={"item": pl.String, "rater": pl.String, "label": pl.String})
    assert rater_quality(nobody, labels=["A", "B"]).is_empty()
