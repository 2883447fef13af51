"""Voters who take the worse model for the better one are named, and nobody else."""

import numpy as np
import polars as pl
import pytest

from stats.preferences.contrary_voters import contrary_voters
from tests.stats.preferences.vote_frames import votes

STRENGTHS = {"m1": 1.0, "m2": 0.4, "m3": 0.0, "m4": -1.0}
VOTERS = ("ann", "ben", "cem", "dia")


def drawn(seed: int, kinds: dict[str, str], voters: tuple[str, ...] = VOTERS) -> pl.DataFrame:
    """Draw votes on 150 items. kinds: voters who are `reversed`, `first` (prefer the model shown first), `tie` or
    `guess`; the others know the strengths."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(150):
        a, b = rng.choice(list(STRENGTHS), 2, replace=False)
        for voter in voters:
            kind, sign = kinds.get(voter, ""), -1 if kinds.get(voter) == "reversed" else 1
            known = 0.0 if kind == "guess" else 2 * sign * (STRENGTHS[a] - STRENGTHS[b])
            difference = known + rng.logistic() + (3 if kind == "first" else 0)
            tie = 5.0 if kind == "tie" else 0.2
            outcome = "first" if difference > tie else "second" if difference < -tie else "tie"
            rows.append((item, voter, str(a), str(b), outcome))
    return votes(rows)


@pytest.mark.parametrize("seed", range(4))
def test_who_takes_the_worse_model_for_the_better_one_is_named(seed: int) -> None:
    (result,) = contrary_voters(drawn(seed, {"dia": "reversed"}))
    assert result.voters == ("dia",)
    assert result.low < result.share < result.high < 0.45
    assert result.among_others is not None
    assert result.among_others > 0.6
    assert result.sentence.startswith("dia contradicts the others: they choose the same model in ")
    assert "dia" not in result.sentence_without_names


@pytest.mark.parametrize("kind", ["", "first", "tie", "guess"])
def test_nobody_is_named_who_prefers_a_place_or_ties_or_guesses(kind: str) -> None:
    for seed in range(4):
        assert contrary_voters(drawn(seed, {"dia": kind})) == []


def test_the_share_is_that_of_the_comparisons_that_both_decided() -> None:
    rows = [(item, voter, "m1", "m2", "first") for item in range(30) for voter in ("ann", "ben")]
    rows = [
        (item, voter, *models, "second" if voter == "ben" and item < 24 else outcome)
        for item, voter, *models, outcome in rows
    ]
    rows += [(item, voter, "m1", "m2", "tie") for item in range(30, 60) for voter in ("ann", "ben")]
    (pair,) = contrary_voters(votes(rows))
    assert (pair.voters, pair.among_others) == (("ann", "ben"), None)
    assert pair.share == pytest.approx(6 / 30)
    assert "ann and ben contradict each other" in pair.sentence


def test_votes_without_names_and_one_voter_contradict_nobody() -> None:
    rated = drawn(0, {"dia": "reversed"})
    assert contrary_voters(rated.with_columns(rater=pl.lit(None, pl.String))) == []
    assert contrary_voters(rated.filter(rater="dia")) == []
