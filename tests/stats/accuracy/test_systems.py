"""accuracy() and bins(): what a caller sees, and what is refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import ESTIMATORS, bins, summary
from stats.accuracy import accuracy as by_default
from stats.accuracy.estimators.lehner import replicate
from stats.accuracy.fitting.bootstrap import MAX_PATTERNS, deviations
from stats.accuracy.fitting.estimator import Estimator, SystemPatterns
from stats.accuracy.system_patterns import patterns_of, tables
from stats.errors import StatsError
from stats.reasons import REASONS
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = ["A", "B", "C", "D"]
accuracy = partial(by_default, methods=["lehner"])


def only(result: pl.DataFrame) -> dict[str, Any]:
    assert result.height == 1
    return result.row(0, named=True)


def sentence(row: dict[str, Any], words: str) -> str:
    """The one warning that contains these words."""
    results = [warning for warning in row["warnings"] if words in warning]
    assert len(results) == 1, row["warnings"]
    return str(results[0])


def test_table_2(table2: pl.DataFrame, lehner_facts: dict[str, Any]) -> None:
    row = only(accuracy(table2, systems=["system"], labels=LABELS))
    assert row["accuracy"] == pytest.approx(lehner_facts["table4"]["accuracy"], abs=5e-6)
    assert (row["system"], row["method"], row["n_items"], row["n_gold"]) == ("system", "lehner", 10, 0)
    assert row["low"] < row["accuracy"] < row["high"]
    assert row["se"] > 0
    assert row["reason"] is row["detail"] is row["spread_low"] is row["spread_high"] is None
    assert "kappa 0.111" in sentence(row, "agree little")
    assert "few items: 10 (" in sentence(row, "rests on")
    assert "64 to 84 %" in sentence(row, "The interval is too narrow, because a bootstrap")


def test_the_default_is_the_average_and_all_that_it_is_compared_with(table2: pl.DataFrame) -> None:
    named = ["average", "lehner", "binless", "attenuation", "one_coin", "pooled_free"]
    result = by_default(table2, systems=["system"], labels=LABELS)
    assert result["method"].to_list() == named
    assert by_default(table2, systems=["system"], labels=LABELS, scale="ordinal")["method"].to_list() == [
        *named,
        "ordinal",
    ]
    assert result["spread_low"].n_unique() == result["spread_high"].n_unique() == 1
    assert result["spread_low"][0] <= result["accuracy"].min() <= result["accuracy"].max() <= result["spread_high"][0]


def test_columns_are_the_public_ones(table2: pl.DataFrame) -> None:
    result = accuracy(table2, systems=["system"], labels=LABELS)
    named = "system method accuracy se low high outer_low outer_high spread_low spread_high n_items n_gold "
    named += "gold_origin reason detail warnings"
    assert result.columns == named.split()
    assert result.schema["warnings"] == pl.List(pl.String)
    table = bins(table2, systems=["system"], labels=LABELS)
    assert " ".join(table.columns) == "system bin_low bin_high mean_posterior n_items agreement estimate"


def test_bins_of_table_2(table2: pl.DataFrame, lehner_facts: dict[str, Any]) -> None:
    rows = bins(table2, systems=["system"], labels=LABELS).drop("system").rows()
    assert len(rows) == len(lehner_facts["table4"]["bins"])
    for row, right in zip(rows, lehner_facts["table4"]["bins"], strict=True):
        assert row == pytest.approx(tuple(right), abs=5.1e-4)


def test_a_named_system_never_counts_as_a_rater(table2: pl.DataFrame) -> None:
    other = table2.filter(pl.col("rater") == "e1").with_columns(rater=pl.lit("second"))
    both = accuracy(pl.concat([table2, other]), systems=["system", "second"], labels=LABELS)
    alone = accuracy(table2, systems=["system"], labels=LABELS)
    assert both["system"].to_list() == ["system", "second"]
    assert both.row(0) == alone.row(0)


def test_the_seed_decides_the_interval(table2: pl.DataFrame) -> None:
    def ask(seed: int) -> tuple[float, ...]:
        result = accuracy(table2, systems=["system"], labels=LABELS, seed=seed)
        return result.select("accuracy", "se", "low", "high").row(0)

    assert ask(1) == ask(1)
    assert ask(1)[0] == ask(2)[0]
    assert ask(1)[1] != ask(2)[1]


def test_more_confidence_is_wider(table2: pl.DataFrame) -> None:
    narrow, wide = (
        only(accuracy(table2, systems=["system"], labels=LABELS, confidence=level)) for level in (0.5, 0.99)
    )
    assert wide["low"] < narrow["low"]
    assert narrow["high"] < wide["high"]


def test_bootstrap_spread_is_that_of_samples_of_items() -> None:
    rng = np.random.default_rng(5)
    world = {"labels": LABELS, "raters": {"a": 0.7, "b": 0.7, "c": 0.7}, "systems": {"s": 0.8}, "rng": rng}
    rates = [0.4, 0.3, 0.2, 0.1]
    samples = [simulate_ratings(n_items=300, base_rates=rates, **world) for _ in range(40)]  # type: ignore[arg-type]
    result = pl.concat([accuracy(sample, systems=["s"], labels=LABELS) for sample in samples])
    spread = result["accuracy"].std()
    mean_se = result["se"].mean()
    assert isinstance(spread, float)
    assert isinstance(mean_se, float)
    # 40 samples know the standard deviation to within 11 %; the bootstrap is known to be narrow
    assert 0.65 < mean_se / spread < 1.35


def test_subsets_of_many_patterns_give_the_same_error() -> None:
    rng = np.random.default_rng(6)
    n = 3 * MAX_PATTERNS
    truth = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    raters = [np.where(rng.random(n) < 0.7, truth, rng.integers(0, 3, n)) for _ in range(4)]
    C = sum((labels[:, None] == np.arange(3)).astype(np.int64) for labels in raters)
    assert isinstance(C, np.ndarray)
    system = np.where(rng.random(n) < 0.8, truth, rng.integers(0, 3, n))
    apart = SystemPatterns(C, system, np.ones(n, np.int64))  # every item a pattern of its own: the little bootstraps
    rows, which = np.unique(np.column_stack([C, system]), axis=0, return_inverse=True)
    joined = SystemPatterns(rows[:, :3], rows[:, 3], np.bincount(which))
    split, whole = (deviations(patterns, replicate, seed=1).std() for patterns in (apart, joined))
    assert split == pytest.approx(whole, rel=0.2)


@pytest.mark.parametrize(
    ("items", "reason", "words"),
    [
        (["ABA", "BAB"], "not_identified", "no more than chance"),
        (["A-A", "-BB"], "zero_denominator", "two human ratings"),
        (["AA-", "BB-", "--A"], "too_few_items", "none of the items"),
    ],
)
def test_undefined_is_null_with_a_reason(frame: Frame, items: list[str], reason: str, words: str) -> None:
    ratings = frame(*items, raters=["a", "b", "s"])
    row = only(accuracy(ratings, systems=["s"], labels=["A", "B"]))
    assert row["accuracy"] is row["se"] is row["low"] is row["high"] is None
    assert row["reason"] == reason
    assert reason in REASONS
    assert words in row["detail"]
    assert accuracy(ratings, systems=["s"], labels=["A", "B"])["accuracy"].is_nan().sum() == 0


def test_every_bin_singular_is_not_identified(frame: Frame) -> None:
    # base rates .5, and the items the system answered are split: the posterior is 1/2 for either label
    ratings = frame("AA-", "AA-", "BB-", "BB-", "ABA", "BAB", raters=["a", "b", "s"])
    row = only(accuracy(ratings, systems=["s"], labels=["A", "B"]))
    assert (row["accuracy"], row["reason"]) == (None, "not_identified")
    assert "no better than a guess" in row["detail"]
    assert bins(ratings, systems=["s"], labels=["A", "B"])["estimate"].to_list() == [None]


def test_skipped_bins_are_told(frame: Frame) -> None:
    ratings = frame("AAA", "AAA", "BBB", "BBB", "ABA", "BAB", raters=["a", "b", "s"])
    row = only(accuracy(ratings, systems=["s"], labels=["A", "B"]))
    assert row["accuracy"] == 1.0
    assert "33% of the items" in sentence(row, "are left out")


def test_answers_on_items_nobody_rated_are_told_and_left_out(table2: pl.DataFrame) -> None:
    extra = pl.DataFrame({"item": ["x1", "x2", "x3"], "rater": ["system"] * 3, "label": ["A", "B", "A"]})
    row = only(accuracy(pl.concat([table2, extra]), systems=["system"], labels=LABELS))
    assert row["accuracy"] == only(accuracy(table2, systems=["system"], labels=LABELS))["accuracy"]
    assert row["n_items"] == 10
    assert "Nobody rated 3 of the 13 items" in sentence(row, "Nobody rated")


def test_items_without_an_answer_are_told(table2: pl.DataFrame) -> None:
    fewer = table2.filter((pl.col("rater") != "system") | (pl.col("item") < "i007"))
    row = only(accuracy(fewer, systems=["system"], labels=LABELS))
    assert row["n_items"] == 7
    assert "no answer on 3 of 10" in sentence(row, "gave no answer")


def test_worse_than_chance_is_told(frame: Frame) -> None:
    ratings = frame(*["AAAB", "BBBA"] * 20, raters=["a", "b", "c", "s"])
    row = only(accuracy(ratings, systems=["s"], labels=["A", "B"]))
    assert row["accuracy"] == pytest.approx(0, abs=1e-9)
    assert "swapped" in sentence(row, "below chance")
    assert "two labels" in sentence(row, "up to .17")


def test_uneven_raters_are_told(table2: pl.DataFrame) -> None:
    fewer = table2.filter((pl.col("rater") != "e4") | (pl.col("item") < "i003"))
    row = only(accuracy(fewer, systems=["system"], labels=LABELS))
    assert "between 3 and 4 human ratings" in sentence(row, "difficult items got more raters")


def test_a_label_clipped_to_zero_is_told(frame: Frame) -> None:
    ratings = frame(*["AAAA", "BBBB", "AAAA", "BBBB", "AABA", "BBAB", "CAAA"] * 2, raters=["a", "b", "c", "s"])
    row = only(accuracy(ratings, systems=["s"], labels=["A", "B", "C"]))
    assert "is 0 (clipped)" in sentence(row, "estimated frequency")


@pytest.mark.parametrize("method", ["lehner", "average"])
def test_people_of_one_label_are_told(frame: Frame, method: str) -> None:
    """Three people who say A of every item may know it, or say A of everything."""
    raters = ["r1", "r2", "r3", "bot"]
    row = only(by_default(frame(*["AAAA"] * 30, raters=raters), systems=["bot"], labels=["A", "B"], methods=[method]))
    assert sentence(row, "All human ratings have one label.")
    differ = frame(*["AAAA", "BBBB"] * 15, raters=raters)
    row = only(by_default(differ, systems=["bot"], labels=["A", "B"], methods=[method]))
    assert not any("ratings have one label" in warning for warning in row["warnings"])


def test_labels_that_nobody_used_count_in_the_chance(frame: Frame) -> None:
    # unanimous on 4 of 5 items: P_a = .8
    ratings = frame(*["AAA", "BBB", "AAB", "BBB", "ABA"] * 4, raters=["a", "b", "s"])
    people = ratings.filter(pl.col("rater") != "s")
    two, five = (summary(people, labels=labels) for labels in (["A", "B"], ["A", "B", "X", "Y", "Z"]))
    assert two.kappa == pytest.approx((0.8 - 0.5) / 0.5)
    assert five.kappa == pytest.approx((0.8 - 0.2) / 0.8)
    result = only(accuracy(ratings, systems=["s"], labels=["A", "B", "X", "Y", "Z"]))
    assert 0.5 < result["accuracy"] < 1
    assert five.base_rates is not None
    assert [five.base_rates[label] for label in "XYZ"] == [0, 0, 0]


def test_several_methods_have_a_spread(table2: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ESTIMATORS["lehner"]

    def lower(patterns: SystemPatterns) -> Any:
        fitted = entry.fit(patterns)
        return type(fitted)(0.5, fitted.n_items)

    other = Estimator("other", "for this test", lower, entry.interval, entry.replicate)
    monkeypatch.setitem(ESTIMATORS, "other", other)
    result = accuracy(table2, systems=["system"], labels=LABELS, methods=["lehner", "other"])
    assert result["method"].to_list() == ["lehner", "other"]
    assert result["spread_low"].to_list() == [0.5, 0.5]
    assert result["spread_high"].to_list() == pytest.approx([0.731427] * 2, abs=1e-6)


def test_registry_names_are_their_keys() -> None:
    assert all(name == estimator.name for name, estimator in ESTIMATORS.items())


def test_patterns_of_a_system_leave_other_systems_out(table2: pl.DataFrame) -> None:
    patterns = patterns_of(tables(table2, systems=["system", "e4"], labels=LABELS)["system"], "system")
    assert patterns.C.sum(axis=1).tolist() == [3] * len(patterns.C)
    assert patterns.n_items.sum() == 10


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"systems": ["nobody"]}, "'nobody' gave no rating"),
        ({"systems": []}, "one or more"),
        ({"systems": "system"}, "list"),
        ({"systems": ["system", "system"]}, "different"),
        ({"systems": ["system", "e1", "e2", "e3"]}, "found 1 beside"),
        ({"labels": ["A"]}, "two declared labels"),
        ({"labels": ["A", "B", "C"]}, "'D'"),
        ({"methods": ["oracle"]}, "no method 'oracle'"),
        ({"methods": []}, "list of different names"),
        ({"scale": "logarithmic"}, "'logarithmic'"),
        ({"confidence": 95}, "found 95"),
    ],
)
def test_bad_requests_are_refused_in_words(table2: pl.DataFrame, wrong: dict[str, Any], words: str) -> None:
    request: dict[str, Any] = {"systems": ["system"], "labels": LABELS, **wrong}
    with pytest.raises(StatsError, match=words):
        accuracy(table2, **request)


@pytest.mark.parametrize("column", ["item", "rater", "label"])
def test_a_null_is_refused_not_dropped(table2: pl.DataFrame, column: str) -> None:
    broken = pl.concat([table2, table2.head(1).with_columns(pl.lit(None, pl.String).alias(column))])
    with pytest.raises(StatsError):
        accuracy(broken, systems=["system", "e4"], labels=LABELS)


def test_the_same_rating_twice_is_refused(table2: pl.DataFrame) -> None:
    with pytest.raises(StatsError, match="e1"):
        accuracy(pl.concat([table2, table2.head(1)]), systems=["system"], labels=LABELS)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None])
def test_a_seed_is_a_whole_number_from_0(table2: pl.DataFrame, seed: Any) -> None:
    with pytest.raises(StatsError, match="The seed must be a whole number from 0"):
        by_default(table2, systems=["system"], labels=["A", "B", "C", "D"], seed=seed)
