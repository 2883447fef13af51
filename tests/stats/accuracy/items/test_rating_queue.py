"""Which items are worth another rating: against enumeration, against consensus, and by what more ratings do."""

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats import accuracy as public
from stats.accuracy import consensus
from stats.accuracy.estimators import lehner
from stats.errors import StatsError
from stats.reasons import REASONS
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = ["A", "B", "C"]
rating_queue = partial(public.rating_queue, method="lehner")
ITEMS = ["AAA", "AAB", "ABC", "BBB", "BC-", "CCC", "A--", "CCA", "BBA", "AAA"]


def bits(p: np.ndarray) -> float:
    return float(-sum(x * np.log2(x) for x in p if x > 0))


def test_gain_and_rise_by_enumeration(frame: Frame) -> None:
    """Each label that one more rater might give is added, and the posterior computed anew."""
    ratings = frame(*ITEMS)
    result = rating_queue(ratings, labels=LABELS)
    counts = {f"i{number:03}": np.array([[labels.count(x) for x in LABELS]]) for number, labels in enumerate(ITEMS)}
    C = np.concatenate(list(counts.values()))
    raters = lehner.rater_figures(C, np.ones((1, len(C))))
    P_c = float(raters.P_c[0])
    for row in result.iter_rows(named=True):
        before = lehner.posterior(counts[row["item"]], raters)[0, 0]
        gain, top = bits(before), 0.0
        for y in range(3):
            chance = sum(before[z] * (P_c if z == y else (1 - P_c) / 2) for z in range(3))
            after = lehner.posterior(counts[row["item"]] + (np.arange(3) == y), raters)[0, 0]
            gain -= chance * bits(after)
            top += chance * after.max()
        assert row["expected_gain"] == pytest.approx(gain, abs=1e-9)
        assert row["expected_rise"] == pytest.approx(top - before.max(), abs=1e-9)
        assert 0 <= row["expected_gain"] <= row["entropy"]
    assert result["expected_gain"].is_sorted(descending=True)


@pytest.mark.parametrize("method", ["mixture", "glad", "dawid_skene", "lehner"])
def test_the_same_posterior_as_consensus(frame: Frame, method: str) -> None:
    ratings = frame(*ITEMS)
    columns = ["item", "label", "probability", "entropy", "n_ratings", "method"]
    queue = public.rating_queue(ratings, labels=LABELS, method=method)
    assert (queue["expected_gain"] <= queue["entropy"]).all()
    result, other = (each.select(columns).sort("item") for each in (
        queue, consensus(ratings, labels=LABELS, method=method)))  # fmt: skip
    for name in columns:
        pair = result[name].to_list(), other[name].to_list()
        assert pair[0] == (pytest.approx(pair[1]) if name in ("probability", "entropy") else pair[1])


def test_the_gain_counts_a_rating_in_full_and_the_mixture_for_less() -> None:
    """Each item gets one more rating: how much doubt is gone, and how much was expected to go?"""
    names = dict.fromkeys("abcd", 0.75)
    world = simulate_ratings(n_items=400, labels=LABELS, raters=names, systems={}, rng=np.random.default_rng(5))
    world = world.drop("truth")
    shares = {}
    for method in ("dawid_skene", "mixture"):
        before, after = (
            public.rating_queue(rows, labels=LABELS, method=method).sort("item")
            for rows in (world.filter(pl.col("rater") != "d"), world)
        )
        shares[method] = (before["entropy"] - after["entropy"]).sum() / before["expected_gain"].sum()
    assert shares["dawid_skene"] == pytest.approx(1, abs=0.3)
    assert 0 < shares["mixture"] < 0.7


def test_agreement_gains_little_and_certainty_nothing(frame: Frame) -> None:
    result = rating_queue(frame(*["AAA", "BBB", "AAA", "AAB"] * 4), labels=["A", "B"])
    disputed = result.filter(pl.col("item").is_in(["i003", "i007", "i011", "i015"]))["expected_gain"]
    assert disputed.min() > 2 * result.tail(12)["expected_gain"].max()  # type: ignore[operator]
    sure = rating_queue(frame(*["AA", "BB"] * 4), labels=["A", "B"])
    assert sure["expected_gain"].to_list() == pytest.approx([0.0] * 8, abs=1e-9)
    assert sure["item"].to_list() == sorted(sure["item"])


