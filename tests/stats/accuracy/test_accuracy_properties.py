"""What holds for any ratings: order and names do not matter, results are in range or null with a reason, never NaN."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stats.accuracy import ESTIMATORS, accuracy, bins, consensus, rater_quality, summary
from stats.accuracy.fitting import bootstrap as bootstrap_module
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
    return accuracy(frame, systems=[system], labels=labels, methods=["lehner"]).row(0, named=True)


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
        result, other = (ask(part, labels=labels) for part in humans)
        assert result.equals(other)


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
    for result in (table, quality, consensus(humans, labels=labels)):
        for column in result.select(pl.selectors.float()):
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


def every(frame: pl.DataFrame, labels: list[str], system: str = "bot", **rest: Any) -> dict[str, dict[str, Any]]:
    """The row of each estimator."""
    result = accuracy(frame, systems=[system], labels=labels, methods=list(ESTIMATORS), **rest)
    return {row["method"]: row for row in result.iter_rows(named=True)}


NUMBERS = ("accuracy", "se", "low", "high")


def same(first: dict[str, dict[str, Any]], other: dict[str, dict[str, Any]], *, abs: float) -> None:
    for method, row in first.items():
        assert row["reason"] == other[method]["reason"], method
        assert row["accuracy"] == (
            None if row["accuracy"] is None else pytest.approx(other[method]["accuracy"], abs=abs)
        ), method


@settings(max_examples=25, deadline=None)
@given(worlds(), st.sampled_from(["nominal", "ordinal"]))
def test_every_estimator_is_in_range_or_null_with_a_reason(world: tuple[pl.DataFrame, list[str]], scale: str) -> None:
    frame, labels = world
    for method, row in every(frame, labels, scale=scale).items():
        assert (row["accuracy"] is None) == (row["reason"] is not None) == (row["detail"] is not None), method
        assert row["reason"] is None or row["reason"] in REASONS
        assert all(row[name] is None or not np.isnan(row[name]) for name in NUMBERS), method
        if row["accuracy"] is None:
            assert row["se"] is row["low"] is row["high"] is None
        elif row["low"] is None:
            assert any("no interval" in note or "bootstrap samples" in note for note in row["warnings"]), method
        else:
            assert 0 <= row["low"] <= row["accuracy"] <= row["high"] <= 1, method
            assert row["se"] >= 0
            assert row["spread_low"] <= row["accuracy"] <= row["spread_high"]


@settings(max_examples=12, deadline=None)
@given(worlds(), st.randoms(use_true_random=False), st.sampled_from(["nominal", "ordinal"]))
def test_no_estimator_looks_at_the_order_of_rows(
    world: tuple[pl.DataFrame, list[str]], random: Any, scale: str
) -> None:
    frame, labels = world
    order = list(range(frame.height))
    random.shuffle(order)
    assert every(frame[order], labels, scale=scale) == every(frame, labels, scale=scale)


@settings(max_examples=12, deadline=None)
@given(worlds())
def test_no_estimator_looks_at_names(world: tuple[pl.DataFrame, list[str]]) -> None:
    frame, labels = world
    renamed = frame.with_columns(
        rater=pl.col("rater").replace({f"r{j}": f"{9 - j} 'q\" é" for j in range(5)} | {"bot": "0-bot"}),
        item=pl.concat_str(pl.lit("x\n"), pl.col("item").str.reverse()),
    )
    same(every(frame, labels), every(renamed, labels, "0-bot"), abs=1e-6)


@settings(max_examples=15, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_no_estimator_of_nominal_labels_looks_at_their_order(
    world: tuple[pl.DataFrame, list[str]], random: Any
) -> None:
    frame, labels = world
    other = list(labels)
    random.shuffle(other)
    before, after = every(frame, labels), every(frame, other)
    del before["lehner"], after["lehner"]  # his ties go to the first label
    same(before, after, abs=1e-4)


@settings(max_examples=12, deadline=None)
@given(worlds(most_labels=3), st.integers(1, 3))
def test_labels_that_nobody_used_do_not_break_any(world: tuple[pl.DataFrame, list[str]], more: int) -> None:
    frame, labels = world
    for row in every(frame, [*labels, *(f"unused{j}" for j in range(more))]).values():
        assert row["accuracy"] is None or 0 <= row["accuracy"] <= 1
        assert row["accuracy"] is not None or row["reason"] in REASONS


@settings(max_examples=8, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_a_second_system_changes_nothing_of_the_first(world: tuple[pl.DataFrame, list[str]], random: Any) -> None:
    frame, labels = world
    second = frame.filter(pl.col("rater") == "bot").with_columns(
        rater=pl.lit("a second"),
        label=pl.col("label").map_elements(lambda _: random.choice(labels), return_dtype=pl.String),
    )
    both = accuracy(
        pl.concat([frame, second]), systems=["a second", "bot"], labels=labels, methods=list(ESTIMATORS)
    ).filter(pl.col("system") == "bot")
    assert {row["method"]: row for row in both.iter_rows(named=True)} == every(frame, labels)


@pytest.mark.parametrize("k", [2, 3, 10, 50])
def test_two_to_fifty_labels(k: int) -> None:
    rng, labels = np.random.default_rng(k), [f"L{x:02}" for x in range(k)]
    truth = rng.integers(0, k, 150)
    codes = [np.where(rng.random(150) < right, truth, rng.integers(0, k, 150)) for right in (0.8, 0.7, 0.75, 0.85)]
    rows = [
        (f"i{i:03}", name, labels[code[i]])
        for name, code in zip(("a", "b", "c", "bot"), codes, strict=True)
        for i in range(150)
    ]
    result = every(pl.DataFrame(rows, schema=SCHEMA, orient="row"), labels)
    right = float((codes[3] == truth).mean())
    for method, row in result.items():
        if method == "ordinal" or (method == "difficulty" and k == 2):
            assert row["accuracy"] is None
        else:
            assert row["accuracy"] == pytest.approx(right, abs=0.12), method
            assert row["low"] < row["accuracy"] < row["high"], method


EXTREMES: dict[str, tuple[list[str], str]] = {
    "one item, agreed": (["AAAA"], "AB"),
    "one item, the system is wrong": (["AAAB"], "ABC"),
    "all labels equal": (["AAAA"] * 30, "ABC"),
    "the system has a label of its own": (["AAAC", "BBBC", "AABA", "BBBB"] * 10, "ABC"),
    "raters in perfect agreement": (["AAAA", "BBBB", "CCCA", "CCCC"] * 10, "ABC"),
    "everybody in perfect agreement": (["AAAA", "BBBB", "CCCC"] * 10, "ABC"),
    "the system is never right": (["AAAB", "BBBC", "CCCA"] * 20, "ABC"),
    "the system answered one item": (["AAAA", *["BBB-", "CCC-", "ABA-", "CCB-"] * 10], "ABC"),
    "one pair of ratings": (["AA-A", "B--B", "-A-A", "--BA"], "AB"),
    "kappa just above chance": (["ABCA"] * 21 + ["AAAA"] * 6 + ["BBBB"] * 5, "ABC"),
}


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_inputs_have_a_figure_with_an_interval(name: str, scale: str, frame: Any) -> None:
    items, labels = EXTREMES[name]
    result = every(frame(*items, raters=["r0", "r1", "r2", "bot"]), list(labels), scale=scale)
    for method, row in result.items():
        if row["accuracy"] is None:
            assert method in ("ordinal", "difficulty"), row["detail"]
        else:
            assert 0 <= row["low"] <= row["accuracy"] <= row["high"] <= 1, method
            # nobody can be surer than the right labels of the n items make one; Lehner's bootstrap is, and says so
            n, a = row["n_items"], (row["accuracy"] * row["n_items"] + 0.5) / (row["n_items"] + 1)
            assert method == "lehner" or row["se"] >= 0.5 * (a * (1 - a) / (n + 1)) ** 0.5, method


@pytest.mark.parametrize("items", [["ABCA"] * 30, ["ABA"] * 5, ["A-B", "-AB"], ["AB-", "AA-", "BB-"]])
def test_no_estimator_has_a_figure_where_there_is_no_evidence(items: list[str], frame: Any) -> None:
    raters = [*["r0", "r1", "r2"][: len(items[0]) - 1], "bot"]
    systems = frame(*items, raters=raters)
    if "bot" not in systems["rater"]:
        systems = pl.concat([systems, pl.DataFrame({"item": ["x"], "rater": ["bot"], "label": ["A"]})])
    for row in every(systems, ["A", "B", "C"]).values():
        assert row["accuracy"] is row["low"] is row["se"] is None
        assert row["reason"] in REASONS
        assert row["detail"].endswith(".")
