"""Order of rows, names and, on nominal scales, order of labels change nothing; figures are in range or null."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.accuracy import assumption_checks
from stats.reasons import REASONS

LABELS = list("ABCD")
SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String}
World = Callable[..., pl.DataFrame]
SEVERAL = ["name", "statistic", "p_value", "effect", "reason", "violated"]


@st.composite
def ratings(draw: Any) -> pl.DataFrame:
    """Up to 30 items by 1 to 5 raters and a system 'bot', any of them missing."""
    r, n = draw(st.integers(2, 5)), draw(st.integers(1, 30))
    cell = st.sampled_from([*LABELS, "A", None])
    rows = [
        (f"i{i}", rater, label)
        for i in range(n)
        for rater in [*(f"r{j}" for j in range(r)), "bot"]
        if (label := draw(cell)) is not None
    ]
    rows += [("first", rater, "A") for rater in ("bot", "r0", "r1")]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def checks(frame: pl.DataFrame, **rest: Any) -> pl.DataFrame:
    return assumption_checks(frame, **{"labels": LABELS, "systems": ["bot"], "replicates": 39, **rest})


def same(first: pl.DataFrame, other: pl.DataFrame) -> None:
    assert first.select("name", "reason", "violated").equals(other.select("name", "reason", "violated"))
    for column in ("statistic", "p_value", "effect"):
        a, b = (part[column].fill_null(-9.0).to_numpy() for part in (first, other))
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(ratings(), st.sampled_from(["nominal", "ordinal"]))
def test_figures_are_in_range_or_null_with_a_reason(frame: pl.DataFrame, scale: str) -> None:
    for row in checks(frame, scale=scale).to_dicts():
        figures = [row["statistic"], row["p_value"], row["effect"], row["violated"]]
        assert row["detail"].endswith(".")
        if row["reason"] is not None:
            assert row["reason"] in REASONS
            assert figures == [None] * 4
        else:
            assert all(np.isfinite(value) for value in figures)
            assert 0 < row["p_value"] <= 1
            assert row["effect"] >= (-1 if row["name"] == "adjacent" else 0)


@settings(max_examples=20, deadline=None)
@given(ratings(), st.randoms(use_true_random=False))
def test_row_order_changes_nothing(frame: pl.DataFrame, random: Any) -> None:
    order = list(range(frame.height))
    random.shuffle(order)
    assert checks(frame[order]).equals(checks(frame))


@settings(max_examples=20, deadline=None)
@given(ratings())
def test_names_of_items_change_nothing(frame: pl.DataFrame) -> None:
    assert checks(frame.with_columns(item=pl.lit("x") + pl.col("item").str.reverse())).equals(checks(frame))


def reversed_names(frame: pl.DataFrame) -> pl.DataFrame:
    names = sorted(set(frame["rater"]) - {"bot"})
    return frame.with_columns(rater=pl.col("rater").replace(dict(zip(names, names[::-1], strict=True))))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_names_of_raters_change_nothing(world: World, missing: float) -> None:
    frame = world(60, (0.4, 0.6, 0.8, 0.7), missing=missing)
    result, other = (checks(part, labels=list("ABCDE")) for part in (frame, reversed_names(frame)))
    keys = pl.min_horizontal("rater", "other"), pl.max_horizontal("rater", "other")
    back = other.with_columns(
        pl.col("rater", "other").replace({f"r{j}": f"r{3 - j}" for j in range(4)}),
    )
    by_pair = [part.with_columns(a=keys[0], b=keys[1]).sort("name", "a", "b") for part in (result, back)]
    assert by_pair[0].select("a", "b").equals(by_pair[1].select("a", "b"))
    same(*by_pair)


@pytest.mark.parametrize("order", ["EDCBA", "CAEBD"])
def test_order_of_labels_changes_nothing_on_a_nominal_scale(world: World, order: str) -> None:
    frame = world(80, (0.5, 0.6, 0.7, 0.6), error_range=1.0)
    same(checks(frame, labels=list("ABCDE")), checks(frame, labels=list(order)))


def test_the_seed_decides(world: World) -> None:
    frame = world(100, labels=LABELS)
    assert checks(frame, seed=4).equals(checks(frame, seed=4))
    assert not checks(frame, seed=4).equals(checks(frame, seed=5))


def test_twice_the_items_twice_the_pairs_of_labels(world: World) -> None:
    """The sums of squares grow with the square of the items: the effect stays."""
    frame = world(400, asymmetry=2.0)
    twice = pl.concat([frame, frame.with_columns(item=pl.lit("again ") + pl.col("item"))])
    result, two = (checks(part, labels=list("ABCDE")).filter(name="pairs")["effect"][0] for part in (frame, twice))
    assert two == pytest.approx(result, abs=0.05)