def test_undefined_is_null_with_a_reason(frame: Frame) -> None:
    for items, reason in ((["A", "B"], "zero_denominator"), (["AB", "BA"], "not_identified")):
        result = rating_queue(frame(*items), labels=["A", "B"])
        assert result["reason"].to_list() == [reason] * 2
        assert reason in REASONS
        figures = result.select("probability", "entropy", "expected_gain", "expected_rise")
        assert figures.null_count().row(0) == (2, 2, 2, 2)
        assert result["label"].null_count() == 0
    with pytest.raises(StatsError, match="limit"):
        rating_queue(frame("AB"), labels=["A", "B"], limit=0)
    assert rating_queue(frame("AA", "BB").clear(), labels=["A", "B"]).is_empty()


def test_limit_keeps_the_first() -> None:
    rng = np.random.default_rng(3)
    ratings = simulate_ratings(n_items=300, labels=list("ABCDE"), raters=dict.fromkeys("abc", 0.7), systems={}, rng=rng)
    everything = rating_queue(ratings.drop("truth"), labels=list("ABCDE"))
    for limit in (1, 50, 1000):
        assert rating_queue(ratings.drop("truth"), labels=list("ABCDE"), limit=limit).equals(everything.head(limit))


def test_many_labels_and_raters(frame: Frame) -> None:
    """Counts that need several key words are joined to their items all the same."""
    labels = [f"l{j:02}" for j in range(50)]
    rng = np.random.default_rng(0)
    rows = [(f"i{i:03}", f"r{j}", labels[i % 50 if rng.random() < 0.7 else rng.integers(50)])
            for i, j in product(range(120), range(9))]  # fmt: skip
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    result, other = (
        rating_queue(ratings, labels=labels).sort("item"),
        consensus(ratings, labels=labels, method="lehner"),
    )
    assert result["label"].to_list() == other["label"].to_list()
    assert result["n_ratings"].to_list() == [9] * 120
    assert result["entropy"].to_list() == pytest.approx(other["entropy"].to_list())


@settings(max_examples=20)
@given(st.permutations(range(30)), st.permutations(LABELS))
def test_order_changes_nothing(order: list[int], labels: list[str]) -> None:
    rows = [(f"i{i}", f"r{j}", "ABCABBAAC"[(i * i + j * (i % 3)) % 9]) for i in range(10) for j in range(3)]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    result, other = rating_queue(ratings, labels=LABELS), rating_queue(ratings[list(order)], labels=labels)
    columns = ["item", "n_ratings"]
    assert result.select(columns).equals(other.select(columns))
    assert result["expected_gain"].to_list() == pytest.approx(other["expected_gain"].to_list(), abs=1e-9)


def test_rating_the_top_of_the_queue_helps_more_than_rating_any_items() -> None:
    """100 further ratings for 400 items: how often is the consensus right, with the queue's items and with random
    ones?"""
    labels, names = list("ABCDE"), ["a", "b", "c", "d"]
    rng, gain = np.random.default_rng(11), []
    for _ in range(20):
        world = simulate_ratings(n_items=400, labels=labels, raters=dict.fromkeys(names, 0.65), systems={}, rng=rng)
        truth = dict(world.select("item", "truth").unique().rows())
        first = world.filter(pl.col("rater") != "d").drop("truth")
        further = world.filter(pl.col("rater") == "d").drop("truth")
        chosen = rating_queue(first, labels=labels, limit=100)["item"].to_list()
        anyone = rng.permutation(list(truth))[:100].tolist()
        right = []
        for items in (chosen, anyone):
            result = consensus(pl.concat([first, further.filter(pl.col("item").is_in(items))]), labels=labels)
            right.append(np.mean([truth[item] == label for item, label in result.select("item", "label").rows()]))
        gain.append(right[0] - right[1])
    assert np.mean(gain) > 4 * np.std(gain) / len(gain) ** 0.5
    assert np.mean(gain) > 0.02
