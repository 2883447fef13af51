"""The pairs with a rater beside those without: by hand, and the interval of the difference by simulation."""

import numpy as np
import polars as pl
import pytest

from stats.agreement.scorecard.pairs_with_rater import pairs_with_rater
from stats.errors import StatsError

LABELS = ["A", "B"]


def frame(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def simulated(seed: int, n_raters: int, per_item: int, hard: float = 0.0) -> pl.DataFrame:
    """r0 and the others are right alike; with `hard`, all are right less often on the items of r0."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(80):
        raters = rng.choice(n_raters, per_item, replace=False)
        right = 0.85 - (hard if 0 in raters else 0)
        rows += [(str(item), f"r{rater}", LABELS[int(rng.random() > right)]) for rater in raters]
    return frame(rows)


def test_shares_are_those_counted_by_hand() -> None:
    result = pairs_with_rater(
        frame([(str(i), r, x) for i, item in enumerate(["AAB", "ABA", "AAA"]) for r, x in zip("xyz", item, strict=True)]
              + [("3", "x", "A"), ("3", "y", "B"), ("4", "z", "A")]),
        labels=LABELS, rater="z",
    )  # fmt: skip
    assert result is not None
    assert (result.pairs_with.share, result.pairs_with.n_items) == (0.5, 3)  # 0 + 1 + 2 of 6
    assert (result.pairs_without.share, result.pairs_without.n_items) == (pytest.approx(2 / 3), 3)  # not item 3
    assert result.same_items
    assert result.low < result.difference < result.high


def test_counted_items_are_as_good_as_single_ones() -> None:
    ratings = simulated(1, 4, 3)
    twice = pl.concat([ratings, ratings.with_columns(pl.format("x{}", "item").alias("item"))])
    assert pairs_with_rater(ratings.with_columns(n_items=2), labels=LABELS, rater="r0") == pairs_with_rater(
        twice, labels=LABELS, rater="r0"
    )


@pytest.mark.parametrize(("n_raters", "per_item", "hard"), [(5, 5, 0.0), (4, 3, 0.3), (5, 2, 0.0)])
def test_a_rater_like_the_others_is_seldom_below_them(n_raters: int, per_item: int, hard: float) -> None:
    """Hard items accuse nobody, where somebody else rated them too."""
    below = 0
    for seed in range(300):
        result = pairs_with_rater(simulated(seed, n_raters, per_item, hard), labels=LABELS, rater="r0")
        assert result is not None
        assert result.same_items == (per_item > 2)
        below += result.high < 0
    assert below / 300 < 0.04


def test_too_few_pairs_have_no_figures_and_an_unknown_rater_is_named() -> None:
    ratings = frame([("1", "x", "A"), ("1", "y", "A"), ("2", "x", "B"), ("2", "y", "A")])
    assert pairs_with_rater(ratings, labels=LABELS, rater="y") is None
    with pytest.raises(StatsError, match="no rating of 'z'"):
        pairs_with_rater(ratings, labels=LABELS, rater="z")
