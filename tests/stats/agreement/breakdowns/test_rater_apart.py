"""The one rater who agrees little with the others, who agree with each other: only a planted one is named."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.agreement import pairwise
from stats.agreement.breakdowns.pairs_by_scale import pairs_by_scale
from stats.agreement.breakdowns.rater_apart import rater_apart

PAIR = {"coefficient": "cohen_kappa", "n_items": 80}


def pair(a: str, b: str, kappa: float, **changes: Any) -> dict[str, Any]:
    return PAIR | {"rater_a": a, "rater_b": b, "estimate": kappa, "low": kappa - 0.1, "high": kappa + 0.1} | changes


def apart(seed: int, knows: tuple[float, ...], n_items: int = 200) -> str | None:
    """Simulate raters who know the label of this share of the items, and guess on the others."""
    rng = np.random.default_rng(seed)
    rows = [
        (str(item), f"r{number}", str(truth if rng.random() < share else rng.integers(3)))
        for item, truth in enumerate(rng.integers(3, size=n_items))
        for number, share in enumerate(knows)
    ]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    result = rater_apart(pairwise(ratings, labels=["0", "1", "2"]).to_dicts())
    return result.rater if result else None


def test_who_guesses_is_named_among_those_who_know() -> None:
    assert [apart(seed, (0.95, 0.0, 0.95)) for seed in range(20)] == ["r1"] * 20
    assert [apart(seed, (0.95, 0.95, 0.95, 0.2)) for seed in range(20)] == ["r3"] * 20


@pytest.mark.parametrize("knows", [(0.9,) * 3, (0.5,) * 4, (0.0,) * 3, (0.95, 0.0), (0.95, 0.95, 0.0, 0.0)])
def test_nobody_is_named_where_nobody_or_not_just_one_is_apart(knows: tuple[float, ...]) -> None:
    assert [apart(seed, knows) for seed in range(20)] == [None] * 20


def test_the_figures_are_means_by_items() -> None:
    rows = [
        pair("a", "x", 0.0, n_items=100), pair("b", "x", 0.2, n_items=300), pair("a", "b", 0.9), pair("a", "c", 0.7),
        pair("c", "x", -0.5, n_items=19),  # too few to count
        pair("b", "c", 0.1, coefficient="percent_agreement"),
    ]  # fmt: skip
    result = rater_apart(rows)
    assert result is not None
    assert (result.rater, result.kappa, result.among_others) == ("x", pytest.approx(0.15), pytest.approx(0.8))
    assert result.sentence == "x agrees little with the others (kappa 0.15), who agree with each other (0.80)."


@pytest.mark.parametrize(
    "changed",
    [
        pair("a", "x", 0.35),  # its interval reaches 0.4
        pair("a", "x", 0.1, high=None),  # then x has one pair
        pair("a", "b", 0.66),
        pair("a", "b", 0.7, low=0.39),
        pair("a", "b", 0.7, n_items=19),  # then nothing is known of the others
    ],
)
def test_what_is_not_sure_names_nobody(changed: dict[str, Any]) -> None:
    rows = {("a", "x"): pair("a", "x", 0.1), ("b", "x"): pair("b", "x", 0.1), ("a", "b"): pair("a", "b", 0.9)}
    result = rater_apart(rows.values())
    assert result is not None
    assert result.rater == "x"
    rows[changed["rater_a"], changed["rater_b"]] = changed
    assert rater_apart(rows.values()) is None


@pytest.mark.parametrize("weights", [None, "masi", "jaccard"])
def test_who_gives_all_items_the_same_answer_is_named_also_where_the_others_agree_only_so_far(
    weights: str | None,
) -> None:
    rng = np.random.default_rng(3)
    truth = rng.random((150, 3)) < 0.4
    labels = [[name for name, is_in in zip("abc", row, strict=True) if is_in] for row in np.ndindex(2, 2, 2)]
    sets = [json.dumps(names) for names in labels]

    def answers(rater: str) -> np.ndarray[Any, Any]:
        return np.ones_like(truth) if rater == "all" else truth != (rng.random(truth.shape) < 0.1)

    rows = [
        (str(item), rater, sets[int("".join(str(int(is_in)) for is_in in row), 2)])
        for rater in ("r1", "r2", "all", "r3")
        for item, row in enumerate(answers(rater))
    ]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    pairs = pairwise(ratings, labels=sets, weights=weights).to_dicts()
    result = rater_apart(pairs)
    assert result is not None
    among = [row["estimate"] for row in pairs if "all" not in (row["rater_a"], row["rater_b"])]
    assert result.sentence == (
        "all gives all items that others rated, too, the same answer, and the others agree with each other "
        f"({np.mean(among):.2f})."
    )
    assert rater_apart([row for row in pairs if "r3" not in (row["rater_a"], row["rater_b"])]) is not None
    assert rater_apart([row | {"low": -0.1} for row in pairs if "all" not in (row["rater_a"], row["rater_b"])]) is None


def test_who_gives_all_items_the_same_number_is_not_said_to_be_more_severe() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(50, 20, 200)
    rows = [(str(i), r, str(round(v + rng.normal(0, 6)))) for i, v in enumerate(values) for r in ("ann", "bob", "cy")]
    rows += [(str(i), "lazy", "50") for i in range(200)]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    labels = sorted(ratings["label"].unique(), key=float)
    result = rater_apart(pairs_by_scale(ratings, labels=labels, scale="interval").to_dicts())
    assert result is not None
    assert result.sentence == (
        "lazy gives all items that others rated, too, the same answer, and the others agree with each other (0.90)."
    )
