"""The consensus beside gold: methods are compared item by item, and no order of them is surer than its interval."""

import numpy as np
import polars as pl
import pytest

from benchmarks.real_data.consensus_beside_gold import reading, study, tables
from benchmarks.real_data.real_sets import RealSet
from stats.defaults import DEFAULT_CONSENSUS
from stats.simulate import simulate_ratings

RATERS = {"ann": 0.8, "bob": 0.7, "cleo": 0.75}


def row(name: str, method: str, hits: str) -> dict[str, object]:
    """A row of `study`: hits as a text of 0 and 1."""
    values = [float(hit) for hit in hits]
    whole = {"right": float(np.mean(values)), "brier": 0.1, "calibration": 0.05, "sure": 0.9, "hits": values}
    return {"set": name, "method": method, **whole}


def test_methods_are_compared_item_by_item_within_a_set() -> None:
    results = [row("one", DEFAULT_CONSENSUS, "1100"), row("one", "crowd-kit GLAD", "1110"),
               row("two", DEFAULT_CONSENSUS, "11"), row("two", "crowd-kit GLAD", "11")]  # fmt: skip
    text = reading(results)
    # a gap of -1/4 in four items: variance 1/4, so se = sqrt(1/16) / 2 sets = .125, and the mean of the sets is -.125
    assert "GLAD (87.5%, 12.5 points ahead with a 95 % interval from -12.0 to 37.0)" in text
    cells = {line[0]: line[2:4] for line in tables(results)[0].rows}
    assert cells["`crowd-kit GLAD`"] == ["-0.125", "-0.370 to 0.120"]
    assert cells[f"`{DEFAULT_CONSENSUS}`"] == ["", ""]


def test_nobody_is_ahead_of_the_default_who_is_not() -> None:
    results = [row("one", DEFAULT_CONSENSUS, "1110"), row("one", "crowd-kit Wawa", "1100")]
    assert "none of them is right more often" in reading(results)


def test_hits_are_in_the_order_of_the_items_for_each_method() -> None:
    rng = np.random.default_rng(7)
    rows = simulate_ratings(n_items=60, labels=list("ABC"), raters=RATERS, systems={}, rng=rng)
    gold = rows.select("item", gold="truth").unique()
    result = study([RealSet("Drawn", rows.select("item", "rater", "label"), gold, ("A", "B", "C"))])
    hits = {outcome["method"]: np.array(outcome["hits"]) for outcome in result}
    votes = rows.group_by("item").agg(pl.col("label").mode(), pl.col("truth").first()).sort("item")
    clear = (votes["label"].list.len() == 1).to_numpy()
    expected = (votes["label"].list.first() == votes["truth"]).to_numpy()
    assert clear.sum() > 40
    np.testing.assert_array_equal(hits["majority"][clear], expected[clear])
    assert {len(each) for each in hits.values()} == {60}


@pytest.mark.parametrize("method", ["majority", "wawa", DEFAULT_CONSENSUS])
def test_a_share_is_the_mean_of_its_hits(method: str) -> None:
    rng = np.random.default_rng(8)
    rows = simulate_ratings(n_items=50, labels=list("AB"), raters=RATERS, systems={}, rng=rng)
    gold = rows.select("item", gold="truth").unique()
    result = study([RealSet("Drawn", rows.select("item", "rater", "label"), gold, ("A", "B"))])
    first = next(each for each in result if each["method"] == method)
    assert first["right"] == pytest.approx(np.mean(first["hits"]))
