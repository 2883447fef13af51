"""Warnings in words: each thing that makes an estimate doubtful is said, with its direction."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from stats.accuracy import accuracy, assumption_checks
from stats.accuracy.warnings_in_words import MAX_ALIKE, from_checks

LABELS = list("ABCDE")
World = Callable[..., pl.DataFrame]
Frame = Callable[..., pl.DataFrame]


def added(ratings: pl.DataFrame, *, scale: str = "nominal", systems: tuple[str, ...] = ("bot",)) -> tuple[str, ...]:
    checks = assumption_checks(ratings, labels=LABELS, scale=scale, systems=systems, replicates=199)
    return from_checks(checks, "bot")


def figures(ratings: pl.DataFrame, method: str, labels: list[str] = LABELS) -> dict[str, Any]:
    return accuracy(ratings, systems=["bot"], labels=labels, methods=[method]).row(0, named=True)


@pytest.mark.parametrize("method", ["lehner", "average"])
def test_low_kappa_and_few_items(world: World, method: str) -> None:
    warnings = figures(world(150, (0.4, 0.4, 0.4)), method)["warnings"]
    assert any("agree little (kappa" in warning for warning in warnings)
    assert any("rests on few items: 150" in warning for warning in warnings)


@pytest.mark.parametrize(
    ("violation", "scale", "words"),
    [
        ({"asymmetry": 2.0}, "nominal", ["labels that raters mix up", "too low"]),
        ({"asymmetry": 2.0}, "ordinal", ["one step apart", "too low"]),
        ({"error_range": 1.0}, "nominal", ["labels that raters mix up", "too low"]),
        ({"raters": (0.4, 0.6, 0.8)}, "nominal", ["Raters' accuracies differ", "too high"]),
        ({"raters": (0.6,) * 5, "difficulty": 0.2}, "nominal", ["agreement per item varies", "too low"]),
        ({"bot_copies": 0.3}, "nominal", ["bot agrees with r0", "The estimate is then too high."]),
        ({"raters": (0.6,) * 5, "r1_copies": 0.4}, "nominal", ["r0 and r1 agree", "too low"]),
    ],
)
def test_a_violation_is_named_with_its_direction(
    world: World, violation: dict[str, Any], scale: str, words: list[str]
) -> None:
    text = added(world(2000, **violation), scale=scale)
    for word in words:
        assert any(word in sentence for sentence in text), text


def test_nothing_is_said_where_nothing_was_found(world: World) -> None:
    assert added(world(1000, seed=5), scale="ordinal") == ()


def test_another_systems_copying_is_no_warning_on_this_one(world: World) -> None:
    ratings = world(1000, seed=5)
    thief = ratings.filter(pl.col("rater") == "r0").with_columns(rater=pl.lit("thief"))
    checks = assumption_checks(pl.concat([ratings, thief]), labels=LABELS, systems=["bot", "thief"], replicates=199)
    assert from_checks(checks, "bot") == ()
    assert "thief agrees with r0 on 100%" in from_checks(checks, "thief")[0]


def test_raters_no_better_than_chance(frame: Frame) -> None:
    ratings = frame("ABCA", "BCAB", "CABC", raters=["r0", "r1", "r2", "bot"])
    row = figures(ratings, "average", list("ABC"))
    assert (row["accuracy"], row["reason"]) == (None, "not_identified")
    (text,) = from_checks(assumption_checks(ratings, labels=list("ABC"), systems=["bot"], replicates=19), "bot")
    assert text.startswith("The assumptions on the raters cannot be checked. The raters agree on")


def test_the_ordinal_method_on_labels_without_an_order(world: World) -> None:
    row = figures(world(100), "ordinal")
    assert (row["accuracy"], row["reason"]) == (None, "not_applicable")
    assert "no declared order" in row["detail"]


def test_many_pairs_alike_are_summed_up() -> None:
    rows = [("alike", None, None, f"Pair {number}.", True) for number in range(MAX_ALIKE + 2)]
    checks = pl.DataFrame(rows, schema=["name", "system", "reason", "detail", "violated"], orient="row")
    text = from_checks(checks, "bot")
    assert text[:MAX_ALIKE] == tuple(f"Pair {number}." for number in range(MAX_ALIKE))
    assert text[MAX_ALIKE:] == ("Further pairs of raters that are alike: 2.",)


def test_a_system_that_seems_to_copy_many_is_told_of_once() -> None:
    rows = [("copying", "bot", f"r{i}", None, f"bot agrees with r{i}.", True, i / 10) for i in range(9)]
    columns = ["name", "system", "rater", "reason", "detail", "violated", "effect"]
    (text,) = from_checks(pl.DataFrame(rows, schema=columns, orient="row"), "bot")
    assert text == "bot agrees with r8. The same holds for r7, r6, r5, r4, r3 and 3 more."


def pre_annotated(kept: int) -> pl.DataFrame:
    """People who see the system's answers, and change every `kept`-th: the system is right on 3 of 4 items."""
    rows = []
    for i in range(200):
        truth = LABELS[i % 5]
        bot = truth if i % 4 else LABELS[(i + 1) % 5]
        rows.append((str(i), "bot", bot))
        rows += [(str(i), f"r{j}", truth if (i + 7 * j) % kept == 0 else bot) for j in range(3)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def test_people_who_keep_nearly_all_answers_of_the_system_are_said() -> None:
    row = figures(pre_annotated(50), "average")
    assert row["accuracy"] > 0.95  # where .75 is right, and the ratings cannot tell
    assert any("People agree almost always" in warning for warning in row["warnings"])


def test_rare_labels_and_easier_agreement_are_not(world: World) -> None:
    assert not any("almost always" in text for text in figures(world(300, (0.9, 0.9, 0.9)), "average")["warnings"])
    rows = [(str(i), f"r{j}", "B" if i % 50 == j else "A") for i in range(300) for j in range(3)]
    rare = pl.DataFrame(
        [*rows, *((str(i), "bot", "A") for i in range(300))], schema=["item", "rater", "label"], orient="row"
    )
    assert not any("almost always" in text for text in figures(rare, "average", ["A", "B"])["warnings"] or [])
