"""Kendall's W: published examples, scipy's correlations of each pair, ties, and what is not compared."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau, spearmanr

from stats.answers import RANKS, answer_agreement, answers_by_pair, ranking_distances
from stats.errors import StatsError
from stats.item_distances import distance_windows, distances_of_answers

# Siegel (1956), Nonparametric Statistics, ch. 9: three executives rank six applicants, W = .16.
APPLICANTS = {"x": [1, 6, 3, 2, 5, 4], "y": [1, 5, 6, 4, 2, 3], "z": [6, 3, 2, 5, 4, 1]}
# Kendall (1948), and Siegel (1956) after him: three rankings of ten with ties, W = .828 corrected for them.
TIED = {
    "x": [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
    "y": [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
    "z": [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
}


def ranks(items: dict[str, dict[str, list[float]]]) -> pl.DataFrame:
    rows = [
        (item, rater, f"o{place}", float(rank))
        for item, raters in items.items()
        for rater, given in raters.items()
        for place, rank in enumerate(given)
    ]
    return pl.DataFrame(rows, schema=RANKS, orient="row")


@pytest.mark.parametrize(("table", "published", "within"), [(APPLICANTS, 0.16, 5e-3), (TIED, 0.828, 5e-4)])
def test_published_examples(table: dict[str, list[float]], published: float, within: float) -> None:
    distances, concordance = ranking_distances(ranks({"1": table}))
    row = answer_agreement(distances, concordance=concordance).row(0, named=True)
    assert row["estimate"] == pytest.approx(published, abs=within)
    assert (row["name"], row["low"], row["reason"], row["n_raters"]) == ("kendall_w", None, "too_few_items", 3)


@pytest.mark.parametrize("seed", range(5))
def test_each_pair_has_the_correlations_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    items = {str(item): {rater: rng.integers(0, 4, 5).astype(float).tolist() for rater in "abc"} for item in range(8)}
    distances, concordance = ranking_distances(ranks(items))
    for row in distances.to_dicts():
        first, second = (items[row["item"]][row[side]] for side in ("rater_a", "rater_b"))
        assert row["spearman"] == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)
        assert row["kendall_tau"] == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)
    assert concordance["kendall_w"].is_between(0, 1).all()
    result = answer_agreement(distances, concordance=concordance)
    assert result["name"].to_list() == ["kendall_w", "spearman", "kendall_tau"]
    assert result.select((pl.col("low") <= pl.col("estimate")) & (pl.col("estimate") <= pl.col("high")))["low"].all()


def test_w_without_ties_is_a_function_of_the_mean_rho() -> None:
    distances, concordance = ranking_distances(ranks({"1": APPLICANTS}))
    mean = distances["spearman"].mean()
    assert isinstance(mean, float)
    assert concordance["kendall_w"][0] == pytest.approx((1 + 2 * mean) / 3)


def test_items_count_by_the_number_of_their_raters_and_the_jackknife_leaves_each_out() -> None:
    same, other = [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]
    items = {"1": dict.fromkeys("abc", same), "2": {"a": same, "b": other}, "3": {"a": same, "b": same}}
    distances, concordance = ranking_distances(ranks(items))
    row = answer_agreement(distances, concordance=concordance, coefficients=["kendall_w"]).row(0, named=True)
    assert row["estimate"] == pytest.approx((3 * 1 + 2 * 0 + 2 * 1) / 7)
    without = np.array([(0 + 2) / 4, (3 + 2) / 5, (3 + 0) / 5])
    assert row["se"] == pytest.approx((2 / 3 * ((without - without.mean()) ** 2).sum()) ** 0.5)
    pairs = answers_by_pair(distances, coefficients=["spearman"]).select("rater_a", "rater_b", "estimate", "n_items")
    assert pairs.rows() == [("a", "b", pytest.approx(1 / 3), 3), ("a", "c", 1.0, 1), ("b", "c", 1.0, 1)]
    assert answers_by_pair(distances, min_items=2)["rater_b"].unique().to_list() == ["b"]


def test_raters_who_ranked_different_options_are_not_compared() -> None:
    rows = ranks({"1": {"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]}, "2": {"a": [1.0, 2.0]}})
    distances, concordance = ranking_distances(rows)
    assert (distances.height, concordance.height) == (0, 0)
    assert set(answer_agreement(distances, concordance=concordance)["reason"]) == {"too_few_raters"}


def test_a_rater_who_ties_all_has_no_correlation() -> None:
    distances, concordance = ranking_distances(ranks({"1": {"a": [1.0, 1.0], "b": [2.0, 2.0]}}))
    assert distances.row(0)[3:] == (None, None)
    assert set(answer_agreement(distances, concordance=concordance)["reason"]) == {"zero_denominator"}


ONE_TIES = {
    "1": {"a": [1.0, 2.0, 3.0], "b": [1.0, 3.0, 2.0]},
    "2": {"a": [1.0, 1.0, 1.0], "b": [2.0, 1.0, 3.0]},
    "3": {"a": [1.0, 1.0, 1.0], "b": [1.0, 1.0, 1.0]},
}


def test_the_items_of_a_figure_are_those_for_which_it_is_defined() -> None:
    distances, concordance = ranking_distances(ranks(ONE_TIES))
    result = answer_agreement(distances, concordance=concordance)
    assert result.select("name", "n_items", "n_raters", "n_ratings").rows() == [
        ("kendall_w", 2, 2, 4), ("spearman", 1, 2, 2), ("kendall_tau", 1, 2, 2)
    ]  # fmt: skip
    assert result["reason"].to_list() == [None, "too_few_items", "too_few_items"]
    assert answers_by_pair(distances)["n_items"].to_list() == [1, 1]


def test_so_they_are_in_windows() -> None:
    distances = distances_of_answers(*ranking_distances(ranks(ONE_TIES)))
    members = pl.DataFrame([(1, "1"), (1, "2"), (1, "3"), (2, "2"), (3, "3")], schema=["window", "item"], orient="row")
    result = distance_windows(distances, members).select("window", "name", "n_items", "n_raters", "n_ratings", "reason")
    assert result.rows() == [
        (1, "kendall_w", 2, 2, 4, None), (1, "spearman", 1, 2, 2, "too_few_items"),
        (1, "kendall_tau", 1, 2, 2, "too_few_items"), (2, "kendall_w", 1, 2, 2, "too_few_items"),
        (2, "spearman", 0, 0, 0, "zero_denominator"), (2, "kendall_tau", 0, 0, 0, "zero_denominator"),
    ]  # fmt: skip


def test_each_figure_counts_the_items_and_raters_that_it_rests_on() -> None:
    """On item 2 b ties all: W is defined, and no correlation with b is. On item 3 nothing is but that both did it."""
    a, b, c = [1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [3.0, 2.0, 1.0]
    held = ranks({"1": {"a": a, "b": a}, "2": {"a": a, "b": b}, "3": {"a": b, "b": b}, "4": {"a": a, "c": c}})
    distances, concordance = ranking_distances(held)
    expected = {"kendall_w": (3, 3, 6), "spearman": (2, 3, 4), "kendall_tau": (2, 3, 4)}
    columns = ("name", "n_items", "n_raters", "n_ratings")
    figures = answer_agreement(distances, concordance=concordance).select(columns).rows()
    assert {name: tuple(numbers) for name, *numbers in figures} == expected
    pairs = answers_by_pair(distances, coefficients=["spearman"]).select("rater_a", "rater_b", "n_items").rows()
    assert pairs == [("a", "b", 1), ("a", "c", 1)]
    members = pl.DataFrame({"window": [0, 0, 0, 0, 1], "item": ["1", "2", "3", "4", "2"]})
    windows = distance_windows(distances_of_answers(distances, concordance), members)
    rows = windows.select("window", *columns).rows()
    assert {name: tuple(numbers) for window, name, *numbers in rows if window == 0} == expected
    alone = windows.filter(pl.col("window") == 1, pl.col("name") == "kendall_w")
    assert alone.select("n_items", "n_raters", "n_ratings", "estimate").rows() == [
        (1, 2, 2, pytest.approx(concordance["kendall_w"][1]))
    ]


def test_an_unknown_coefficient_is_named() -> None:
    distances, concordance = ranking_distances(ranks({"1": APPLICANTS}))
    with pytest.raises(StatsError, match=r"'kappa'.*kendall_w or spearman"):
        answer_agreement(distances, concordance=concordance, coefficients=["kappa"])
