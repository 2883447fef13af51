"""What holds for any ratings: order and names do not matter, results are in range or null with a reason, never NaN."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stats.accuracy import accuracy, bins, consensus, rater_quality, summary
from stats.accuracy import bootstrap as bootstrap_module
from stats.reasons import REASONS

LABELS = ["A", "B", "C", "D", "E"]
SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String}


@pytest.fixture(autouse=True)
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap_module, "REPLICATES", 20)


@st.composite
def worlds(draw: Any, most_labels: int = 5) -> tuple[pl.DataFrame, list[str]]:
    """Ratings of up to 12 items by 2 to 5 raters and a system 'bot', any of them missing; and the labels."""
    k, r, n = draw(st.integers(2, most_labels)), draw(st.integers(2, 5)), draw(st.integers(1, 12))
    labels = LABELS[:k]
    cell = st.sampled_from([*labels, labels[0], None])
    rows = [
        (f"i{i}", rater, label)
        for i in range(n)
        for rater in [*(f"r{j}" for j in range(r)), "bot"]
        if (label := draw(cell)) is not None
    ]
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    humans = frame.filter(pl.col("rater") != "bot")
    assume(humans["rater"].n_unique() >= 2 and humans.height < frame.height)
    return frame, labels


def figures(frame: pl.DataFrame, labels: list[str], system: str = "bot") -> dict[str, Any]:
    return accuracy(frame, systems=[system], labels=labels).row(0, named=True)


@settings(max_examples=30, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_row_order_changes_nothing(world: tuple[pl.DataFrame, list[str]], random: Any) -> None:
    frame, labels = world
    order = list(range(frame.height))
    random.shuffle(order)
    shuffled = frame[order]
    assert figures(shuffled, labels) == figures(frame, labels)
    for ask in (consensus, rater_quality):
        humans = (part.filter(pl.col("rater") != "bot") for part in (shuffled, frame))
        one, other = (ask(part, labels=labels) for part in humans)
        assert one.equals(other)


@settings(max_examples=30, deadline=None)
@given(worlds())
def test_names_of_raters_and_items_change_nothing(world: tuple[pl.DataFrame, list[str]]) -> None:
    frame, labels = world
    renamed = frame.with_columns(
        rater=pl.col("rater").replace({f"r{j}": f"{9 - j} 'q\" é" for j in range(5)} | {"bot": "0-bot"}),
        item=pl.concat_str(pl.lit("x\n"), pl.col("item").str.reverse()),
    )
    before, after = figures(frame, labels), figures(renamed, labels, "0-bot")
    assert {**after, "system": "bot"} == before


@settings(max_examples=40, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_order_of_labels_decides_nothing_but_ties(world: tuple[pl.DataFrame, list[str]], random: Any) -> None:
    frame, labels = world
    humans = frame.filter(pl.col("rater") != "bot")
    top = consensus(humans, labels=labels)
    assume(top["label"].equals(consensus(humans, labels=labels[::-1])["label"]))
    other = list(labels)
    random.shuffle(other)
    assume(top["label"].equals(consensus(humans, labels=other)["label"]))
    before, after = figures(frame, labels), figures(frame, other)
    assert after["reason"] == before["reason"]
    assert after["accuracy"] == (None if before["accuracy"] is None else pytest.approx(before["accuracy"], abs=1e-6))


@settings(max_examples=80, deadline=None)
@given(worlds())
def test_in_range_or_null_with_a_reason(world: tuple[pl.DataFrame, list[str]]) -> None:
    frame, labels = world
    humans = frame.filter(pl.col("rater") != "bot")
    row, table, quality = (
        figures(frame, labels),
        bins(frame, systems=["bot"], labels=labels),
        rater_quality(humans, labels=labels),
    )
    assert (row["accuracy"] is None) == (row["reason"] is not None) == (row["detail"] is not None)
    assert row["reason"] is None or row["reason"] in REASONS
    if row["accuracy"] is not None and row["low"] is not None:
        assert 0 <= row["low"] <= row["accuracy"] <= row["high"] <= 1
        assert row["se"] >= 0
    for found in (table, quality, consensus(humans, labels=labels)):
        for column in found.select(pl.selectors.float()):
            assert column.is_nan().sum() == 0
            if column.name != "entropy":
                assert column.is_between(0, 1).all()
    assert (quality["accuracy"].is_null() == quality["reason"].is_not_null()).all()
    assert table["n_items"].sum() in (0, row["n_items"])
    defined = table.drop_nulls("estimate")
    if row["accuracy"] is not None:
        weighted = np.average(defined["estimate"].to_numpy(), weights=defined["n_items"].to_numpy())
        assert row["accuracy"] == pytest.approx(weighted, abs=1e-9)
    rates = summary(humans, labels=labels).base_rates
    assert rates is None or sum(rates.values()) == pytest.approx(1)


@settings(max_examples=30, deadline=None)
@given(worlds(), st.integers(2, 5))
def test_every_item_several_times_has_the_same_estimate(world: tuple[pl.DataFrame, list[str]], times: int) -> None:
    frame, labels = world
    copies = [frame.with_columns(item=pl.concat_str("item", pl.lit(f"-{copy}"))) for copy in range(times)]
    before, after = figures(frame, labels), figures(pl.concat(copies), labels)
    assert after["n_items"] == times * before["n_items"]
    assert after["accuracy"] == (None if before["accuracy"] is None else pytest.approx(before["accuracy"], abs=1e-9))
