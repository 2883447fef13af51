"""Agreement and bias of a rater beside the others: by hand, against by_rater, and by simulation."""

import numpy as np
import polars as pl
import pytest

from stats.agreement.breakdowns.by_rater import by_rater
from stats.agreement.scorecard.against_others import against_others

LABELS = ["A", "B", "C"]


def simulated(seed: int, n_items: int = 60, lazy: float = 0.0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n_items)
    rows = []
    for rater in range(5):
        for item in np.flatnonzero(rng.random(n_items) < 0.7):
            label = truth[item] if rng.random() < 0.7 else rng.integers(3)
            label = 0 if rater == 0 and rng.random() < lazy else label
            rows.append((str(item), f"r{rater}", LABELS[label]))
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def test_the_agreement_is_that_of_by_rater() -> None:
    ratings = simulated(1)
    result, expected = against_others(ratings, labels=LABELS).agreement, by_rater(ratings, labels=LABELS)
    assert result["agreement"].to_list() == pytest.approx(expected["agreement_with_others"].to_list())
    assert result.select("n_ratings", "n_items").rows() == expected.select("n_ratings", "n_items").rows()
    assert (result["low"] < result["agreement"]).all()
    assert (result["agreement"] < result["high"]).all()


def test_the_biases_of_a_rater_sum_to_0_and_counted_items_are_as_good_as_single_ones() -> None:
    ratings = simulated(2)
    bias = against_others(ratings, labels=LABELS).bias
    assert bias.group_by("rater").agg(pl.col("bias").sum())["bias"].to_list() == pytest.approx([0] * 5, abs=1e-12)
    twice = pl.concat([ratings, ratings.with_columns(pl.format("x{}", "item").alias("item"))])
    counted = against_others(ratings.with_columns(n_items=2), labels=LABELS)
    for name in ("agreement", "bias"):
        result, other = (getattr(each, name) for each in (counted, against_others(twice, labels=LABELS)))
        assert result.select(pl.col(pl.Float64)).to_numpy() == pytest.approx(
            other.select(pl.col(pl.Float64)).to_numpy()
        )


def test_the_intervals_hold_the_true_value() -> None:
    """A rater who answers A in 30 % of the items: the bias is .2, the agreement that of 4,000 items."""
    large = against_others(simulated(0, 4000, 0.3), labels=LABELS)
    truth = large.agreement.filter(rater="r0")["agreement"][0]
    held = np.zeros(2)
    for seed in range(200):
        result = against_others(simulated(seed + 1, 60, 0.3), labels=LABELS)
        whole, label = result.agreement.row(0, named=True), result.bias.filter(rater="r0", label="A").row(0, named=True)
        held += [whole["low"] <= truth <= whole["high"], label["low"] <= 0.2 <= label["high"]]
    assert (np.abs(held / 200 - 0.95) < 0.04).all(), held


def test_full_agreement_of_few_items_is_not_proven_and_one_item_is_too_few() -> None:
    rows = [("1", "x", "A"), ("1", "y", "A"), ("2", "x", "A"), ("2", "y", "A"), ("3", "z", "A"), ("3", "x", "A")]
    result = against_others(pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"), labels=LABELS)
    x = result.agreement.row(0, named=True)
    assert (x["agreement"], x["high"]) == (1, 1)
    assert x["low"] == pytest.approx(3 / (3 + 1.959964**2), abs=1e-6)  # Wilson, 3 of 3
    assert result.agreement.row(2, named=True)["reason"] == "too_few_items"
    assert result.bias.filter(rater="z")["bias"].null_count() == 3
    alone = against_others(pl.DataFrame(rows[:1], schema=["item", "rater", "label"], orient="row"), labels=LABELS)
    assert alone.agreement["reason"].to_list() == ["too_few_raters"]
