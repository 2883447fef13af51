"""Kappa by the scale: its sign is that of the covariance. Who has the scale upside down is named, and nobody else."""

import numpy as np
import polars as pl
import pytest

from stats.agreement import pairwise
from stats.agreement.breakdowns.contradictions import contradictions
from stats.agreement.breakdowns.pairs_by_scale import pairs_by_scale
from stats.agreement.breakdowns.rater_apart import rater_apart
from stats.arrays import FloatArray

LABELS = ["1", "2", "3", "4", "5"]


def stars(
    seed: int, *, reversed_rater: int | None = None, severe: float = 0.0, random_rater: int | None = None
) -> pl.DataFrame:
    """Return stars of four raters on 150 items. One may have the scale upside down, one may guess, the last is more
    severe by `severe` standard deviations of the items."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=150)
    rows = []
    for rater in range(4):
        seen = quality + rng.normal(0, 0.45, 150) - (severe if rater == 3 else 0)
        seen = -seen if rater == reversed_rater else rng.normal(size=150) if rater == random_rater else seen
        label = 1 + np.searchsorted([-1.2, -0.4, 0.4, 1.2], seen)
        rows += [(str(item), f"r{rater}", str(each)) for item, each in enumerate(label)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def numbers_of(ratings: pl.DataFrame, rater: str) -> FloatArray:
    return ratings.filter(rater=rater).sort("item")["label"].cast(pl.Float64).to_numpy()


def test_kappa_by_the_scale_is_that_computed_from_means_and_variances() -> None:
    ratings = stars(1, reversed_rater=2)
    for row in pairs_by_scale(ratings, labels=LABELS, scale="ordinal").to_dicts():
        a, b = numbers_of(ratings, row["rater_a"]), numbers_of(ratings, row["rater_b"])
        distance = a.var() + b.var() + (a.mean() - b.mean()) ** 2
        assert row["weighted_kappa"] == pytest.approx(2 * np.cov(a, b, ddof=0)[0, 1] / distance)
        assert row["weighted_low"] < row["weighted_kappa"] < row["weighted_high"]


def test_only_an_ordered_scale_of_three_labels_has_it() -> None:
    ratings = stars(1)
    plain = pairwise(ratings, labels=LABELS)
    assert pairs_by_scale(ratings, labels=LABELS, scale="nominal").equals(plain)
    by_distance = pairs_by_scale(ratings, labels=LABELS, scale="ordinal", weights=np.eye(5))
    assert by_distance.columns == plain.columns
    two = ratings.with_columns(label=pl.when(pl.col("label") < "3").then(pl.lit("1")).otherwise(pl.lit("2")))
    assert pairs_by_scale(two, labels=["1", "2"], scale="ordinal").columns == plain.columns


@pytest.mark.parametrize("seed", range(5))
def test_who_has_the_scale_upside_down_is_named(seed: int) -> None:
    pairs = pairs_by_scale(stars(seed, reversed_rater=1), labels=LABELS, scale="ordinal").to_dicts()
    (result,) = contradictions(pairs)
    assert (result.raters, result.is_by_scale) == (("r1",), True)
    assert result.high < -0.5
    assert result.among_others is not None
    assert result.among_others > 0.6
    assert result.sentence.startswith("r1 contradicts the others (kappa with quadratic weights -0.")
    assert result.sentence.endswith("Perhaps the scale was taken upside down.")


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_it_has_the_same_weights_whatever_those_of_the_question_are(weights: str) -> None:
    ratings = stars(2, reversed_rater=1)
    pairs = pairs_by_scale(ratings, labels=LABELS, scale="ordinal", weights=weights)
    without = pairs_by_scale(ratings, labels=LABELS, scale="ordinal")
    names = ["weighted_kappa", "weighted_low", "weighted_high"]
    assert pairs.select(names).equals(without.select(names))
    assert contradictions(pairs.to_dicts()) == contradictions(without.to_dicts())
    if weights == "quadratic":
        assert pairs["estimate"].to_list() == pairs["weighted_kappa"].to_list()


def test_one_label_that_is_read_differently_is_not_called_a_scale_upside_down() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 300)
    rows = []
    for rater in ("ann", "bob", "cy", "dia"):
        answers = np.where(rng.random(300) < 0.85, truth, rng.integers(0, 3, 300))
        if rater == "dia":
            answers = np.where(answers == 0, 3, answers)
        rows += [(str(item), rater, LABELS[each]) for item, each in enumerate(answers)]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row").filter(
        pl.Series(np.tile(truth < 3, 4))
    )
    (result,) = contradictions(pairs_by_scale(ratings, labels=LABELS[:4], scale="ordinal").to_dicts())
    assert result.raters == ("dia",)
    assert result.among_others is not None
    assert -result.among_others / 2 < result.kappa < 0
    assert result.sentence.endswith("Perhaps one label is read differently, or the scale was taken upside down.")


@pytest.mark.parametrize("seed", range(5))
def test_nobody_is_named_who_is_only_more_severe_or_guesses(seed: int) -> None:
    for ratings in (stars(seed), stars(seed, severe=2.5), stars(seed, random_rater=0)):
        assert contradictions(pairs_by_scale(ratings, labels=LABELS, scale="ordinal").to_dicts()) == []


def test_a_rater_who_guesses_is_apart_from_others_who_agree_by_the_scale() -> None:
    ratings = stars(3, random_rater=0)
    assert rater_apart(pairwise(ratings, labels=LABELS).to_dicts()) is None
    apart = rater_apart(pairs_by_scale(ratings, labels=LABELS, scale="ordinal").to_dicts())
    assert apart is not None
    assert (apart.rater, apart.is_by_scale) == ("r0", True)
    assert apart.sentence.startswith("r0 agrees little with the others (kappa with quadratic weights 0.1")
    assert apart.sentence.endswith(" Perhaps this annotator is more severe or more lenient.")
