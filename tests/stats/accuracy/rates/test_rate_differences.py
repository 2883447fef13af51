"""Differences of corrected label rates between the items of two versions."""

import numpy as np
import polars as pl
import pytest

from stats.accuracy.rates.rate_differences import rate_differences

LABELS = ["pass", "fail"]


def two_months(
    rates: tuple[float, float], n: int = 300, gold: int = 50, seed: int = 1
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Version 1 answers the items of the first month, version 2 those of the second; the first ones have gold."""
    rng = np.random.default_rng(seed)
    rows, known = [], []
    for version, rate in zip(("v1", "v2"), rates, strict=True):
        truth = rng.random(n) < rate
        text = truth ^ (rng.random(n) < 0.1)
        rows += [(f"{version}-{i}", version, LABELS[int(not s)]) for i, s in enumerate(text)]
        known += [(f"{version}-{i}", LABELS[int(not t)]) for i, t in enumerate(truth[:gold])]
    frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    return frame, pl.DataFrame(known, schema=["item", "label"], orient="row")


def test_a_rate_that_fell_is_found() -> None:
    frame, gold = two_months((0.8, 0.4))
    row = rate_differences(frame, systems=["v1", "v2"], labels=LABELS, gold=gold).row(0, named=True)
    assert row["difference"] == pytest.approx(-0.4, abs=0.12)
    assert row["low"] < -0.4 < row["high"] < 0
    assert row["n_gold"] == 100


def test_the_same_items_cannot_differ_and_the_interval_holds_zero() -> None:
    frame, gold = two_months((0.6, 0.6))
    first = frame.filter(pl.col("rater") == "v1")
    rng = np.random.default_rng(2)
    again = first.with_columns(
        rater=pl.lit("v2"),
        label=pl.when(pl.Series(rng.random(first.height) < 0.1)).then(pl.lit("fail")).otherwise(pl.col("label")),
    )
    row = rate_differences(pl.concat([first, again]), systems=["v1", "v2"], labels=LABELS, gold=gold).row(0, named=True)
    apart = rate_differences(frame, systems=["v1", "v2"], labels=LABELS, gold=gold).row(0, named=True)
    assert row["low"] < 0 < row["high"]
    assert row["high"] - row["low"] < apart["high"] - apart["low"], "what the items share cancels"


def test_rows_for_many_items_are_as_those_items() -> None:
    frame, gold = two_months((0.7, 0.5), n=40, gold=10)
    copies = [frame.with_columns(item=pl.format("{}-{}", "item", pl.lit(i))) for i in range(3)]
    golds = [gold.with_columns(item=pl.format("{}-{}", "item", pl.lit(i))) for i in range(3)]
    counted = rate_differences(frame.with_columns(n_items=pl.lit(3)), systems=["v1", "v2"], labels=LABELS, gold=gold)
    written = rate_differences(pl.concat(copies), systems=["v1", "v2"], labels=LABELS, gold=pl.concat(golds))
    assert counted["difference"].to_list() == pytest.approx(written["difference"].to_list())
    assert counted["low"].to_list() == pytest.approx(written["low"].to_list())


def test_a_version_without_gold_has_no_difference() -> None:
    frame, gold = two_months((0.7, 0.5))
    first = gold.filter(pl.col("item").str.starts_with("v1"))
    row = rate_differences(frame, systems=["v1", "v2"], labels=LABELS, gold=first).row(0, named=True)
    assert (row["difference"], row["reason"]) == (None, "too_few_gold")


def test_the_interval_holds_the_difference_as_often_as_it_says() -> None:
    held = 0
    for seed in range(200):
        frame, gold = two_months((0.7, 0.5), n=200, gold=30, seed=seed)
        row = rate_differences(frame, systems=["v1", "v2"], labels=LABELS, gold=gold).row(0, named=True)
        held += row["low"] <= -0.2 <= row["high"]
    assert 0.92 <= held / 200 <= 0.99
