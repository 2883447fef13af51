"""Precision and recall of labels: raters who are always right, coverage by simulation, totals, what is undefined."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.accuracy import accuracy, label_quality
from stats.reasons import REASONS
from stats.simulate import simulate_ratings

Frame = Callable[..., pl.DataFrame]
LABELS = list("ABC")
BOUNDED = [("precision", "precision_low", "precision_high"), ("recall", "recall_low", "recall_high")]


def test_raters_who_are_always_right_leave_plain_shares() -> None:
    """Five raters agree on all of 400 items, so right labels are known: precision and recall are shares of items."""
    rng = np.random.default_rng(1)
    truth = rng.choice(3, 400, p=[0.5, 0.3, 0.2])
    answer = np.where(rng.random(400) < 0.75, truth, (truth + 1) % 3)
    names = np.array(LABELS)
    rows = [(str(i), f"r{j}", names[truth[i]]) for i in range(400) for j in range(5)]
    rows += [(str(i), "bot", names[answer[i]]) for i in range(400)]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    result = label_quality(ratings, systems=["bot"], labels=LABELS, confidence=0.9)
    assert result["rater"].to_list() == [name for name in ("bot", "r0", "r1", "r2", "r3", "r4") for _ in range(3)]
    assert result["rater_kind"].to_list() == ["system"] * 3 + ["human"] * 15
    for label, row in enumerate(result.head(3).iter_rows(named=True)):
        right = float(((answer == label) & (truth == label)).sum())
        assert row["n_given"] == (answer == label).sum()
        assert row["n_expected"] == pytest.approx((truth == label).sum(), abs=0.01)
        assert row["precision"] == pytest.approx(right / (answer == label).sum(), abs=1e-3)
        assert row["recall"] == pytest.approx(right / (truth == label).sum(), abs=1e-3)
        p, n = row["precision"], row["n_given"]
        half = 1.645 * (p * (1 - p) / n) ** 0.5
        assert 1.6 * half < row["precision_high"] - row["precision_low"] < 3.2 * half
    assert result.tail(15)["precision"].to_list() == pytest.approx([1.0] * 15, abs=1e-3)


def test_the_right_ones_add_up_to_the_accuracy() -> None:
    world = simulate_ratings(
        n_items=300, labels=LABELS, raters=dict.fromkeys("xyz", 0.7), systems={"bot": 0.8}, rng=np.random.default_rng(2)
    ).drop("truth")
    alone = accuracy(world, systems=["bot"], labels=LABELS, methods=["average"])["accuracy"][0]
    result = label_quality(world, systems=["bot"], labels=LABELS).head(3)
    right = (result["precision"] * result["n_given"]).sum()
    assert right / 300 == pytest.approx(alone, abs=0.003)
    assert (result["recall"] * result["n_expected"]).sum() == pytest.approx(right)
    assert result["n_expected"].sum() == pytest.approx(300)


def test_a_system_with_a_weak_label_is_found_out() -> None:
    """Right in .95 of A and B, but C is called A in half the cases: a nominal 90 % interval holds recall and precision
    in most of 30 worlds."""
    M = np.array([[0.95, 0.025, 0.025], [0.025, 0.95, 0.025], [0.5, 0.0, 0.5]])
    pi, rng, names, held = np.array([0.4, 0.3, 0.3]), np.random.default_rng(7), np.array(LABELS), []
    precision = pi * np.diag(M) / (pi @ M)
    for _ in range(30):
        truth = rng.choice(3, 300, p=pi)
        given_labels = [
            np.where(rng.random(300) < 0.75, truth, (truth + rng.integers(1, 3, 300)) % 3) for _ in range(3)
        ]
        given_labels.append(np.array([rng.choice(3, p=M[t]) for t in truth]))
        everyone = zip(("x", "y", "z", "bot"), given_labels, strict=True)
        rows = [(str(i), rater, names[labels[i]]) for rater, labels in everyone for i in range(300)]
        ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
        result = label_quality(ratings, systems=["bot"], labels=LABELS, confidence=0.9).head(3)
        held += ((result["recall_low"] <= np.diag(M)) & (result["recall_high"] >= np.diag(M))).to_list()
        held += ((result["precision_low"] <= precision) & (result["precision_high"] >= precision)).to_list()
        last = result["recall"].to_list()
    assert 0.85 <= np.mean(held) <= 1
    assert last[2] < 0.75 < last[0]


def test_undefined(frame: Frame) -> None:
    ratings = frame(*["AAAA", "BBBB", "AABA", "BBBA"] * 6, raters=["x", "y", "z", "bot"])
    result = label_quality(ratings, systems=["bot"], labels=["A", "B", "C"])
    never = result.filter((pl.col("rater") == "bot") & (pl.col("label") == "C")).row(0, named=True)
    assert (never["precision"], never["n_given"], never["reason"]) == (None, 0, "zero_denominator")
    assert "never gave this label" in never["detail"]
    two = frame(*["AAA", "BBB", "ABA"] * 6, raters=["x", "y", "bot"])
    result = label_quality(two, systems=["bot"], labels=["A", "B"])
    assert result["reason"].to_list() == [None, None, *["too_few_raters"] * 4]
    unknown = label_quality(frame(*["ABA", "BAB"] * 5, raters=["x", "y", "bot"]), systems=["bot"], labels=["A", "B"])
    assert unknown["reason"].to_list() == ["not_identified"] * 2 + ["too_few_raters"] * 4
    assert unknown["recall"].null_count() == 6


@st.composite
def worlds(draw: Any) -> tuple[pl.DataFrame, list[str]]:
    k, n = draw(st.integers(2, 3)), draw(st.integers(3, 10))
    cell = st.sampled_from([*LABELS[:k], "A", None])
    rows = [(f"i{i}", rater, label) for i in range(n) for rater in ("x", "y", "z", "bot")
            if (label := draw(cell)) is not None]  # fmt: skip
    rows += [("last", rater, "A") for rater in ("x", "y", "z", "bot")]
    schema = {"item": pl.String, "rater": pl.String, "label": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row"), LABELS[:k]


@settings(max_examples=20)
@given(worlds(), st.randoms(use_true_random=False))
def test_in_bounds_or_null_with_a_reason_whatever_the_order(world: tuple[pl.DataFrame, list[str]], random: Any) -> None:
    ratings, labels = world
    order = list(range(ratings.height))
    random.shuffle(order)
    result = label_quality(ratings, systems=["bot"], labels=labels)
    assert result.equals(label_quality(ratings[order], systems=["bot"], labels=labels))
    for row in result.iter_rows(named=True):
        assert row["reason"] is None or row["reason"] in REASONS
        for name, low, high in BOUNDED:
            if row[name] is None:
                assert row["reason"]
                assert row["detail"]
            elif row[low] is not None:
                assert 0 <= row[low] <= row[name] <= row[high] <= 1


def test_where_every_item_is_gold_a_system_has_the_plain_shares() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    answers = {
        name: np.where(rng.random(60) < share, truth, (truth + rng.integers(1, 3, 60)) % 3)
        for name, share in (("ann", 0.7), ("bob", 0.7), ("bot", 0.8))
    }
    rows = [(str(item), name, LABELS[code]) for name, codes in answers.items() for item, code in enumerate(codes)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    gold = pl.DataFrame({"item": [str(item) for item in range(60)], "label": [LABELS[code] for code in truth]})
    result = label_quality(frame, systems=["bot"], labels=LABELS, gold=gold).filter(rater="bot")
    for label, row in enumerate(result.iter_rows(named=True)):
        is_given, is_right = answers["bot"] == label, truth == label
        assert row["precision"] == pytest.approx((is_given & is_right).sum() / is_given.sum())
        assert row["recall"] == pytest.approx((is_given & is_right).sum() / is_right.sum())
        assert (row["n_given"], row["n_expected"]) == (is_given.sum(), pytest.approx(is_right.sum()))
        assert row["n_gold"] == (is_given | is_right).sum()
