"""All checks of a question together: how often a clean question draws a verdict, and whom nobody may accuse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import assumption_checks
from stats.accuracy.checks.finding import CheckFinding
from stats.accuracy.checks.verdicts import verdicts
from stats.accuracy.warnings_in_words import from_checks

pytestmark = pytest.mark.field_trial(3)

LABELS = list("ABCD")
World = Callable[..., pl.DataFrame]


def ratings_of(codes: np.ndarray[Any, Any], names: list[str]) -> pl.DataFrame:
    item, rater = np.indices(codes.shape)
    frame = pl.DataFrame({"item": item.ravel(), "rater": rater.ravel(), "label": codes.ravel()})
    text = (pl.Series(values).gather(frame[name]) for name, values in (("rater", names), ("label", LABELS)))
    return frame.with_columns(pl.col("item").cast(pl.String), *(
        series.alias(name) for name, series in zip(("rater", "label"), text, strict=True)
    ))  # fmt: skip


def right_or_else(truth: Any, accuracy: float, wrong: Any, rng: np.random.Generator) -> Any:
    return np.where(rng.random(len(truth)) < accuracy, truth, wrong)


def copying(ratings: pl.DataFrame, *systems: str, labels: list[str] = LABELS) -> list[dict[str, Any]]:
    result = assumption_checks(ratings, labels=labels, systems=systems, replicates=199)
    return result.filter(pl.col("name") == "copying").to_dicts()


def crowd_with_an_expert(systems: int, seed: int = 1) -> pl.DataFrame:
    """600 items, of which 40 % have a trap into which three of five raters fall; the expert, one other and the systems,
    who err independently of everybody, do not."""
    rng, n = np.random.default_rng(seed), 600
    truth, trap = rng.integers(0, 4, n), rng.random(n) < 0.4
    tempting = (truth + rng.integers(1, 4, n)) % 4

    def answers(accuracy: float, *, falls: bool) -> Any:
        own = right_or_else(truth, accuracy, (truth + rng.integers(1, 4, n)) % 4, rng)
        return np.where(trap & (rng.random(n) < 0.7), tempting, own) if falls else own

    crowd = [answers(0.8, falls=True) for _ in range(4)]
    columns = [answers(0.97, falls=False), *crowd, *(answers(0.9, falls=False) for _ in range(systems))]
    names = ["expert", "r1", "r2", "r3", "r4", *(f"system {number}" for number in range(systems))]
    return ratings_of(np.column_stack(columns), names)


def test_independent_systems_that_agree_with_the_accurate_rater_are_not_accused() -> None:
    ratings = crowd_with_an_expert(2)
    rows = copying(ratings, "system 0", "system 1")
    assert not any(row["violated"] for row in rows)
    pointing = [row for row in rows if row["violated"] is None]
    assert {(row["system"], row["rater"]) for row in pointing} == {("system 0", "expert"), ("system 1", "expert")}
    for row, other in zip(pointing, ("system 1", "system 0"), strict=True):
        assert row["p_adjusted"] < 0.001
        assert f"So does {other}. That several systems point to expert does not mean that they copy" in row["detail"]
    text = from_checks(assumption_checks(ratings, labels=LABELS, systems=["system 0", "system 1"]), "system 0")
    assert any("expert may simply be right where other raters share an error" in sentence for sentence in text)
    assert not any("The estimate is then too high." in sentence for sentence in text)


def test_a_system_that_points_to_the_best_rater_is_not_accused(world: World) -> None:
    result = assumption_checks(
        world(1000, (0.9, 0.6, 0.6, 0.6, 0.6), bot_copies=0.6), labels=list("ABCDE"), systems=["bot"], replicates=199
    )
    (row,) = result.filter(name="copying", rater="r0").to_dicts()
    assert row["violated"] is None
    assert "But r0 is better than the other raters: the two may simply be right where others err." in row["detail"]
    assert "If the system has learned from that rater's labels, the estimate is too high" in row["detail"]


@pytest.mark.parametrize("n_labels", [2, 4])
def test_raters_who_favour_labels_are_not_said_to_copy(n_labels: int) -> None:
    """Everybody errs alone, but who does not know takes a label that he likes: two who like the same one agree."""
    accused, labels = 0, LABELS[:n_labels]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.choice(n_labels, 300, p=np.arange(n_labels, 0, -1) / np.arange(n_labels + 1).sum())
        likes = [rng.dirichlet(np.ones(n_labels)) for _ in range(8)]
        columns = [right_or_else(truth, 0.5, rng.choice(n_labels, 300, p=liked), rng) for liked in likes]
        rows = copying(
            ratings_of(np.column_stack(columns), [f"r{g}" for g in range(7)] + ["bot"]), "bot", labels=labels
        )
        accused += any(row["violated"] for row in rows)
    assert accused <= 2


def test_at_most_one_clean_question_in_twenty_draws_a_verdict() -> None:
    drawn, n = 0, 120
    for seed in range(n):
        rng = np.random.default_rng([7, seed])
        truth = rng.integers(0, 4, 40)
        columns = [
            right_or_else(truth, accuracy, (truth + rng.integers(1, 4, 40)) % 4, rng)
            for accuracy in (0.7, 0.7, 0.7, 0.7, 0.9, 0.8, 0.85)
        ]
        ratings = ratings_of(np.column_stack(columns), ["r0", "r1", "r2", "r3", "s0", "s1", "s2"])
        result = assumption_checks(
            ratings, labels=LABELS, systems=["s0", "s1", "s2"], scale="ordinal", replicates=199, seed=seed
        )
        drawn += bool(result["violated"].any())
    assert drawn <= 0.05 * n


def test_each_check_has_an_equal_share_and_its_rows_divide_it() -> None:
    def finding(name: str, p: float, **rest: Any) -> CheckFinding:
        return CheckFinding(name, "Found", 1.0, p, 0.5, True, "Mind it.", "no sign", **rest)

    rows = [finding("pairs", 0.012), finding("raters", 0.3), *(finding("copying", p) for p in (0.001, 0.5, 0.5, 0.9))]
    result = verdicts([*rows, CheckFinding("alike", "Too few.", reason="too_few_raters")])
    # 3 checks, 4 rows of the one: .001 x 3 x 4; then 2.75 shares are left for .012, and 1.75 for .3
    assert [outcome.p_adjusted for outcome in result[:3]] == pytest.approx([0.033, 0.525, 0.012])
    assert [outcome.violated for outcome in result] == [True, False, True, False, False, False, None]
    assert result[0].detail == "Found (p 0.033, corrected for 6 tests). Mind it."
    assert (result[-1].p_adjusted, result[-1].detail) == (None, "Too few.")
    by_chance = verdicts([finding("pairs", 0.03), finding("raters", 0.3)])[0]
    assert by_chance.violated is False
    expected = "Found (p 0.060, corrected for 2 tests): with so many tests one such result is found by chance."
    assert by_chance.detail == expected


def test_a_system_with_all_answers_of_a_rater_is_not_called_clear(world: World) -> None:
    """Three raters are too few for the test to reject, but "nothing found" is no verdict on 60 equal answers of 60."""
    labels = ["A", "B"]
    rows = copying(world(60, (0.85, 0.85, 0.85), bot_copies=1.0, labels=labels), "bot", labels=labels)
    twin = next(row for row in rows if row["rater"] == "r0")
    assert twin["violated"] is None
    assert twin["p_adjusted"] > 0.05
    assert "no answer differs" in twin["detail"]
    assert not any("no answer differs" in row["detail"] for row in rows if row["rater"] != "r0")
    alone = copying(world(60, (0.85, 0.85, 0.85), labels=labels), "bot", labels=labels)
    assert [row["violated"] for row in alone] == [False] * 3
