"""Strengths: published fits, models without a finite strength, intervals, and a peer if it is installed."""

import tomllib
from pathlib import Path
from typing import Any

import choix
import numpy as np
import polars as pl
import pytest

from stats.errors import StatsError
from stats.preferences import strengths
from tests.stats.preferences.vote_frames import counted, drawn, votes

GOLDEN = tomllib.loads((Path(__file__).parents[2] / "data" / "golden" / "preferences.toml").read_text("utf-8"))


def by_model(result: Any) -> dict[str, dict[str, Any]]:
    return {row["model"]: row for row in result.models.to_dicts()}


def test_davidsons_puddings_with_ties() -> None:
    golden = GOLDEN["davidson_pudding"]
    result = strengths(counted([(str(i), str(j), *counts) for i, j, *counts in golden["counts"]]))
    worth = {model: np.exp(row["strength"]) for model, row in by_model(result).items()}
    for model, expected in golden["worth"].items():
        assert worth[model] / sum(worth.values()) == pytest.approx(expected, abs=5e-5)
    assert result.tie_parameter == pytest.approx(golden["tie_parameter"], abs=1e-4)
    assert result.interval_method == "information"


def test_citations_without_ties_with_their_standard_errors() -> None:
    golden = GOLDEN["stigler_citations"]
    names, cited = golden["names"], golden["cited"]
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    result = strengths(counted([(names[i], names[j], cited[i][j], cited[j][i], 0) for i, j in pairs]))
    rows = by_model(result)
    assert sum(row["strength"] for row in rows.values()) == pytest.approx(0, abs=1e-12)
    for model, expected in golden["over_biometrika"].items():
        assert rows[model]["strength"] - rows["Biometrika"]["strength"] == pytest.approx(expected, abs=1e-5)
    assert result.tie_parameter is None
    assert [row["rank"] for row in result.models.to_dicts()] == [1, 2, 3, 4]
    # each is above the next for sure: the standard errors of the differences are small
    assert [(row["rank_low"], row["rank_high"]) for row in result.models.to_dicts()] == [(i, i) for i in (1, 2, 3, 4)]


def test_intervals_of_two_models_are_those_of_a_log_odds() -> None:
    result = by_model(strengths(counted([("a", "b", 30, 10, 0)])))
    se = (1 / 30 + 1 / 10) ** 0.5 / 2
    assert result["a"]["strength"] == pytest.approx(np.log(3) / 2)
    assert result["a"]["se"] == pytest.approx(se)
    assert result["a"]["high"] - result["a"]["low"] == pytest.approx(2 * 1.959964 * se, rel=1e-6)


def test_who_was_shown_first_makes_no_difference() -> None:
    rows = drawn(400, 4, 50)
    turned = rows.with_columns(
        first="second", second="first",
        outcome=pl.col("outcome").replace({"first": "second", "second": "first"}),
    )  # fmt: skip
    ours, theirs = strengths(rows).models, strengths(turned).models
    assert ours["strength"].to_list() == pytest.approx(theirs["strength"].to_list(), abs=1e-9)
    assert ours["low"].to_list() == pytest.approx(theirs["low"].to_list(), abs=1e-9)


def test_a_model_that_always_wins_or_loses_has_no_finite_strength() -> None:
    result = by_model(strengths(counted([("a", "b", 5, 3, 1), ("top", "a", 4, 0, 0), ("b", "low", 6, 0, 0)])))
    assert result["top"]["strength"] is result["low"]["strength"] is None
    assert {result[m]["reason"] for m in ("top", "low")} == {"not_identified"}
    assert "won all of its votes (4)" in result["top"]["detail"]
    assert "lost all of its votes (6)" in result["low"]["detail"]
    alone = by_model(strengths(counted([("a", "b", 5, 3, 1)])))
    assert result["a"]["strength"] == pytest.approx(alone["a"]["strength"])
    assert result["top"]["rank"] is None


def test_groups_that_are_not_linked_have_no_common_scale() -> None:
    result = strengths(counted([("a", "b", 5, 3, 0), ("b", "c", 2, 2, 0), ("x", "y", 9, 8, 0)]))
    assert result.n_groups == 2
    rows = by_model(result)
    assert [m for m, row in rows.items() if row["strength"] is None] == ["x", "y"]
    assert "No chain" in rows["x"]["detail"]


@pytest.mark.parametrize(
    "counts",
    [
        [("a", "b", 3, 0, 2)],  # a never loses: ties do not bound it
        [("a", "b", 0, 0, 4)],
        [("a", "b", 2, 0, 1), ("b", "c", 2, 0, 1)],
        [("a", "b", 4, 0, 0)],
    ],
)
def test_ties_alone_do_not_make_strengths_finite(counts: list[Any]) -> None:
    result = strengths(counted(counts))
    assert result.models["strength"].null_count() == result.models.height
    assert set(result.models["reason"]) == {"not_identified"}
    assert result.tie_parameter is None


def test_a_cycle_with_ties_is_finite() -> None:
    result = strengths(counted([("a", "b", 1, 0, 1), ("b", "c", 1, 0, 0), ("c", "a", 1, 0, 0)]))
    assert result.models["strength"].null_count() == 0


def test_votes_of_an_item_are_not_taken_for_independent() -> None:
    rows = drawn(600, 3, 40)
    once = strengths(rows.with_columns(cluster=pl.int_range(pl.len()).cast(pl.String)))
    tripled = strengths(pl.concat([rows] * 3))
    assert (once.interval_method, tripled.interval_method) == ("information", "clustered")
    assert tripled.n_clusters == 40
    # three copies of a vote tell no more than one; taken for independent they would have .58 of its error
    assert (tripled.models["se"] > 0.75 * once.models["se"]).all()


def test_one_item_gives_strengths_without_intervals() -> None:
    rows = [(1, f"r{i}", "a", "b", outcome) for i, outcome in enumerate(["first", "first", "second"])]
    (best, _) = strengths(votes(rows)).models.to_dicts()
    assert best["strength"] == pytest.approx(np.log(2) / 2)
    assert (best["low"], best["reason"]) == (None, "too_few_items")


def test_no_votes_give_no_models() -> None:
    assert strengths(votes([])).models.is_empty()


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ((1, None, "a", "a", "first"), "with another one"),
        ((1, None, "a", "b", "won"), "An outcome must be one of"),
        ((1, None, None, "b", "tie"), "no null"),
    ],
)
def test_wrong_votes_are_errors(row: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(StatsError, match=sentence):
        strengths(votes([row]))


def test_the_strengths_of_140_000_votes_are_found() -> None:
    result = strengths(drawn(140_000, 64, 20_000))
    estimates = result.models.sort(pl.col("model").str.slice(1).cast(pl.Int64))["strength"].to_numpy()
    assert np.abs(estimates - np.linspace(-1, 1, 64)).max() < 0.2


def test_equal_to_choix() -> None:
    rows = drawn(3_000, 12, 3_000, tie=-30.0)
    winners = [
        (int(f[1:]), int(s[1:])) if outcome == "first" else (int(s[1:]), int(f[1:]))
        for f, s, outcome in rows.select("first", "second", "outcome").iter_rows()
    ]
    theirs = choix.opt_pairwise(12, winners)
    ours = by_model(strengths(rows))
    assert [ours[f"m{i}"]["strength"] for i in range(12)] == pytest.approx((theirs - theirs.mean()).tolist(), abs=1e-3)
