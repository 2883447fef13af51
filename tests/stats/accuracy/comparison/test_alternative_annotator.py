"""The alternative annotator test: a case by hand, a slow implementation with scipy's tests, and what never matters."""

from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp

from stats.accuracy import alternative_annotator_raters, alternative_annotator_test
from stats.errors import StatsError

SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String}
Rows = list[tuple[str, str, str]]


def frame_of(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def by_hand() -> pl.DataFrame:
    """40 items, all A, but rater c says B on 10 of them and the system on 5 others."""
    rows = [(f"i{i}", rater, "A") for i in range(40) for rater in ("a", "b")]
    rows += [(f"i{i}", "c", "B" if i < 10 else "A") for i in range(40)]
    return frame_of(rows + [(f"i{i}", "bot", "B" if i >= 35 else "A") for i in range(40)])


def test_a_case_by_hand() -> None:
    """Against a and b the system loses 5 items and wins none: mean .125, variance (5 - 40/64)/39, t = -1.4162. Against
    c it wins 10 and loses 5: mean -.125, variance (15 - 40/64)/39, t = -3.3856. With three raters the smallest p-value
    must be at most .05 / (3 (1 + 1/2 + 1/3)) = .0091: only c is beaten."""
    result = alternative_annotator_raters(by_hand(), systems=["bot"], labels=["A", "B"])
    assert result["rater"].to_list() == ["a", "b", "c"]
    assert result["n_items"].to_list() == [40, 40, 40]
    assert result["statistic"].to_list() == pytest.approx([-1.4162, -1.4162, -3.3856], abs=5e-5)
    assert result["p_value"].to_list() == pytest.approx([0.0823, 0.0823, 0.0008], abs=5e-5)
    assert result["system_advantage"].to_list() == [0.875] * 3
    assert result["rater_advantage"].to_list() == [1.0, 1.0, 0.75]
    assert result["system_wins"].to_list() == [False, False, True]
    (row,) = alternative_annotator_test(by_hand(), systems=["bot"], labels=["A", "B"]).rows(named=True)
    assert row["winning_rate"] == pytest.approx(1 / 3)
    assert row["advantage_probability"] == pytest.approx(0.875)
    assert (row["n_raters"], row["passes"], row["reason"]) == (3, False, None)


def slow(rows: Rows, system: str, epsilon: float, alpha: float, min_items: int) -> tuple[float, float, int] | None:
    """The procedure item by item, as the paper words it."""
    given: dict[str, dict[str, str]] = defaultdict(dict)
    for item, rater, label in rows:
        given[rater][item] = label
    machine = given.pop(system)
    p_values, rho = [], []
    for rater, own in given.items():
        d, wins = [], []
        for item, label in own.items():
            others = [answers[item] for name, answers in given.items() if name != rater and item in answers]
            if others and item in machine:
                of_system, of_rater = (np.mean([x == other for other in others]) for x in (machine[item], label))
                d.append(float(of_rater >= of_system) - float(of_system >= of_rater))
                wins.append(float(of_system >= of_rater))
        if len(d) >= min_items:
            flat = np.ptp(d) == 0
            p = float(d[0] >= epsilon) if flat else ttest_1samp(d, epsilon, alternative="less").pvalue
            p_values.append(p)
            rho.append(np.mean(wins))
    if not rho:
        return None
    beaten = false_discovery_control(p_values, method="by") <= alpha
    return float(beaten.mean()), float(np.mean(rho)), len(rho)


@pytest.mark.parametrize("seed", range(12))
def test_as_a_slow_implementation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, r, k = 60, int(rng.integers(2, 6)), int(rng.integers(2, 5))
    truth = rng.integers(0, k, n)
    rows = []
    for rater in [*(f"r{j}" for j in range(r)), "bot"]:
        right, there = rng.random(n) < rng.uniform(0.5, 0.95), rng.random(n) < 0.85
        label = np.where(right, truth, rng.integers(0, k, n))
        rows += [(f"i{i}", rater, "ABCD"[label[i]]) for i in range(n) if there[i]]
    for epsilon in (0.0, 0.2):
        (result,) = alternative_annotator_test(
            frame_of(rows), systems=["bot"], labels=list("ABCD"), epsilon=epsilon, alpha=0.1, min_items=40
        ).rows(named=True)
        expected = slow(rows, "bot", epsilon, 0.1, 40)
        if expected is None:
            assert (result["winning_rate"], result["reason"]) == (None, "too_few_items")
        else:
            figures = (result["winning_rate"], result["advantage_probability"], result["n_raters"])
            assert figures == pytest.approx(expected)
            assert result["passes"] == (expected[0] >= 0.5)


def test_too_few_items() -> None:
    ratings = by_hand()
    (row,) = alternative_annotator_test(ratings, systems=["bot"], labels=["A", "B"], min_items=41).rows(named=True)
    assert (row["winning_rate"], row["passes"], row["n_raters"], row["reason"]) == (None, None, 0, "too_few_items")
    assert row["detail"].startswith("No rater has 41 items")
    raters = alternative_annotator_raters(ratings, systems=["bot"], labels=["A", "B"], min_items=41)
    assert raters["p_value"].null_count() == raters["statistic"].null_count() == 3


def test_raters_who_guess_show_nothing() -> None:
    """A system that guesses is as close to raters who guess as they are to each other. That is no reason to take it."""
    rng = np.random.default_rng(1)
    rows = [(f"i{i}", rater, "ABC"[rng.integers(3)]) for i in range(60) for rater in ("a", "b", "c", "bot")]
    (row,) = alternative_annotator_test(frame_of(rows), systems=["bot"], labels=["A", "B", "C"]).rows(named=True)
    assert (row["winning_rate"], row["passes"], row["reason"]) == (None, None, "not_identified")
    assert row["detail"].startswith("The raters do not surely agree better than chance.")


def test_other_systems_change_nothing() -> None:
    other = by_hand().filter(pl.col("rater") == "a").with_columns(rater=pl.lit("bot 2"))
    both = pl.concat([by_hand(), other])
    result = alternative_annotator_test(both, systems=["bot 2", "bot"], labels=["A", "B"])
    assert result["system"].to_list() == ["bot 2", "bot"]
    assert result.tail(1).equals(alternative_annotator_test(by_hand(), systems=["bot"], labels=["A", "B"]))
    assert result["passes"].to_list() == [True, False]


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_order_and_names_change_nothing(random: Any) -> None:
    ratings, order = by_hand(), list(range(160))
    random.shuffle(order)
    renamed = ratings[order].with_columns(rater=pl.col("rater").replace({"a": "z", "c": "0"}))
    result, other = (alternative_annotator_test(each, systems=["bot"], labels=labels)
                     for each, labels in ((ratings, ["A", "B"]), (renamed, ["B", "A"])))  # fmt: skip
    assert result.equals(other)


@pytest.mark.parametrize("bad", [{"epsilon": 1.0}, {"epsilon": -0.1}, {"alpha": 0.0}, {"min_items": 1}])
def test_bad_settings(bad: dict[str, Any]) -> None:
    with pytest.raises(StatsError):
        alternative_annotator_test(by_hand(), systems=["bot"], labels=["A", "B"], **bad)
