"""Gold that was drawn with known, unequal probabilities: estimates for all items, whatever was drawn more often."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy, alternative_annotator_test, annotators, better_than_raters, compare_systems
from stats.accuracy.gold.gold_weights import covariance, effective_share, scaled, size_with_more, weights_of
from stats.accuracy.gold.prediction_powered import Score, prediction_powered
from stats.accuracy.labels.per_label import label_quality
from stats.accuracy.rates.label_rates import corrected_rates, label_rates
from stats.accuracy.rates.rate_differences import rate_differences
from stats.accuracy.shared_errors import shared_errors
from stats.arrays import FloatArray, IntArray
from stats.errors import StatsError
from stats.simulate import simulate_ratings

LABELS = ("A", "B", "C")
SUBSET: dict[str, Any] = {"systems": ["bot"], "labels": LABELS}


@pytest.fixture(scope="module")
def drawn() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ratings of 120 items, and gold for 40 of them."""
    raters, rng = {"ann": 0.7, "bob": 0.75, "cleo": 0.7}, np.random.default_rng(5)
    systems = {"bot": 0.8, "old": 0.7}
    rows = simulate_ratings(n_items=120, labels=list(LABELS), raters=raters, systems=systems, rng=rng)
    gold = rows.select("item", label="truth").unique().sort("item").head(40)
    return rows.select("item", "rater", "label"), gold


ORIGIN = ("gold_origin", "warnings")  # these say that the gold was drawn


def alike(gold: pl.DataFrame) -> pl.DataFrame:
    return gold.with_columns(inclusion_probability=pl.lit(1 / 3))


def different(gold: pl.DataFrame) -> pl.DataFrame:
    return gold.with_columns(inclusion_probability=pl.when(pl.col("label") == "A").then(0.9).otherwise(0.2))


