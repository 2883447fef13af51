"""A system against its raters: coverage by simulation, the figures of the fit, and where it is undefined."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.accuracy import accuracy, better_than_raters
from stats.accuracy.comparison.contrast import ContrastFit, answered_counts
from stats.accuracy.fitting.likelihood import data_of, solve
from stats.accuracy.models.one_coin import MODEL as ONE_COIN
from stats.accuracy.models.rater_coins import EVEN as RATER_COINS
from stats.accuracy.system_patterns import patterns_by_rater, tables
from stats.errors import StatsError
from stats.reasons import REASONS
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = list("ABCDE")
FIGURES = ["accuracy", "rater_accuracy", "difference", "se", "low", "high", "p_system_better"]


def world_of(rng: np.random.Generator, n_items: int, right: tuple[float, ...], system: float = 0.7) -> pl.DataFrame:
    raters = {f"r{number}": accuracy for number, accuracy in enumerate(right)}
    return simulate_ratings(n_items=n_items, labels=LABELS, raters=raters, systems={"bot": system}, rng=rng).drop(
        "truth"
    )


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng, held, best = np.random.default_rng(3), [], []
    for _ in range(40):
        rows = better_than_raters(world_of(rng, 200, (0.5, 0.6, 0.7)), systems=["bot"], labels=LABELS, confidence=0.9)
        average, top = rows.rows(named=True)
        held.append(average["low"] <= 0.1 <= average["high"])
        best.append(top["low"] <= 0.0 <= top["high"])
    assert 0.8 <= np.mean(held) <= 1
    assert 0.8 <= np.mean(best) <= 1


def test_many_items_settle_it() -> None:
    rng = np.random.default_rng(1)
    ratings = world_of(rng, 4000, (0.5, 0.6, 0.8))
    average, best = better_than_raters(ratings, systems=["bot"], labels=LABELS).rows(named=True)
    assert (average["compared_with"], average["rater"]) == ("average_rater", None)
    assert (best["compared_with"], best["rater"]) == ("best_rater", "r2")
    assert average["difference"] == pytest.approx(0.7 - 1.9 / 3, abs=0.03)
    assert best["difference"] == pytest.approx(-0.1, abs=0.03)
    assert average["p_system_better"] > 0.99
    assert best["p_system_better"] < 0.01
    assert average["n_items"] == 4000


def test_the_best_of_many_is_not_best_by_luck() -> None:
    """60 equal raters of 40 items each: the best looks right in nearly all, and is right in .8 like all others."""
    rng, n, k = np.random.default_rng(9), 600, 4
    truth = rng.integers(0, k, n)
    rows = [(f"i{i}", "bot", LABELS[truth[i] if rng.random() < 0.8 else (truth[i] + 1) % k]) for i in range(n)]
    for i in range(n):
        for rater in (i + np.arange(0, 60, 15)) % 60:
            rows.append((f"i{i}", f"r{rater}", LABELS[truth[i] if rng.random() < 0.8 else (truth[i] + 2) % k]))
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    best = better_than_raters(ratings, systems=["bot"], labels=LABELS[:k], confidence=0.9).row(1, named=True)
    assert best["rater_accuracy"] < 0.87
    assert best["low"] < 0 < best["high"]
    assert any("hardly more than chance" in note for note in best["warnings"])


def test_the_accuracy_is_the_one_of_average() -> None:
    ratings = world_of(np.random.default_rng(2), 150, (0.6, 0.6, 0.7))
    alone = accuracy(ratings, systems=["bot"], labels=LABELS, methods=["average"])["accuracy"][0]
    row = better_than_raters(ratings, systems=["bot"], labels=LABELS).row(0, named=True)
    assert row["accuracy"] == pytest.approx(alone, abs=1e-9)
    assert row["difference"] == pytest.approx(row["accuracy"] - row["rater_accuracy"], abs=1e-12)


def test_one_coin_gives_the_coins_of_its_fit() -> None:
    ratings = world_of(np.random.default_rng(4), 300, (0.6, 0.6, 0.6))
    patterns = patterns_by_rater(tables(ratings, systems=["bot"], labels=LABELS)["bot"], "bot")
    data = data_of(patterns)
    pooled = ContrastFit(ONE_COIN, data, answered_counts(ONE_COIN, data))
    Phi = solve(ONE_COIN, data).Phi[0]
    assert pooled.rater_accuracy(None) == pytest.approx(np.exp(Phi[0, 1]), abs=1e-3)
    assert pooled.system_accuracy == pytest.approx(np.exp(Phi[0, 6]), abs=1e-3)
    named = ContrastFit(RATER_COINS, data, answered_counts(RATER_COINS, data))
    chances = np.exp(solve(RATER_COINS, data).Phi[0][0, [1, 6, 11]])
    results = [named.rater_accuracy(rater) for rater in range(3)]
    assert results == pytest.approx(chances.tolist(), abs=0.005)
    assert named.ratings.tolist() == [300] * 3
    assert np.mean(results) == pytest.approx(named.rater_accuracy(None), abs=1e-3)


def test_only_the_items_that_the_system_answered() -> None:
    ratings = world_of(np.random.default_rng(5), 300, (0.6, 0.6, 0.7))
    late = pl.col("item").cast(pl.Int64) > 100
    less = ratings.filter(~(late & (pl.col("rater") == "bot")))
    average, best = better_than_raters(less, systems=["bot"], labels=LABELS).rows(named=True)
    assert average["n_items"] == best["n_items"] == 100
    assert best["low"] < best["difference"] < best["high"]


def test_undefined(frame: Frame) -> None:
    rows = better_than_raters(frame(*["ABA", "BAB"] * 20, raters=["a", "b", "bot"]), systems=["bot"], labels=["A", "B"])
    assert rows["reason"].to_list() == ["not_identified"] * 2
    assert rows["difference"].null_count() == 2
    few = frame(*["AAA", "BBB", "ABA"] * 6, raters=["a", "b", "bot"])
    average, best = better_than_raters(few, systems=["bot"], labels=["A", "B"]).rows(named=True)
    assert average["difference"] is not None
    assert (best["difference"], best["reason"]) == (None, "too_few_items")
    two = frame(*["AAA", "BBB", "ABA"] * 20, raters=["a", "b", "bot"])  # with 60 ratings each
    best = better_than_raters(two, systems=["bot"], labels=["A", "B"]).row(1, named=True)
    assert (best["reason"], best["detail"].startswith("No rater has an accuracy.")) == ("too_few_raters", True)
    with pytest.raises(StatsError):
        better_than_raters(few, systems=["nobody"], labels=["A", "B"])
    assert {"not_identified", "too_few_items"} <= set(REASONS)


def one_label_world(rng: np.random.Generator, n_items: int) -> pl.DataFrame:
    """Simulate three raters and a system that says A to everything, right in .8."""
    raters, first = {"r0": 0.75, "r1": 0.8, "r2": 0.85}, rng.random(n_items) < 0.8
    rows = [(str(i), "bot", "A") for i in range(n_items)]
    for rater, right in raters.items():
        text = (rng.random(n_items) < right) == first
        rows += [(str(i), rater, "A" if a else "B") for i, a in enumerate(text)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def test_a_comparison_is_no_surer_than_the_two_accuracies() -> None:
    """Nothing is known of a system of one label: its interval is nearly [0, 1], and no comparison may be a verdict."""
    rng, held, unknown = np.random.default_rng(3), [], 0
    for _ in range(20):
        ratings = one_label_world(rng, 200)
        alone = accuracy(ratings, systems=["bot"], labels=["A", "B"], methods=["average"]).row(0, named=True)
        best = better_than_raters(ratings, systems=["bot"], labels=["A", "B"]).row(1, named=True)
        held.append(best["low"] <= 0.8 - 0.85 <= best["high"])
        if alone["high"] - alone["low"] > 0.9:
            unknown += 1
            assert best["low"] < 0 < best["high"]
            assert best["high"] - best["low"] > 0.5
            assert 0.025 <= best["p_system_better"] <= 0.975
    assert unknown >= 5
    assert np.mean(held) >= 0.9


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_order_and_names_change_nothing(random: Any) -> None:
    ratings = world_of(np.random.default_rng(6), 60, (0.6, 0.65, 0.8))
    order = list(range(ratings.height))
    random.shuffle(order)
    renamed = ratings[order].with_columns(rater=pl.col("rater").replace({"r0": "x", "r1": "a", "r2": "m"}))
    result, other = (better_than_raters(each, systems=["bot"], labels=LABELS) for each in (ratings, renamed))
    for name in FIGURES:
        assert result[name].to_list() == pytest.approx(other[name].to_list(), abs=1e-3)
    assert (result["rater"][1], other["rater"][1]) == ("r2", "m")
