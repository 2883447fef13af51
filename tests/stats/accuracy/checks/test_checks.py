"""Each check finds its violation, with the size that was put in, and says nothing where there is none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import CHECKS, assumption_checks
from stats.accuracy.checks import person_pairs, raters_check
from stats.accuracy.checks.finding import holm
from stats.errors import StatsError
from stats.reasons import REASONS

LABELS = list("ABCDE")
World = Callable[..., pl.DataFrame]
Frame = Callable[..., pl.DataFrame]


def rows(result: pl.DataFrame, name: str, **where: str) -> list[dict[str, Any]]:
    return result.filter(
        pl.col("name") == name, *(pl.col(column) == value for column, value in where.items())
    ).to_dicts()


def check_row(result: pl.DataFrame, name: str, **where: str) -> dict[str, Any]:
    (row,) = rows(result, name, **where)
    return row


def checks(ratings: pl.DataFrame, **rest: Any) -> pl.DataFrame:
    return assumption_checks(ratings, **{"labels": LABELS, "systems": ["bot"], "replicates": 199, **rest})


def test_columns_and_rows(world: World) -> None:
    result = checks(world(raters=(0.6,) * 4))
    assert result.columns == [
        "name", "system", "rater", "other", "statistic", "p_value", "p_adjusted", "effect", "reason", "detail",
        "violated",
    ]  # fmt: skip
    assert result["name"].unique(maintain_order=True).to_list() == list(CHECKS)
    assert [(row["system"], row["rater"]) for row in rows(result, "copying")] == [("bot", f"r{j}") for j in range(4)]
    alike = [(row["rater"], row["other"]) for row in rows(result, "alike")]
    assert alike == [("r0", "r1"), ("r0", "r2"), ("r0", "r3"), ("r1", "r2"), ("r1", "r3"), ("r2", "r3")]


@pytest.mark.parametrize("accuracies", [(0.6,) * 3, (0.8,) * 5])
def test_where_the_assumptions_hold_nothing_is_violated(world: World, accuracies: tuple[float, ...]) -> None:
    result = checks(world(1000, accuracies, seed=5), scale="ordinal")
    assert not result["violated"].any()
    assert result.filter(pl.col("p_value").is_not_null())["p_value"].min() > 0.01  # type: ignore[operator]


def test_errors_that_fall_with_distance_show_in_pairs_and_adjacent(world: World) -> None:
    result = checks(world(asymmetry=2.0), scale="ordinal")
    pairs, adjacent = check_row(result, "pairs"), check_row(result, "adjacent")
    assert pairs["violated"]
    assert 0.25 < pairs["effect"] < 0.6
    assert adjacent["violated"]
    assert adjacent["effect"] == pytest.approx(0.175, abs=0.05)
    assert "one step apart" in adjacent["detail"]
    assert "too low" in adjacent["detail"]


def test_raters_with_errors_of_their_own_show_in_pairs(world: World) -> None:
    row = check_row(checks(world(2000, error_range=1.0)), "pairs")
    assert row["violated"]
    assert "there the average of the models was within .01" in row["detail"]


def test_unequal_raters_and_by_how_much(world: World) -> None:
    row = check_row(checks(world(2000, (0.4, 0.6, 0.8))), "raters")
    assert row["violated"]
    assert row["effect"] == pytest.approx(np.std([0.4, 0.6, 0.8]), abs=0.04)
    assert "too high" in row["detail"]


def test_equal_raters_differ_by_nothing_beyond_chance(world: World) -> None:
    effects = [check_row(checks(world(200, seed=seed)), "raters")["effect"] for seed in range(8)]
    assert np.median(effects) < 0.05


def test_difficulty_and_by_how_much(world: World) -> None:
    row = check_row(checks(world(2000, (0.6,) * 5, difficulty=0.2)), "difficulty")
    assert row["violated"]
    assert row["effect"] == pytest.approx(0.2 * np.sqrt(2 / 3), abs=0.04)


def test_difficulty_with_two_labels_takes_four_ratings(world: World) -> None:
    row = check_row(checks(world(raters=(0.8,) * 3, labels=["A", "B"]), labels=["A", "B"]), "difficulty")
    assert row["reason"] == "not_applicable"
    four = check_row(
        checks(world(2000, (0.8,) * 4, difficulty=0.2, labels=["A", "B"]), labels=["A", "B"]), "difficulty"
    )
    assert four["violated"]


@pytest.mark.parametrize("r", [3, 5])
def test_a_system_that_copies_a_rater_and_which_one(world: World, r: int) -> None:
    result = checks(world(2000, (0.6,) * r, bot_copies=0.3))
    row = check_row(result, "copying", rater="r0")
    assert row["violated"]
    assert row["effect"] == pytest.approx(0.36, abs=0.1)
    assert "The estimate is then too high." in row["detail"]
    assert ("two other raters are alike" in row["detail"]) == (r == 3)
    assert not any(other["violated"] for other in rows(result, "copying") if other["rater"] != "r0")


def test_two_raters_alike_accuse_nobody_else(world: World) -> None:
    result = checks(world(1000, (0.6,) * 5, r1_copies=0.4))
    row = check_row(result, "alike", rater="r0", other="r1")
    assert row["violated"]
    assert "Leave one of the two out" in row["detail"]
    assert sum(other["violated"] for other in rows(result, "alike")) == 1
    assert not any(other["violated"] for other in rows(result, "copying"))


def test_with_four_raters_the_other_two_may_be_the_ones(world: World) -> None:
    row = check_row(checks(world(1000, (0.6,) * 4, r1_copies=0.4)), "alike", rater="r0", other="r1")
    assert row["violated"]
    assert "With four raters" in row["detail"]


def test_missing_ratings_do_not_hide_a_violation(world: World) -> None:
    result = checks(world(1500, (0.4, 0.6, 0.8, 0.6), bot_copies=0.3, missing=0.3))
    assert check_row(result, "raters")["violated"]
    assert check_row(result, "copying", rater="r0")["violated"]


def test_another_system_changes_nothing(world: World) -> None:
    ratings = world(300)
    second = ratings.filter(pl.col("rater") == "bot").with_columns(rater=pl.lit("a second bot"), label=pl.lit("A"))
    alone, both = checks(ratings), checks(pl.concat([ratings, second]), systems=["bot", "a second bot"])
    assert both.filter(pl.col("system").is_null() | (pl.col("system") == "bot")).equals(alone)


REASON_CASES = {
    "no order": (["AAB", "ABC", "CCC"], "nominal", "adjacent", "not_applicable"),
    "all agree": (["AAA", "BBB"], "ordinal", "pairs", "zero_denominator"),
    "no better than chance": (["ABC", "BCA", "CAB"], "ordinal", "pairs", "not_identified"),
    "no item shared": (["A--", "-B-", "--C"], "ordinal", "raters", "zero_denominator"),
    "two raters": (["AA", "AB", "BB"], "ordinal", "raters", "too_few_raters"),
    "two ratings an item": (["AA-", "-AB", "B-B", "AA-"], "ordinal", "difficulty", "not_applicable"),
    "three raters": (["AAB", "ABB", "BBB"], "ordinal", "alike", "too_few_raters"),
    "few items": (["AABA", "ABBB", "BBBB"], "ordinal", "alike", "too_few_items"),
    "no unequal scores": (["AA-", "-BB", "CD-", "A-A"], "ordinal", "raters", "too_few_items"),
}


@pytest.mark.parametrize("case", REASON_CASES)
def test_what_cannot_be_checked_has_a_reason(frame: Frame, case: str) -> None:
    items, scale, name, reason = REASON_CASES[case]
    result = assumption_checks(frame(*items), labels=list("ABCD"), scale=scale, replicates=19)
    row = check_row(result, name)
    assert row["reason"] == reason
    assert row["statistic"] is row["p_value"] is row["effect"] is row["violated"] is None
    assert row["detail"].endswith(".")


def test_two_labels_have_no_pairs_to_compare(frame: Frame) -> None:
    result = assumption_checks(frame("AAB", "ABB", "BBB", "AAA"), labels=["A", "B"], scale="ordinal", replicates=19)
    assert check_row(result, "pairs")["reason"] == check_row(result, "adjacent")["reason"] == "not_applicable"


def test_a_system_beside_two_raters_cannot_be_suspected(world: World) -> None:
    row = check_row(checks(world(raters=(0.6, 0.6))), "copying")
    assert (row["system"], row["rater"], row["reason"]) == ("bot", None, "too_few_raters")


def test_no_ratings_and_one_rater(frame: Frame) -> None:
    nobody = assumption_checks(frame("A", "B"), labels=["A", "B", "C"], replicates=19)
    assert set(nobody["reason"]) == {"not_applicable", "too_few_raters"}
    assert set(nobody["reason"]) <= set(REASONS)


def test_many_items_are_sampled_and_it_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person_pairs, "MAX_PAIRS", 1000)
    row = check_row(checks(world(2000, bot_copies=0.7)), "copying", rater="r0")
    assert "random sample of" in row["detail"]
    assert row["violated"]


def test_many_raters_are_cut_and_it_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person_pairs, "MAX_PEOPLE", 4)
    monkeypatch.setattr(person_pairs, "MAX_TESTED", 2)
    result = checks(world(100, (0.6,) * 6))
    assert len(rows(result, "copying")) == len(rows(result, "alike")) == 2
    for name in ("copying", "alike"):
        assert "the 4 of 6 raters with the most ratings" in rows(result, name)[0]["detail"]
        assert "pairs with the most common items" in rows(result, name)[0]["detail"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"labels": ["A"]}, "two declared labels"),
        ({"scale": "sorted"}, "Scale must be one of"),
        ({"systems": ["nobody"]}, "gave no rating"),
        ({"replicates": 5}, "19 simulated sets"),
        ({"labels": ["A", "B"]}, "label"),
    ],
)
def test_bad_input_is_refused(world: World, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(StatsError, match=words):
        checks(world(20), **wrong)


def test_holm_is_monotone_and_at_most_one() -> None:
    assert holm([]) == []
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([0.02, 0.02, 0.5]) == pytest.approx([0.06, 0.06, 0.5])


def test_what_is_significant_but_small_is_said_to_be_too_small(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raters_check, "RELEVANT", 0.5)
    row = check_row(checks(world(2000, (0.4, 0.6, 0.8))), "raters")
    assert row["p_value"] < 1e-3
    assert not row["violated"]
    assert "p below 0.001, corrected for 6 tests): too small a difference to matter." in row["detail"]


def four(seed: int, *, dora_copies: float = 0.0, system_copies: float = 0.0) -> pl.DataFrame:
    """Return 300 items of anna, ben, cleo and dora, who copies cleo, and of the systems s1, which may, and s2."""
    rng, n = np.random.default_rng(seed), 300
    truth = rng.integers(0, 3, n)

    def rated(accuracy: float) -> Any:
        return np.where(rng.random(n) < accuracy, truth, (truth + rng.integers(1, 3, n)) % 3)

    labels = {name: rated(0.75) for name in ("anna", "ben", "cleo", "dora")} | {"s1": rated(0.85), "s2": rated(0.8)}
    for name, share in (("dora", dora_copies), ("s1", system_copies)):
        labels[name] = np.where(rng.random(n) < share, labels["cleo"], labels[name])
    answers = [(str(i), rater, "ABC"[label]) for rater, given in labels.items() for i, label in enumerate(given)]
    return pl.DataFrame(answers, schema=["item", "rater", "label"], orient="row")


def of_four(seed: int, **copies: float) -> tuple[set[str], set[str], list[str]]:
    """Return who is accused of copying, which pairs of being alike, and the sentences of unclear copying."""
    result = assumption_checks(four(seed, **copies), labels=list("ABC"), systems=["s1", "s2"], replicates=99)
    copying, alike = rows(result, "copying"), rows(result, "alike")
    return (
        {f"{row['system']} {row['rater']}" for row in copying if row["violated"]},
        {f"{row['rater']} {row['other']}" for row in alike if row["violated"]},
        [row["detail"] for row in copying if row["violated"] is None],
    )


@pytest.mark.parametrize("seed", range(4))
def test_an_annotator_who_copies_another_accuses_no_system(seed: int) -> None:
    copying, alike, unclear = of_four(seed, dora_copies=0.9)
    assert copying == set()
    assert alike == {"cleo dora"}
    assert unclear
    assert all("cleo and dora, or anna and ben; cleo and dora if no system copies" in text for text in unclear)


@pytest.mark.parametrize("seed", range(4))
def test_a_system_that_copies_one_of_four_is_accused_alone(seed: int) -> None:
    copying, alike, _ = of_four(seed, system_copies=0.9)
    assert copying == {"s1 cleo"}
    assert alike == set()


@pytest.mark.parametrize("seed", range(4))
def test_a_system_and_an_annotator_who_copy_the_same_one_are_not_told_apart(seed: int) -> None:
    copying, alike, unclear = of_four(seed, dora_copies=0.9, system_copies=0.9)
    assert copying == set()
    assert "cleo dora" in alike
    assert any(text.startswith("s1 agrees with cleo") and "cleo and dora, or anna and ben)" in text for text in unclear)
