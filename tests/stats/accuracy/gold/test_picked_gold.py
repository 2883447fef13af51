"""Gold that somebody picked is told, and gold that was drawn at random hardly ever."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy

LABELS = ["a", "b"]


def world(rng: np.random.Generator, n: int = 120) -> tuple[pl.DataFrame, Any, Any]:
    """Three people who are right in .85 and a system that is right in .8; the right labels, and where people differ."""
    truth = rng.integers(0, 2, n)
    codes = [np.where(rng.random(n) < right, truth, 1 - truth) for right in (0.85, 0.85, 0.85, 0.8)]
    rows = [
        (str(item), rater, LABELS[code])
        for rater, of_rater in zip(("r0", "r1", "r2", "bot"), codes, strict=True)
        for item, code in enumerate(of_rater)
    ]
    disputed = np.ptp(np.stack(codes[:3]), axis=0) > 0
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"), truth, disputed


def told(frame: pl.DataFrame, truth: Any, chosen: Any, **more: Any) -> bool:
    gold = pl.DataFrame({"item": [str(item) for item in chosen], "label": [LABELS[truth[item]] for item in chosen]})
    if more:
        gold = gold.with_columns(**{name: pl.lit(value) for name, value in more.items()})
    (row,) = accuracy(frame, systems=["bot"], labels=LABELS, gold=gold, methods=["average"]).to_dicts()
    return any("hardly a random sample" in warning for warning in row["warnings"])


@pytest.mark.parametrize("picked", ["one label", "disputed"])
def test_picked_gold_is_told(picked: str) -> None:
    frame, truth, disputed = world(np.random.default_rng(2))
    chosen = np.flatnonzero(truth == 0 if picked == "one label" else disputed)[:30]
    assert told(frame, truth, chosen)
    assert not told(frame, truth, chosen, inclusion_probability=0.25)  # drawn, as its probabilities say


def test_gold_drawn_at_random_is_hardly_ever_told() -> None:
    wrong = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        frame, truth, _ = world(rng)
        wrong += told(frame, truth, rng.choice(len(truth), 30, replace=False))
    assert wrong <= 3
