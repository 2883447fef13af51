"""Summary and consensus of the human raters."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import consensus, summary
from stats.errors import StatsError
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = ["A", "B", "C", "D"]
RATES = [0.4, 0.3, 0.2, 0.1]


@pytest.fixture(scope="module")
def experts(table2: pl.DataFrame) -> pl.DataFrame:
    return table2.filter(pl.col("rater") != "system")


def test_summary_of_table_2(experts: pl.DataFrame, lehner_facts: dict[str, Any]) -> None:
    found, facts = summary(experts, labels=LABELS), lehner_facts["table2"]
    assert found.kappa == pytest.approx(facts["kappa"], abs=5e-5)
    assert found.rater_accuracy == pytest.approx(facts["rater_accuracy"], abs=1e-12)
    assert found.base_rates == pytest.approx(dict(zip(LABELS, facts["base_rates"], strict=True)), abs=1e-12)
    assert (found.n_items, found.reason, found.detail) == (10, None, None)


def test_consensus_of_table_2(experts: pl.DataFrame, lehner_facts: dict[str, Any]) -> None:
    found, facts = consensus(experts, labels=LABELS), lehner_facts["table3"]
    assert found.columns == ["item", "label", "probability", "entropy", "n_ratings"]
    assert "".join(found["label"]) == facts["top"]
    assert found["probability"].to_list() == pytest.approx([max(row) for row in facts["posterior"]], abs=5.1e-4)
    P = np.array(facts["posterior"])
    assert found["entropy"].to_list() == pytest.approx(list(-(P * np.log2(P)).sum(axis=1)), abs=0.01)
    assert found["n_ratings"].to_list() == [4] * 10


def test_agreement_below_chance_has_a_kappa_but_no_accuracy(frame: Frame) -> None:
    found = summary(frame("AB", "BA", "AB"), labels=["A", "B"])
    assert found.kappa == pytest.approx(-1)
    assert (found.rater_accuracy, found.base_rates) == (None, None)
    assert found.reason == "not_identified"
    assert found.detail is not None


def test_a_single_rater_has_neither(frame: Frame) -> None:
    found = summary(frame("A", "B"), labels=["A", "B"])
    assert (found.kappa, found.rater_accuracy, found.reason) == (None, None, "zero_denominator")


def test_without_accuracy_the_consensus_is_the_majority(frame: Frame) -> None:
    found = consensus(frame("BAA", "ABB", "CBA", "ABC"), labels=["C", "B", "A"])
    assert found["label"].to_list() == ["A", "B", "C", "C"]  # ties go to the first declared label
    assert found["probability"].null_count() == found["entropy"].null_count() == 4


def test_raters_who_always_agree_are_certain(frame: Frame) -> None:
    found = consensus(frame("AAA", "BBB", "B--"), labels=["A", "B"])
    assert found["probability"].to_list() == pytest.approx([1, 1, 1])
    assert found["entropy"].to_list() == pytest.approx([0, 0, 0], abs=1e-9)
    assert found["n_ratings"].to_list() == [3, 3, 1]


def test_order_of_declaration_decides_ties(frame: Frame) -> None:
    ratings = frame(*["AA", "BB"] * 4, "AB", "BA")
    for labels in (["A", "B"], ["B", "A"]):
        found = consensus(ratings, labels=labels)
        assert found["label"].to_list()[-2:] == [labels[0]] * 2
        assert found["probability"].to_list()[-2:] == pytest.approx([0.5, 0.5])


def test_probabilities_are_calibrated_when_the_assumptions_hold() -> None:
    rng = np.random.default_rng(3)
    world = simulate_ratings(
        n_items=4000, labels=LABELS, raters=dict.fromkeys("abc", 0.6), systems={}, rng=rng, base_rates=RATES
    )
    truth = world.select("item", "truth").unique()
    found = consensus(world.drop("truth"), labels=LABELS).join(truth, on="item")
    by_bin = found.group_by(bin=(pl.col("probability") * 5).floor()).agg(
        pl.col("probability").mean(), right=(pl.col("label") == pl.col("truth")).mean(), n=pl.len()
    )
    large = by_bin.filter(pl.col("n") > 200)
    assert large.height >= 2
    assert (large["probability"] - large["right"]).abs().max() < 0.05  # type: ignore[operator]


def test_fewer_than_two_labels_are_refused(experts: pl.DataFrame) -> None:
    with pytest.raises(StatsError, match="two declared labels"):
        summary(experts, labels=["A"])
