"""Agreement of voters: equal to the coefficients of the ratings that the votes are, and judges beside people."""

import polars as pl
import pytest

from stats.agreement import agreement
from stats.preferences import agreement_by_rater, judges_and_people, vote_agreement
from tests.stats.preferences.vote_frames import drawn, votes

ROWS = [
    (1, "ann", "x", "y", "first"), (1, "ben", "y", "x", "second"), (1, "eva", "x", "y", "tie"),
    (2, "ann", "x", "y", "second"), (2, "ben", "x", "y", "second"),
    (3, "ann", "x", "z", "first"), (3, "ben", "z", "x", "first"),
]  # fmt: skip


def test_a_vote_in_the_other_order_is_the_same_vote() -> None:
    percent, alpha = vote_agreement(votes(ROWS)).to_dicts()
    # 1 of 3 pairs agrees on item 1, all on item 2, none on item 3
    assert percent["estimate"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert (percent["n_comparisons"], percent["n_raters"]) == (3, 3)
    assert percent["low"] <= percent["estimate"] <= percent["high"]
    assert alpha["name"] == "krippendorff_alpha"


def test_equal_to_the_coefficients_of_ratings() -> None:
    pair = {"low": pl.min_horizontal("first", "second"), "high": pl.max_horizontal("first", "second")}
    rows = drawn(900, 3, 60).unique(["item", "rater", *pair.values()], maintain_order=True)  # one order for each rater
    last = rows.with_columns(**pair).with_columns(
        label=pl.when(pl.col("outcome") == "tie").then(pl.lit("tie"))
        .when((pl.col("outcome") == "first") == (pl.col("first") == pl.col("low"))).then(pl.lit("low"))
        .otherwise(pl.lit("high")),
        item=pl.concat_str("item", "low", "high", separator="|"),
    )  # fmt: skip
    turned = last.with_columns(item=pl.col("item") + "'", label=pl.col("label").replace({"low": "high", "high": "low"}))
    both = pl.concat([last, turned])  # each comparison in both orders: names of models make no difference
    theirs = agreement(both, labels=["low", "high", "tie"], coefficients=["percent_agreement", "krippendorff_alpha"])
    ours = vote_agreement(rows)
    assert ours["estimate"].to_list() == pytest.approx(theirs["estimate"].to_list(), abs=1e-12)


def test_nobody_named_and_nothing_shared_are_reasons() -> None:
    nameless = votes([(item, None, *rest) for item, _, *rest in ROWS])
    assert set(vote_agreement(nameless)["reason"]) == {"unnamed_raters"}
    alone = votes([row for row in ROWS if row[1] == "ann"])
    assert set(vote_agreement(alone)["reason"]) == {"too_few_items"}
    assert agreement_by_rater(alone).is_empty()


def test_each_rater_beside_the_others() -> None:
    results = {row["rater"]: row for row in agreement_by_rater(votes(ROWS)).to_dicts()}
    assert results["ann"]["agreement"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert results["eva"]["agreement"] is None  # one comparison tells nothing of others
    assert results["eva"]["reason"] == "too_few_items"


def test_a_judge_beside_people() -> None:
    judged = [*ROWS, (1, "gpt", "x", "y", "first"), (2, "gpt", "y", "x", "first"), (3, "gpt", "x", "z", "tie")]
    (row,) = judges_and_people(votes(judged), judges=["gpt"]).to_dicts()
    assert row["agreement"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert row["people"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert row["difference"] == pytest.approx(row["agreement"] - row["people"])
    assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    (alone,) = judges_and_people(votes(judged), judges=["nobody"]).to_dicts()
    assert alone["reason"] == "too_few_items"


def test_a_voter_asked_in_both_orders_is_one_voter_whose_votes_count_half_each() -> None:
    both = [
        (1, "ann", "x", "y", "first"), (1, "ben", "y", "x", "first"),
        (1, "gpt", "x", "y", "first"), (1, "gpt", "y", "x", "first"),  # the first place wins: one vote for x, one for y
        (2, "ann", "x", "y", "second"), (2, "ben", "x", "y", "second"),
        (2, "gpt", "x", "y", "first"), (2, "gpt", "y", "x", "first"),
        (3, "ann", "x", "y", "tie"), (3, "gpt", "x", "y", "tie"),
    ]  # fmt: skip
    # gpt agrees with half of each person's vote on items 1 and 2, and wholly on item 3
    for rows in (both, both[::-1]):  # the order of the rows is no order of the votes
        (judge,) = judges_and_people(votes(rows), judges=["gpt"]).to_dicts()
        assert judge["agreement"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
        assert judge["difference"] == pytest.approx((1 / 2 + 1 / 2) / 2 - (0 + 1) / 2)
        percent, _alpha = vote_agreement(votes(rows)).to_dicts()
        assert percent["estimate"] == pytest.approx(((1 / 2 + 1 / 2 + 0) / 3 + (1 / 2 + 1 / 2 + 1) / 3 + 1) / 3)
        assert percent["n_raters"] == 3
        others = {row["rater"]: row for row in agreement_by_rater(votes(rows)).to_dicts()}
        assert others["gpt"]["agreement"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
        assert others["ann"]["agreement"] == pytest.approx((1 / 4 + 3 / 4 + 1) / 3)
        assert (others["gpt"]["n_votes"], others["gpt"]["n_comparisons"]) == (5, 3)
