"""Digests of windows: equal where, and only where, the items of two windows have the same ratings."""

import numpy as np
import pytest

from stats.patterns import RatingPatterns
from stats.trends.window_digests import window_digests
from stats.trends.window_sums import window_units

Item = tuple[tuple[str, str], ...]  # its ratings: rater, label


def digest(items: list[Item], *, n_units: int = 1, others: list[Item] | None = None) -> bytes:
    """Digest a window of these items, divided into units in turn, beside a window of other items."""
    every = [(number % n_units, item) for number, item in enumerate(items)]
    every += [(n_units, item) for item in others or []]
    shown = sorted({item for _, item in every})
    raters, labels = (sorted({rating[i] for item in shown for rating in item}) for i in (0, 1))
    entries = [(number, raters.index(r), labels.index(x)) for number, item in enumerate(shown) for r, x in sorted(item)]
    pattern, rater, label = np.array(entries, np.int64).reshape(-1, 3).T
    patterns = RatingPatterns(np.ones(len(shown), np.int64), pattern, rater, label, len(raters), len(labels))
    counts = sorted({(unit, shown.index(item)): every.count((unit, item)) for unit, item in every}.items())
    unit, place = np.array([key for key, _ in counts], np.int64).reshape(-1, 2).T
    members = np.array([0] * n_units + [1] * bool(others)), np.arange(n_units + bool(others))
    units = window_units(members, (unit, place, np.array([n for _, n in counts])), n_windows=2, n_patterns=len(shown))
    return window_digests(patterns, raters, labels, units)[0]


AX, AY, BX = ("ann", "X"), ("ann", "Y"), ("bob", "X")
ITEMS: list[Item] = [(AX, BX), (AX,), (AX,), (AY, BX)]


def test_order_units_and_other_windows_do_not_matter() -> None:
    same = {
        digest(ITEMS), digest(ITEMS[::-1]), digest(ITEMS, n_units=3), digest([(BX, AX), *ITEMS[1:]]),
        digest(ITEMS, others=[(("aaron", "W"),), (AX, BX)]),
    }  # fmt: skip
    assert len(same) == 1


@pytest.mark.parametrize(
    "other",
    [
        ITEMS[:3],  # an item less
        [*ITEMS, ITEMS[0]],  # one more
        [(AX, BX), (AX,), (AX,), (AX, BX)],  # another label
        [(AX, BX), (AX,), (BX,), (AY, BX)],  # another rater
        [(AY, BX), (AX,), (AX, BX), (AX,), (AX,)],
        [(AX, AY), (AX,), (AX,), (BX, BX)],  # the same ratings on other items
        [(AX, BX), (AX, AX), (AY, BX)],
        [],
    ],
)
def test_each_difference_shows(other: list[Item]) -> None:
    assert digest(other) != digest(ITEMS)


def test_digests_of_many_sets_differ() -> None:
    rng = np.random.default_rng(0)
    sets = {
        tuple(sorted(tuple((f"r{r}", "XY"[rng.integers(2)]) for r in range(2)) for _ in range(rng.integers(1, 5))))
        for _ in range(300)
    }
    assert len({digest(list(items)) for items in sets}) == len(sets) > 60
