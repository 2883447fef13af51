"""Each two raters."""

import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from stats.agreement import COEFFICIENTS, agreement, pairwise
from stats.agreement.breakdowns import by_pair
from stats.errors import StatsError
from stats.reasons import REASONS

LABELS = ["A", "B", "C"]


def ratings_of(n_items, n_raters, share, seed=1):
    rng = random.Random(seed)
    rows = [
        (f"item {i}", f"r{g:03}", rng.choice("AAB" if g % 2 else "ABC"))
        for i in range(n_items)
        for g in range(n_raters)
        if rng.random() < share
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


@pytest.mark.parametrize("weights", [None, "linear"])
@pytest.mark.parametrize("n_raters", [4, 40])
def test_a_pair_is_the_agreement_of_its_common_items(n_raters, weights, monkeypatch):
    monkeypatch.setattr(by_pair, "MAX_CELLS", 30 if n_raters == 4 else 600)  # blocks of 3 or 66 pairs
    ratings = ratings_of(20, n_raters, 0.4)
    names = list(COEFFICIENTS)
    result = pairwise(ratings, labels=LABELS, scale="ordinal", weights=weights, coefficients=names)
    chosen = random.Random(2).sample(result.select("rater_a", "rater_b").unique().sort(pl.all()).rows(), 6)
    for a, b in chosen:
        both = ratings.filter(pl.col("rater").is_in([a, b]))
        both = both.filter(pl.len().over("item") == 2)
        expected = agreement(both, labels=LABELS, scale="ordinal", weights=weights, coefficients=names)
        of_pair = result.filter(rater_a=a, rater_b=b)
        assert of_pair["coefficient"].to_list() == names
        assert of_pair["n_items"].to_list() == [both["item"].n_unique()] * len(names)
        assert of_pair["reason"].to_list() == expected["reason"].to_list()
        for column in ("estimate", "se", "low", "high"):
            for ours, theirs in zip(of_pair[column], expected[column], strict=True):
                assert ours == (None if theirs is None else pytest.approx(theirs, abs=1e-9)), (a, b, column)


def test_all_pairs_with_common_items_and_no_others():
    ratings = ratings_of(30, 25, 0.1)
    items = {rater: set(part["item"]) for (rater,), part in ratings.group_by("rater")}
    common = {(a, b): len(items[a] & items[b]) for a in items for b in items if a < b and items[a] & items[b]}
    result = pairwise(ratings, labels=LABELS, coefficients=["percent_agreement", "cohen_kappa"])
    assert len(common) < 25 * 24 / 2, "the example has pairs without a common item"
    assert result.height == 2 * len(common)
    assert {(a, b): n for a, b, n in result.select("rater_a", "rater_b", "n_items").iter_rows()} == common
    assert result.select("rater_a", "rater_b").rows() == sorted(result.select("rater_a", "rater_b").rows())
    assert result["coefficient"].to_list() == ["percent_agreement", "cohen_kappa"] * len(common)


@pytest.mark.parametrize("method", ["t", "normal", "jackknife", "percentile", "bca"])
def test_blocks_of_pairs_change_nothing(method, monkeypatch):
    ratings = ratings_of(20, 6, 0.7)
    chosen = {"labels": LABELS, "coefficients": list(COEFFICIENTS), "interval_method": method, "replicates": 100}
    whole = pairwise(ratings, **chosen)
    monkeypatch.setattr(by_pair, "MAX_CELLS", 30)
    assert_frame_equal(pairwise(ratings, **chosen), whole, abs_tol=1e-12)
    if method in ("percentile", "bca"):
        assert pairwise(ratings, seed=1, **chosen)["se"].to_list() != whole["se"].to_list()


def test_min_items_leaves_out_pairs_with_fewer():
    ratings = ratings_of(30, 12, 0.3)
    names = ["cohen_kappa", "gwet_ac1"]
    result = pairwise(ratings, labels=LABELS, coefficients=names)
    for least in (1, 3, 4, 31):
        expected = result.filter(pl.col("n_items") >= least)
        assert pairwise(ratings, labels=LABELS, coefficients=names, min_items=least).equals(expected)
    assert 0 < result.filter(pl.col("n_items") >= 4).height < result.height
    with pytest.raises(StatsError, match="min_items or more, a number from 1, found 0"):
        pairwise(ratings, labels=LABELS, min_items=0)


def test_all_coefficients_of_a_pair():
    result = pairwise(ratings_of(10, 2, 1.0), labels=["A", "B", "C"], coefficients=None)
    assert result["coefficient"].to_list() == list(COEFFICIENTS)
    # three labels, and not numbers
    undefined = result.filter(pl.col("reason") == "not_applicable")["coefficient"].to_list()
    assert undefined == ["yule_y", "icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k"]


def test_undefined_pairs_have_a_reason():
    rows = [("1", "a", "A"), ("1", "b", "A"), ("1", "c", "A"), ("2", "b", "A"), ("2", "c", "A")]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    result = pairwise(ratings, labels=LABELS)
    assert result.select("rater_a", "rater_b", "estimate", "n_items", "reason").rows() == [
        ("a", "b", None, 1, "too_few_items"),
        ("a", "c", None, 1, "too_few_items"),
        ("b", "c", None, 2, "zero_denominator"),
    ]
    assert set(result["reason"]) <= set(REASONS)


@pytest.mark.parametrize("rows", [[], [("1", "a", "A"), ("2", "b", "B")]])
def test_no_pairs(rows):
    schema = {"item": pl.String, "rater": pl.String, "label": pl.String}
    result = pairwise(pl.DataFrame(rows, schema=schema, orient="row"), labels=LABELS)
    assert result.schema == by_pair.SCHEMA
    assert result.is_empty()
