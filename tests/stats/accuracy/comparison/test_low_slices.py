"""Slices on which a system is less accurate: a planted one is named, and chance, few items or poor gold name none."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy
from stats.accuracy.comparison.low_slices import MIN_GOLD, MIN_ITEMS, low_slices

LABELS = ("a", "b", "c")
PEOPLE = (0.85, 0.8, 0.75)
Row = dict[str, Any]


def row(value: str, figure: float, half: float = 0.05, **changed: Any) -> Row:
    return {
        "scope": f"slice:language={value}", "system": "gpt", "system_version": None, "method": "average",
        "accuracy": figure, "low": figure - half / 2, "high": figure + half / 2, "outer_low": figure - half,
        "outer_high": figure + half, "confidence": 0.95, "n_items": 100, "n_gold": 0, "gold_origin": None,
    } | changed  # fmt: skip


def simulated(rng: np.random.Generator, accuracies: tuple[float, ...], n: int, n_gold: int = 0) -> list[Row]:
    """Estimate a system on slices of n items each, as a run does."""
    rows = []
    for number, right in enumerate(accuracies):
        truth, items = rng.integers(3, size=n), [f"i{i}" for i in range(n)]
        answers = [
            pl.DataFrame({"item": items, "rater": name}).with_columns(
                label=pl.Series([LABELS[z] for z in (truth + (rng.random(n) > p) * rng.integers(1, 3, size=n)) % 3])
            )
            for name, p in (*zip("xyz", PEOPLE, strict=True), ("gpt", right))
        ]
        gold = pl.DataFrame({"item": items, "label": [LABELS[z] for z in truth]}).head(n_gold) if n_gold else None
        figures = accuracy(pl.concat(answers), systems=["gpt"], labels=LABELS, methods=["average"], gold=gold)
        (figure,) = figures.to_dicts()
        rows.append(figure | {"scope": f"slice:language=l{number}", "system_version": None, "confidence": 0.95})
    return rows


@pytest.mark.parametrize("n_gold", [0, 60])
def test_a_planted_slice_is_named_and_no_other(n_gold: int) -> None:
    named = [
        [low.value for low in low_slices(simulated(np.random.default_rng(seed), (0.9, 0.65, 0.9, 0.9), 400, n_gold))]
        for seed in range(10)
    ]
    assert all(set(values) <= {"l1"} for values in named)
    assert sum(map(len, named)) >= 8


def test_chance_names_hardly_any_slice() -> None:
    named = [low_slices(simulated(np.random.default_rng(seed), (0.85,) * 4, 100)) for seed in range(40)]
    assert sum(map(bool, named)) <= 2


def test_a_slice_is_beside_the_mean_of_the_others() -> None:
    (low,) = low_slices([row("de", 0.6), row("fr", 0.9, n_items=300), row("it", 0.8), row("da", 0.5, n_items=19)])
    assert (low.system, low.key, low.value, low.other_values) == ("gpt", "language", "de", ("fr", "it"))
    others = low.others
    assert (others.value, others.low, others.high) == pytest.approx((0.875, 0.825, 0.925))
    assert low.gap == pytest.approx(0.175)


def test_outer_intervals_that_overlap_name_nobody() -> None:
    assert low_slices([row("de", 0.75, 0.1), row("fr", 0.9, 0.1)]) == []
    assert low_slices([row("de", 0.75, 0.07), row("fr", 0.9, 0.07)]) != []


def test_more_slices_ask_for_a_clearer_difference() -> None:
    """The interval of the others is narrow, so that the one of the difference decides."""
    few = [row("de", 0.75, 0.1), row("fr", 0.87, 0.001)]
    many = [row(f"x{i}", 0.87, 0.001) for i in range(20)]
    assert [low.value for low in low_slices(few)] == ["de"]
    assert low_slices([*few, *many]) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"accuracy": None, "outer_low": None, "outer_high": None},
        {"outer_low": None},
        {"method": "lehner"},
        {"scope": "slice:source=de"},
        {"system": "other"},
        {"n_items": MIN_ITEMS - 1},
        {"n_gold": MIN_GOLD - 1, "gold_origin": "drawn"},
        {"n_gold": 50, "gold_origin": "worklist"},
    ],
)
def test_what_cannot_be_compared_is_not(changed: Row) -> None:
    assert low_slices([row("de", 0.6), row("fr", 0.9)])
    assert low_slices([row("de", 0.6) | changed, row("fr", 0.9)]) == []
    assert low_slices([row("de", 0.6), row("fr", 0.9) | changed]) == []


def test_with_gold_the_audited_intervals_count() -> None:
    audited = {"n_gold": 40, "gold_origin": "drawn", "outer_low": 0.0, "outer_high": 1.0}
    (low,) = low_slices([row("de", 0.6, **audited), row("fr", 0.9, **audited)])
    assert (low.accuracy.low, low.gold_origins) == (pytest.approx(0.575), {"drawn"})
    assert low_slices([row("de", 0.6, **audited | {"low": 0.0, "high": 1.0}), row("fr", 0.9, **audited)]) == []
