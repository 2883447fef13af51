"""Drift between versions: none is found where there is none, and what the power promises is found."""

import numpy as np
import polars as pl
import pytest

from stats.agreement.repeats.anchor_drift import anchor_drift

LABELS = ["A", "B"]


def answers(rng: np.random.Generator, moved: float, n: int = 40, repeats: int = 3) -> pl.DataFrame:
    """Version 1 and 2 give A with a probability of each item; in version 2 a share of the items is turned round."""
    chance = rng.choice([0.1, 0.9], n)
    later = np.where(rng.random(n) < moved, 1 - chance, chance)
    rows = [
        (f"i{i}", version, LABELS[int(rng.random() > p[i])])
        for version, p in (("v1", chance), ("v2", later))
        for i in range(n)
        for _ in range(repeats)
    ]
    return pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row")


def test_without_drift_it_is_rarely_found_and_with_drift_mostly() -> None:
    rng = np.random.default_rng(5)
    none = [anchor_drift(answers(rng, 0), versions=["v1", "v2"], labels=LABELS).row(0, named=True) for _ in range(150)]
    much = [anchor_drift(answers(rng, 0.3), versions=["v1", "v2"], labels=LABELS).row(0, named=True) for _ in range(50)]
    assert np.mean([row["p_value"] < 0.05 for row in none]) <= 0.1
    assert np.mean([row["low"] <= 0 <= row["high"] for row in none]) >= 0.9
    assert np.mean([row["p_value"] < 0.05 for row in much]) >= 0.8
    # half the squared distance of (.1, .9) and (.9, .1) is .64, on .3 of the items
    assert np.mean([row["drift"] for row in much]) == pytest.approx(0.3 * 0.64, abs=0.03)


def test_without_repeats_drift_is_null_and_the_shift_stands() -> None:
    rows = [(f"i{i}", v, "A" if v == "v1" else "B") for i in range(10) for v in ("v1", "v2")]
    frame = pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row")
    row = anchor_drift(frame, versions=["v1", "v2"], labels=LABELS).row(0, named=True)
    assert (row["drift"], row["reason"], row["changed"], abs(row["shift"])) == (None, "too_few_ratings", 1, 1)


def test_anchors_without_any_change_say_what_they_would_have_found() -> None:
    rows = [(f"i{i}", v, LABELS[i % 2]) for i in range(20) for v in ("v1", "v2") for _ in range(2)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row")
    row = anchor_drift(frame, versions=["v1", "v2"], labels=LABELS).row(0, named=True)
    assert (row["drift"], row["low"]) == (0, 0)
    assert row["smallest_drift"] == pytest.approx(1 - 0.2 ** (1 / 20))
    assert row["high"] > 0


def test_few_anchors_say_so() -> None:
    rows = [(f"i{i}", v, "A") for i in range(4) for v in ("v1", "v2") for _ in range(2)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row")
    assert anchor_drift(frame, versions=["v1", "v2"], labels=LABELS)["reason"].to_list() == ["too_few_items"]
