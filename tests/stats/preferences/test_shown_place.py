"""Strengths that show where the models were shown say so; others do not."""

import numpy as np
import polars as pl
import pytest

from stats.preferences import OUTCOMES, VOTES, place_in_strengths, position_bias, strengths
from tests.stats.preferences.vote_frames import counted, drawn


def sentence(votes: pl.DataFrame) -> str | None:
    return place_in_strengths(votes, strengths(votes).models, position_bias(votes).row(0, named=True))


def mostly_first(bias: float) -> pl.DataFrame:
    """Draw 800 votes on three equal models, of which a is mostly shown first and c second."""
    rng = np.random.default_rng(5)
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    rows = []
    for item in range(800):
        pair = pairs[item % 3] if rng.random() < 0.85 else pairs[item % 3][::-1]
        utility = np.array([bias, 0.0, bias / 2 - 1]) + rng.gumbel(size=3)
        rows.append((str(item), str(item), None, *pair, OUTCOMES[int(utility.argmax())]))
    return pl.DataFrame(rows, schema=VOTES, orient="row")


@pytest.mark.parametrize(("bias", "place"), [(1.0, "first"), (-1.0, "second")])
def test_equal_models_that_were_not_shown_first_equally_often(bias: float, place: str) -> None:
    votes = mostly_first(bias)
    models = {row["model"]: row for row in strengths(votes).models.to_dicts()}
    assert abs(models["a"]["strength"]) > 0.4  # the truth is 0
    text = sentence(votes)
    assert text is not None
    assert f"favour the model shown {place}" in text
    assert abs(float(text.split(" is ")[-1].split(" and not ")[0])) < 0.2


def test_no_word_where_the_places_change_or_do_not_matter() -> None:
    assert sentence(mostly_first(0.0)) is None
    assert sentence(drawn(3_000, 4, 3_000_000, bias=0.8)) is None
    assert sentence(counted([("a", "b", 3, 0, 0)])) is None


def test_no_word_where_a_strong_bias_meets_models_in_random_order() -> None:
    for seed in range(12):
        assert sentence(drawn(3_000, 4, 3_000_000, seed, bias=2.0)) is None