def figures(ratings: pl.DataFrame, gold: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    both: dict[str, Any] = {"systems": ["bot", "old"], "labels": LABELS}
    humans = ratings.filter(~pl.col("rater").is_in(["bot", "old"]))
    yield "accuracy", accuracy(ratings, **both, gold=gold, methods=["average"]).drop("warnings")
    yield "rates", label_rates(ratings, **both, gold=gold)
    yield "rate differences", rate_differences(ratings, **both, gold=gold)
    yield "systems", compare_systems(ratings, **both, gold=gold).drop("warnings")
    yield "raters", annotators(humans, labels=LABELS, gold=gold).raters
    yield "labels", label_quality(ratings, **both, gold=gold).drop("warnings")
    yield "beside raters", better_than_raters(ratings, **both, gold=gold).drop("warnings")
    yield "alternative", alternative_annotator_test(ratings, **both, gold=gold)
    yield "shared errors", pl.DataFrame([shared_errors(humans, gold, labels=LABELS).to_json()])


def test_equal_probabilities_change_nothing_and_different_ones_every_figure(
    drawn: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    ratings, gold = drawn
    both = zip(figures(ratings, alike(gold)), figures(ratings, different(gold)), strict=True)
    for (name, plain), ((_, equal), (_, weighted)) in zip(figures(ratings, gold), both, strict=True):
        assert plain.drop(ORIGIN, strict=False).equals(equal.drop(ORIGIN, strict=False)), name
        assert not plain.equals(weighted), name
        assert weighted.shape == plain.shape, name


def test_a_pattern_counts_as_its_items_do(drawn: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    """Patterns with a list of probabilities, one for each item, give what the items give one by one."""
    ratings, gold = drawn
    gold = different(gold).with_columns(inclusion_probability=pl.Series(np.linspace(0.2, 0.9, gold.height)))
    wide = ratings.sort("rater").group_by("item").agg(key=pl.concat_str("rater", "label").str.join(","))
    wide = wide.join(gold, on="item", how="left").with_columns(key=pl.col("key") + pl.col("label").fill_null("-"))
    patterns = wide.group_by("key").agg(pl.col("item").first(), n_items=pl.len().cast(pl.Int64))
    of_patterns = ratings.join(patterns.select("item", "n_items"), on="item")
    of_gold = wide.drop_nulls("label").group_by("key").agg(pl.col("label").first(), "inclusion_probability")
    named = of_gold.join(patterns.select("key", "item"), on="key").drop("key")
    result = accuracy(ratings, **SUBSET, gold=gold, methods=["average"]).row(0, named=True)
    other = accuracy(of_patterns, **SUBSET, gold=named, methods=["average"]).row(0, named=True)
    for figure in ("accuracy", "se", "low", "high", "n_gold"):
        assert other[figure] == pytest.approx(result[figure], abs=1e-9)


def every_sample() -> Iterator[tuple[IntArray, FloatArray]]:
    """All stratified samples of two from each stratum of 4 and 3 items, with what each item stands for."""
    for first, second in product(combinations(range(4), 2), combinations(range(4, 7), 2)):
        yield np.array([*first, *second]), np.array([2.0, 2.0, 1.5, 1.5])


def test_the_weighted_mean_is_that_of_all_items_over_all_samples() -> None:
    """By enumeration: the mean over every possible sample is the mean of the population, with a model's help, too."""
    Y, f = np.array([1, 1, 0, 1, 0, 0, 1.0]), np.array([0.9, 0.8, 0.3, 0.6, 0.2, 0.1, 0.7])
    means, scores, sums = [], [], []
    for rows, weight in every_sample():
        w = scaled(weight, len(rows))
        means.append((w * Y[rows]).mean())
        scores.append((w * f[rows]).mean())
        sums.append(float(weight.sum()))
    assert np.mean(means) == pytest.approx(Y.mean(), abs=1e-12)
    assert np.mean(scores) == pytest.approx(f.mean(), abs=1e-12)
    assert set(sums) == {7.0}


def test_the_variance_is_at_least_that_over_all_samples_of_the_weighted_mean() -> None:
    """Published formula: Saerndal et al. 1992, sum w^2 (y - mean)^2 / (sum w)^2, as if drawn with replacement."""
    Y = np.array([1, 1, 0, 1, 0, 0, 1.0])
    means, variances = [], []
    for rows, weight in every_sample():
        w, y = scaled(weight, len(rows)), Y[rows]
        means.append((w * y).mean())
        by_hand = (weight**2 * (y - np.average(y, weights=weight)) ** 2).sum() / weight.sum() ** 2
        assert covariance(w, y, y) / len(rows) == pytest.approx(by_hand)
        variances.append(by_hand)
    assert np.mean(variances) >= np.var(means)


def test_kish() -> None:
    """Kish 1965: weights 1, 1, 2 are worth 16 / 6 items of 3."""
    assert effective_share(np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 18)
    assert weights_of(pl.DataFrame({"inclusion_probability": [0.5, 0.5]})) is None


def test_what_was_drawn_more_often_counts_less() -> None:
    """40 common items of 900 are all right, 40 rare ones of 100 half: .95 of all items, not .75."""
    Y = np.repeat([1.0, 1.0, 0.0], [40, 20, 20])
    weight = np.repeat([900 / 40, 100 / 40], [40, 40])
    plain = prediction_powered(Score(Y, np.zeros(80), 0.0, 1000))
    result = prediction_powered(Score(Y, np.zeros(80), 0.0, 1000, weight))
    assert (plain.accuracy, result.accuracy) == (pytest.approx(0.75), pytest.approx(0.95))
    effective = 1000**2 / (40 * 22.5**2 + 40 * 2.5**2)
    p = (0.95 * effective + 2) / (effective + 4)
    assert result.se(80) == pytest.approx((p * (1 - p) / effective) ** 0.5)
    assert result.degrees(80) == pytest.approx(effective - 1)


def test_further_items_are_drawn_where_not_all_were_taken() -> None:
    """50 items were certain, 10 stand for 45 each. With 20 more drawn ones there are 30 which stand for 15 each."""
    rng = np.random.default_rng(3)
    Y, f = (rng.random((2, 60)) < 0.7).astype(float)
    few = prediction_powered(Score(Y, f, 0.7, 500, np.repeat([1.0, 45.0], [50, 10])))
    three = np.concatenate([np.arange(50), np.tile(np.arange(50, 60), 3)])
    many = prediction_powered(Score(Y[three], f[three], 0.7, 500, np.repeat([1.0, 15.0], [50, 30])))
    size = size_with_more(np.repeat([1.0, 45.0], [50, 10]), 60, 20)
    assert few.degrees(size) == pytest.approx(many.degrees(80))
    assert few.half_width(size, 0.95) == pytest.approx(many.half_width(80, 0.95), rel=0.15)
    assert few.half_width(80, 0.95) > 1.3 * many.half_width(80, 0.95)


def test_rates_take_the_predictions_of_all_items() -> None:
    """A system that is always right: each method gives the share that it gives, whatever was drawn more often."""
    answers = np.array([900.0, 100.0])
    given = np.repeat([0, 1], [20, 20])
    rows = corrected_rates(answers, given, given, np.repeat([45.0, 5.0], 20), 0.95)
    results = {(label, row["method"]): row for label, row in rows}
    for method in ("ppi", "rogan_gladen", "gold_only"):
        assert results[1, method]["estimate"] == pytest.approx(0.1), method
        assert results[1, method]["low"] < 0.1 < results[1, method]["high"], method


def test_intervals_hold_in_simulation() -> None:
    """`python -m benchmarks.gold.weighted_gold` has more: without weights the first holds in .3 of the cases."""
    from benchmarks.gold.weighted_gold import WORLDS, study

    result = study(WORLDS[0], 50, 150, np.random.default_rng(1))
    assert abs(result["accuracy bias"]) < 0.01 < 0.1 < abs(result["unweighted bias"])
    assert min(result[f"{name} held"] for name in ("accuracy", "ppi", "gold_only")) > 0.9
    assert result["unweighted held"] < 0.6


@pytest.mark.parametrize("wrong", [0.0, -0.1, 1.2, float("nan"), None])
def test_a_probability_is_above_zero(drawn: tuple[pl.DataFrame, pl.DataFrame], wrong: float | None) -> None:
    ratings, gold = drawn
    values = pl.Series([wrong, *[0.5] * (gold.height - 1)], dtype=pl.Float64)
    with pytest.raises(StatsError, match="inclusion_probability of gold must hold a number above 0"):
        accuracy(ratings, **SUBSET, gold=gold.with_columns(inclusion_probability=values), methods=["average"])
