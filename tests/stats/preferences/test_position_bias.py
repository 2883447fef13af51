"""Position bias: found where it is, told from strengths, null where the design cannot tell."""

import math

import polars as pl
import pytest
from scipy.stats import norm, t

from stats.preferences import own_position_bias, position_bias
from tests.stats.preferences.vote_frames import counted, drawn


def test_a_bias_is_found_and_its_absence_too() -> None:
    expected = 1 / (1 + 2.718281828**-0.6)
    (biased, *_) = position_bias(drawn(6_000, 5, 6_000_000, bias=0.6)).to_dicts()
    assert biased["low"] < expected < biased["high"]
    assert biased["first_wins"] == pytest.approx(expected, abs=0.02)
    (fair, *raters) = position_bias(drawn(6_000, 5, 6_000_000)).to_dicts()
    assert fair["low"] < 0.5 < fair["high"]
    assert [row["rater"] for row in raters] == [f"r{i}" for i in range(7)]
    assert sum(row["n_votes"] for row in raters) == fair["n_votes"] == 6_000


def test_two_orders_of_equal_models_give_the_share_of_the_first() -> None:
    (row,) = position_bias(counted([("a", "b", 30, 10, 0), ("b", "a", 30, 10, 0)])).to_dicts()
    assert row["first_wins"] == pytest.approx(0.75, abs=1e-6)


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def test_the_interval_is_that_of_the_log_odds_of_the_first() -> None:
    """With equal models nothing else is estimated, so the variance of the bias is 1 / (n p (1 - p))."""
    votes = counted([("a", "b", 30, 10, 0), ("b", "a", 30, 10, 0)])
    (row,) = position_bias(votes).to_dicts()
    half = norm.ppf(0.975) / (80 * 0.75 * 0.25) ** 0.5
    assert logit(row["low"]) == pytest.approx(logit(0.75) - half, abs=1e-6)
    assert logit(row["high"]) == pytest.approx(logit(0.75) + half, abs=1e-6)


def test_an_item_that_was_asked_four_times_alike_is_one_item() -> None:
    votes = counted([("a", "b", 30, 10, 0), ("b", "a", 30, 10, 0)])
    items = votes.with_columns(cluster=pl.int_range(pl.len()).cast(pl.String))
    (once,) = position_bias(items).to_dicts()
    (four,) = position_bias(pl.concat([items] * 4)).to_dicts()
    assert four["first_wins"] == pytest.approx(once["first_wins"], abs=1e-6)
    half = norm.ppf(0.975) / (80 * 0.75 * 0.25) ** 0.5
    of_clusters = half * t.ppf(0.975, 79) / norm.ppf(0.975) * (80 / 79) ** 0.5
    assert logit(four["high"]) - logit(0.75) == pytest.approx(of_clusters, rel=1e-3)


def test_a_fixed_order_cannot_be_told_from_strength() -> None:
    (row,) = position_bias(counted([("ref", "a", 9, 5, 2), ("ref", "b", 3, 4, 0)])).to_dicts()
    assert (row["first_wins"], row["reason"]) == (None, "not_identified")
    assert (row["n_first"], row["n_second"], row["n_ties"]) == (12, 9, 2)


def test_a_voter_who_always_takes_the_first_has_no_finite_bias() -> None:
    (row,) = position_bias(counted([("a", "b", 5, 0, 0), ("b", "a", 5, 0, 0)])).to_dicts()
    assert (row["first_wins"], row["reason"]) == (None, "not_identified")
    assert "for the model shown first. So the strengths may show only which model was shown there" in row["detail"]
    (row,) = position_bias(counted([("a", "b", 0, 5, 0), ("b", "a", 0, 5, 0)])).to_dicts()
    assert "for the model shown second." in row["detail"]


def test_ties_do_not_follow_the_position() -> None:
    (row,) = position_bias(counted([("a", "b", 0, 0, 5), ("b", "a", 0, 0, 5)])).to_dicts()
    assert (row["first_wins"], row["reason"]) == (None, "not_identified")
    assert row["detail"] == "All votes are ties, so they say nothing of the position."


def test_the_bias_of_a_judge_comes_from_its_own_votes() -> None:
    people = counted([("a", "b", 30, 10, 0), ("b", "a", 10, 30, 0)]).with_columns(rater=pl.lit("ann"))
    judge = counted([("a", "b", 10, 10, 4), ("b", "a", 30, 10, 4)]).with_columns(rater=pl.lit("gpt"))
    alone = position_bias(judge.drop("rater").with_columns(rater=pl.lit("gpt"))).row(0, named=True)
    (row,) = own_position_bias(pl.concat([people, judge]), raters=["gpt"]).to_dicts()
    assert row == alone | {"rater": "gpt"}
    assert row["n_votes"] == 68
    (always_first,) = own_position_bias(
        counted([("a", "b", 5, 0, 0), ("b", "a", 5, 0, 0)]).with_columns(rater=pl.lit("gpt")), raters=["gpt"]
    ).to_dicts()
    assert always_first["detail"].startswith("All votes of a voter")
