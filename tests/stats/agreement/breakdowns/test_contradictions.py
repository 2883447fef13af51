"""Raters who contradict the others: planted ones are named, and chance names nobody."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import annotators
from stats.agreement import pairwise
from stats.agreement.breakdowns.contradictions import contradictions


def world_of(
    rng: np.random.Generator,
    n_raters: int,
    n_items: int,
    knows: float,
    *,
    contrary: tuple[int, ...] = (),
    shares: tuple[float, ...] = (0.5, 0.5),
) -> pl.DataFrame:
    """Simulate raters who know the label on the share `knows` of the items and guess on the others.

    The contrary ones give the next label instead.
    """
    k, rows = len(shares), []
    for item, truth in enumerate(rng.choice(k, n_items, p=shares)):
        for rater in range(n_raters):
            label = truth if rng.random() < knows else rng.choice(k, p=shares)
            rows.append((str(item), f"r{rater}", str((label + 1) % k if rater in contrary else label)))
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def named(ratings: pl.DataFrame) -> list[tuple[str, ...]]:
    pairs = pairwise(ratings, labels=sorted(ratings["label"].unique())).to_dicts()
    return sorted(contradiction.raters for contradiction in contradictions(pairs))


@pytest.mark.parametrize(
    ("n_raters", "contrary", "shares", "expected"),
    [
        (2, (1,), (0.5, 0.5), [("r0", "r1")]),
        (3, (1,), (0.5, 0.5), [("r1",)]),
        (3, (1,), (0.3, 0.3, 0.4), [("r1",)]),
        (5, (1,), (0.5, 0.5), [("r1",)]),
        (6, (1, 2), (0.5, 0.5), [("r1",), ("r2",)]),
    ],
)
def test_who_contradicts_the_others_is_named(
    n_raters: int, contrary: tuple[int, ...], shares: tuple[float, ...], expected: list[tuple[str, ...]]
) -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert named(world_of(rng, n_raters, 80, 0.8, contrary=contrary, shares=shares)) == expected


def test_two_against_two_are_named_as_a_pair() -> None:
    (pair,) = named(world_of(np.random.default_rng(2), 4, 80, 0.8, contrary=(1, 2)))
    assert len({"r1", "r2"} & set(pair)) == 1


@pytest.mark.parametrize(
    ("n_raters", "knows", "shares"),
    [(2, 0.0, (0.5, 0.5)), (20, 0.0, (0.3, 0.3, 0.4)), (5, 0.2, (0.5, 0.5)), (4, 0.5, (0.95, 0.05))],
)
def test_chance_names_nobody(n_raters: int, knows: float, shares: tuple[float, ...]) -> None:
    rng = np.random.default_rng(3)
    assert [named(world_of(rng, n_raters, 60, knows, shares=shares)) for _ in range(15)] == [[]] * 15


def test_few_items_and_missing_pairs_say_nothing() -> None:
    assert named(world_of(np.random.default_rng(4), 3, 12, 0.9, contrary=(1,))) == []
    assert contradictions([]) == []
    alone: dict[str, Any] = {"rater_a": "a", "rater_b": "b", "coefficient": "cohen_kappa", "n_items": 50}
    assert contradictions([alone | {"estimate": None, "low": None, "high": None}]) == []


def test_an_accuracy_that_is_undefined_says_so() -> None:
    ratings = world_of(np.random.default_rng(5), 3, 80, 0.8, contrary=(1,))
    rows = {row["rater"]: row for row in annotators(ratings, labels=["0", "1"]).raters.to_dicts()}
    assert rows["r1"]["reason"] == "not_identified"
    assert rows["r1"]["detail"].startswith("This rater contradicts the others (kappa -0.")
    assert "contradicts" not in rows["r0"]["detail"]
    assert "r1" not in rows["r1"]["detail"]  # a stored sentence names nobody who may be forgotten


def test_the_sentences() -> None:
    pairs = [
        {"rater_a": a, "rater_b": b, "coefficient": "cohen_kappa", "n_items": 80}
        | {"estimate": kappa, "low": kappa - 0.1, "high": kappa + 0.1}
        for a, b, kappa in (("ann", "bob", -0.8), ("ann", "cy", 0.9), ("bob", "cy", -0.7))
    ]
    assert contradictions(pairs)[0].sentence == (
        "bob contradicts the others (kappa -0.75 [-0.85, -0.65]; that of the others among themselves is 0.90)."
        " Perhaps the labels were mixed up."
    )
    assert contradictions(pairs[:1])[0].sentence == (
        "ann and bob contradict each other (kappa -0.80 [-0.90, -0.70]). Perhaps one of them mixed up the labels."
    )
