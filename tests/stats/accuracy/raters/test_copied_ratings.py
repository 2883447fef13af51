"""Raters who have the labels of another one are found, and two excellent raters are not taken for one."""

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy, annotators, consensus
from stats.accuracy.raters.copied_ratings import same_labels
from stats.counts import long_patterns

LABELS = ["a", "b", "c"]


def project(accuracies: dict[str, float], copy_of: dict[str, str], n: int, seed: int = 1) -> pl.DataFrame:
    """Ratings of n items by raters of these accuracies. A copy has the labels of its original. `right` is the truth."""
    rng = np.random.default_rng(seed)
    right = rng.integers(0, 3, n)
    given: dict[str, np.ndarray] = {}
    for rater, share in accuracies.items():
        wrong = (right + rng.integers(1, 3, n)) % 3
        given[rater] = np.where(rng.random(n) < share, right, wrong)
    given |= {copy: given[original] for copy, original in copy_of.items()}
    return pl.concat(
        pl.DataFrame(
            {
                "item": [f"i{i:04d}" for i in range(n)],
                "rater": rater,
                "label": [LABELS[x] for x in labels],
                "right": [LABELS[x] for x in right],
            }
        )
        for rater, labels in given.items()
    )


def pairs_found(ratings: pl.DataFrame) -> list[tuple[str, str, bool]]:
    """The pairs that are found, by name: copy, original, and whether one is surely a copy."""
    raters = sorted(ratings["rater"].unique())
    pairs = same_labels(long_patterns(ratings.drop("right"), labels=LABELS, raters=raters))
    return [(raters[pair.copy], raters[pair.original], pair.is_copy) for pair in pairs]


POOR_TWICE = project({"ann": 0.6, "bob": 0.75, "cem": 0.75, "dan": 0.75, "bot": 0.85}, {"ann2": "ann"}, 300)
PEOPLE = POOR_TWICE.filter(pl.col("rater") != "bot")


def test_a_copy_is_found() -> None:
    assert pairs_found(PEOPLE) == [("ann2", "ann", True)]


def test_of_several_copies_the_one_with_the_most_ratings_stays() -> None:
    twice = project({"ann": 0.6, "bob": 0.75, "cem": 0.75, "dan": 0.75}, {"zoe": "ann", "ann2": "ann"}, 300)
    fewer = twice.filter((pl.col("rater") != "ann") | (pl.col("item") >= "i0030"))
    fewer = fewer.filter((pl.col("rater") != "ann2") | (pl.col("item") >= "i0060"))
    assert pairs_found(fewer) == [("ann", "zoe", True), ("ann2", "zoe", True)]


@pytest.mark.parametrize("seed", range(10))
def test_two_excellent_raters_are_not_one(seed: int) -> None:
    ratings = project({"ann": 0.998, "bob": 0.998, "cem": 0.7, "dan": 0.7, "eva": 0.7}, {}, 300, seed)
    assert pairs_found(ratings) == []


def test_two_who_give_one_label_are_not_copies() -> None:
    lazy = PEOPLE.with_columns(
        label=pl.when(pl.col("rater").is_in(["ann", "ann2"])).then(pl.lit("a")).otherwise("label")
    )
    assert pairs_found(lazy) == []


def test_a_copy_of_few_of_the_own_ratings_counts() -> None:
    few = PEOPLE.filter((pl.col("rater") != "ann") | (pl.col("item") < "i0100"))
    few = few.with_columns(
        label=pl.when((pl.col("rater") == "ann2") & (pl.col("item") >= "i0100")).then("right").otherwise("label")
    )
    assert pairs_found(few) == [("ann", "ann2", True)]  # all of ann's are shared, a third of ann2's


def test_with_fewer_than_three_others_the_pair_is_named_only() -> None:
    three = PEOPLE.filter(pl.col("rater").is_in(["ann", "ann2", "bob"])).drop("right")
    assert pairs_found(PEOPLE.filter(pl.col("rater").is_in(["ann", "ann2", "bob"]))) == [("ann2", "ann", False)]
    people = annotators(three, labels=LABELS)
    assert people.left_out.names == ()
    assert people.raters["accuracy"].null_count() == 0
    [sentence] = people.left_out.warnings()
    assert sentence.startswith("ann2 and ann gave the same label on 300 of 300 items that both rated")


def test_a_poor_rater_counted_twice_does_not_decide_what_is_right() -> None:
    people = annotators(PEOPLE.drop("right"), labels=LABELS)
    row = people.of("ann2")
    assert row["accuracy"] is None
    assert row["detail"].startswith("This rater gave the same label as ann on 300 of 300")
    share_right = dict(PEOPLE.group_by("rater").agg((pl.col("label") == pl.col("right")).mean()).iter_rows())
    for rater in ("ann", "bob", "cem", "dan"):
        assert people.of(rater)["low"] < share_right[rater] < people.of(rater)["high"], rater
    right = PEOPLE.select("item", "right").unique().sort("item")["right"]
    labels = consensus(PEOPLE.drop("right"), labels=LABELS).sort("item")["label"].cast(pl.String)
    without_copy = consensus(PEOPLE.filter(pl.col("rater") != "ann2").drop("right"), labels=LABELS).sort("item")
    assert labels.to_list() == without_copy["label"].cast(pl.String).to_list()
    assert (labels == right).mean() > 0.85


def test_the_warning_names_both_and_gold_counts_everybody() -> None:
    ratings = POOR_TWICE.drop("right")
    rows = accuracy(ratings, systems=["bot"], labels=LABELS)
    alone = accuracy(ratings.filter(pl.col("rater") != "ann2"), systems=["bot"], labels=LABELS)
    assert rows["accuracy"].to_list() == alone["accuracy"].to_list()
    assert any(warning.startswith("ann2 gave the same label as ann on 300 of 300") for warning in rows["warnings"][0])
    gold = POOR_TWICE.select("item", label="right").unique().sort("item")
    people = annotators(PEOPLE.drop("right"), labels=LABELS, gold=gold)
    assert people.left_out.names == ()
    assert people.of("ann2")["accuracy"] == pytest.approx(people.of("ann")["accuracy"])
