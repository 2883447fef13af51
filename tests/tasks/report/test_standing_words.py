"""The words on a system beside the annotators claim no more than was compared."""

from typing import Any

import polars as pl
import pytest

from tasks.report.standing_words import standing_counts, standing_words
from tasks.summary.system_standing import HumanRaters, human_raters

SYSTEM = {"system": "gpt", "accuracy": 0.88, "low": 0.8, "high": 0.94, "n_gold": 60}


def people(*n_ratings: int) -> pl.DataFrame:
    rows: list[dict[str, Any]] = [
        {"rater": f"r{place}", "rater_kind": "human", "n_ratings": n, "n_gold": 3, "accuracy": 0.68 if n > 30 else 0.92,
         "low": 0.6 if n > 30 else 0.0, "high": 0.75 if n > 30 else 1.0}
        for place, n in enumerate(n_ratings)
    ]  # fmt: skip
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("n_ratings", "words"),
    [
        ((400, 300), "better than every annotator"),
        ((400, 7), "better than every annotator with 30 ratings or more"),  # the other has .92 in [0, 1]
    ],
)
def test_annotators_who_are_not_ranked_are_not_beaten(n_ratings: tuple[int, ...], words: str) -> None:
    against = pl.DataFrame(
        [{"system": "gpt", "compared_with": standard, "difference": 0.2, "low": 0.1, "high": 0.3, "rater_accuracy": 0.7}
         for standard in ("average_rater", "best_rater")]
    )  # fmt: skip
    assert standing_words(SYSTEM, human_raters(people(*n_ratings), against)) == words


def beside(against: str, low: float, high: float) -> pl.DataFrame:
    """The comparison of the system with the average or best annotator; none with the other one."""
    usual = {"system": "gpt", "difference": (low + high) / 2, "rater_accuracy": 0.7}
    names = ("average_rater", "best_rater")
    return pl.DataFrame(
        [
            {
                **usual,
                "compared_with": name,
                "low": low if name == against else None,
                "high": high if name == against else None,
            }
            for name in names
        ],
        schema_overrides={"low": pl.Float64, "high": pl.Float64},
    )


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.31, 0.22, "not clearly apart from the average annotator"),
        (0.02, 0.3, "better than the average annotator"),
        (-0.3, -0.02, "worse than the average annotator"),
    ],
)
def test_nobody_is_beaten_whose_accuracy_is_unknown(low: float, high: float, words: str) -> None:
    two = people(40, 400).with_columns(
        pl.lit(None, dtype=pl.Float64).alias(name) for name in ("accuracy", "low", "high")
    )
    assert standing_words(SYSTEM, human_raters(two, beside("average_rater", low, high))) == words


def test_one_annotator_without_an_accuracy_is_not_beaten_with_the_others() -> None:
    unknown = pl.when(pl.col("rater") == "r2").then(None)
    three = people(400, 300, 200).with_columns(
        unknown.otherwise(pl.col(name)).alias(name) for name in ("accuracy", "low", "high")
    )
    assert (
        standing_words(SYSTEM, human_raters(three, beside("best_rater", 0.1, 0.3)))
        == "better than the average annotator"
    )
    few = three.with_columns(n_ratings=pl.when(pl.col("rater") == "r2").then(7).otherwise(pl.col("n_ratings")))
    result = standing_words(SYSTEM, human_raters(few, beside("best_rater", 0.1, 0.3)))
    assert result == "better than every annotator with 30 ratings or more"


def test_without_a_comparison_each_annotator_must_be_below_the_system() -> None:
    none = beside("neither", 0, 0)
    assert standing_words(SYSTEM, human_raters(people(400, 300), none)) == "better than every annotator"
    nobody = people(400, 300).clear()
    assert standing_words(SYSTEM, human_raters(nobody, none)) != "better than every annotator"


def counts(estimates: list[tuple[Any, HumanRaters]]) -> list[str]:
    return [sentence.replace("\xa0", " ") for sentence in standing_counts(estimates)]


def test_a_count_of_systems_has_the_condition_of_those_it_counts() -> None:
    """An audited system that is worse is not so on the condition that people err independently."""
    two = people(400, 300).with_columns(pl.lit(None, dtype=pl.Float64).alias("accuracy"))
    raters = human_raters(two, beside("average_rater", -0.3, -0.02))
    bare = {**SYSTEM, "n_gold": 0, "gold_origin": None}
    audited = {**SYSTEM, "gold_origin": "unknown"}
    drawn = {**SYSTEM, "gold_origin": "drawn"}
    apart = (bare, human_raters(two, beside("average_rater", -0.3, 0.3)))
    worse = "1 of 2 estimates is worse than the average annotator"
    assert counts([(audited, raters), apart]) == [f"{worse}, if the gold is a random sample."]
    assert counts([(drawn, raters), apart]) == [f"{worse}."]
    assert counts([(bare, raters), (audited, raters)]) == [
        "2 of 2 estimates are worse than the average annotator, some if people err independently, some if the gold is a"
        " random sample."
    ]


def test_annotators_who_are_not_ranked_are_not_counted_as_beaten() -> None:
    best = pl.DataFrame(
        [{"system": "gpt", "compared_with": standard, "difference": 0.2, "low": 0.1, "high": 0.3, "rater_accuracy": 0.7}
         for standard in ("average_rater", "best_rater")]
    )  # fmt: skip
    system = {**SYSTEM, "gold_origin": "drawn"}
    result = counts([(system, human_raters(people(400, 7), best))])
    assert result == ["1 of 1 estimate is better than every annotator with 30 ratings or more."]
