"""Simulated coverage with gold: mixed gold counts as in a project, and the page has all tables."""

import numpy as np
import polars as pl
import pytest

from benchmarks.gold import mixed_gold, rates_coverage, weighted_gold
from benchmarks.gold.coverage import SIZES, page

PARTS = {
    "drawn": np.arange(100, 120), "before": np.arange(60), "later": np.arange(200, 230), "new": np.arange(900, 910)
}  # fmt: skip


def test_drawn_items_stand_for_all_that_had_no_gold_and_later_gold_is_left_out() -> None:
    items, weight = mixed_gold._counted(PARTS)
    assert weight is not None
    counted = dict(zip(items.tolist(), weight.tolist(), strict=True))
    assert counted == pytest.approx(dict.fromkeys(range(60), 1.0) | dict.fromkeys(range(100, 120), 840 / 20))


def test_too_few_drawn_items_leave_all_gold_alike() -> None:
    items, weight = mixed_gold._counted(PARTS | {"drawn": np.arange(100, 109)})
    assert (len(items), weight) == (9 + 60 + 30 + 10, None)


def test_somebody_picks_hard_or_easy_items_and_nobody_picks_twice() -> None:
    rng, right = np.random.default_rng(1), np.repeat([0.0, 1.0], 500)
    for kind, lowest, highest in (("hard", 0.0, 0.35), ("easy", 0.65, 1.0)):
        parts = mixed_gold._chosen(right, 200, kind, rng)
        assert {name: len(rows) for name, rows in parts.items()} == {"before": 60, "drawn": 100, "later": 36, "new": 4}
        assert len(np.unique(np.concatenate(list(parts.values())))) == 200
        assert lowest <= right[np.concatenate([parts["before"], parts["later"]])].mean() <= highest
        assert parts["new"].min() >= mixed_gold.OLD > max(parts[name].max() for name in ("before", "drawn", "later"))


def test_the_page_has_each_study_and_says_how_often_intervals_hold() -> None:
    random = pl.concat([rates_coverage.measure(1, 1, (n,)) for n in SIZES])
    strata = pl.concat([weighted_gold.figures(n, 2) for n in SIZES])
    mixed = mixed_gold.measure(3)
    own, alike = (
        mixed_gold.coverage(mixed.filter(method=method, figure="accuracy", kind="hard", n_gold=200))["bias"][0]
        for method in ("kappaflow", "all alike")
    )
    assert abs(own) < 0.03 < -alike
    text = page(random, strata, mixed, 3)
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        "Gold drawn at random", "Gold by strata", "Gold of mixed origin"
    ]  # fmt: skip
    rows = [line for line in text.splitlines() if line.startswith(("| 20 |", "| 50 |", "| 200 |"))]
    assert len(rows) == 3 * (3 + 5 + 2 * 2 * 3)
    held = mixed_gold.coverage(mixed.filter(method="kappaflow", figure="accuracy"), "n_gold").sort("n_gold")["held"]
    assert f"{held[0]:.3f}, {held[1]:.3f} and {held[2]:.3f} of the cases with 20, 50 and 200 gold items" in (
        " ".join(text.split())
    )
