"""The planner against brute force, printed figures and its own limits."""

from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
import pytest

from stats.accuracy import plan
from stats.accuracy.planning import item_patterns, sd_per_item
from stats.errors import StatsError

REQUEST: dict[str, Any] = {"n_labels": 5, "n_raters": 3, "kappa": 0.3, "half_width": 0.1, "confidence": 0.9}


def test_printed_figures(lehner_facts: dict[str, Any]) -> None:
    for kappa, n_items in lehner_facts["planner"]["by_kappa"].items():
        assert plan(**{**REQUEST, "kappa": float(kappa)}).n_items == n_items


def test_fields() -> None:
    result = plan(**REQUEST)
    assert result.n_ratings == 3 * result.n_items == 162
    assert result.rater_accuracy == pytest.approx((1 + 4 * 0.3**0.5) / 5)
    assert (result.half_width, result.confidence, result.kappa, result.system_accuracy) == (0.1, 0.9, 0.3, 0.9)
    assert result.warnings == ()
    assert len(plan(**{**REQUEST, "kappa": 0.1}).warnings) == 1


@pytest.mark.parametrize(("N", "m", "c", "s"), [(2, 2, 0.7, 0.9), (3, 3, 0.6, 0.4), (4, 2, 0.5, 0.95)])
def test_information_is_that_of_every_row_of_labels(N: int, m: int, c: float, s: float) -> None:
    """Sum over all N^(m+1) rows, with derivatives taken numerically."""

    def row_probabilities(s: float, c: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        def chance(row: tuple[int, ...]) -> float:
            return sum(
                (s if row[-1] == x else (1 - s) / (N - 1))
                * prod(c if label == x else (1 - c) / (N - 1) for label in row[:-1])
                for x in range(N)
            ) / N  # fmt: skip

        return np.array([chance(row) for row in product(range(N), repeat=m + 1)])

    h, P = 1e-5, row_probabilities(s, c)
    ds = (row_probabilities(s + h, c) - row_probabilities(s - h, c)) / (2 * h)
    dc = (row_probabilities(s, c + h) - row_probabilities(s, c - h)) / (2 * h)
    gradient = np.stack([ds, dc])
    sd = np.sqrt(np.linalg.inv((gradient / P) @ gradient.T)[0, 0])
    assert sd_per_item(N, m, c, s) == pytest.approx(sd, rel=1e-6)


@pytest.mark.parametrize(("N", "m"), [(2, 2), (2, 40), (5, 3), (5, 6), (50, 5)])
def test_patterns_are_all_rows_up_to_renaming(N: int, m: int) -> None:
    C, own, ways = item_patterns(N, m)
    assert ways.sum() == pytest.approx(float(N) ** (m + 1), rel=1e-9)
    assert (C.sum(axis=1) == m).all()
    assert len({(*row, C[i, y]) for i, (row, y) in enumerate(zip(C.tolist(), own, strict=True))}) == len(C)
    assert comb(m + N - 1, m) * N >= len(C)


def test_more_of_anything_needs_fewer_items() -> None:
    base = plan(**REQUEST).n_items
    assert plan(**{**REQUEST, "n_raters": 5}).n_items < base
    assert plan(**{**REQUEST, "kappa": 0.5}).n_items < base
    assert plan(**{**REQUEST, "half_width": 0.05}).n_items > 3 * base
    assert plan(**{**REQUEST, "confidence": 0.99}).n_items > base


def test_perfect_raters_leave_the_binomial_error() -> None:
    assert plan(**{**REQUEST, "kappa": 0.999999, "n_raters": 20}).sd == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_labels", 1), ("n_labels", 51), ("n_raters", 1), ("n_raters", 41), ("kappa", 0), ("kappa", 1),
     ("half_width", 0), ("confidence", 95), ("system_accuracy", 1), ("system_accuracy", -0.1),
     ("half_width", 1e-300), ("kappa", 1e-300), ("kappa", 0.9999999999999999), ("confidence", 0.9999999999999999)],
)  # fmt: skip
def test_out_of_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(StatsError, match=f"{name} lies between .* found {value}"):
        plan(**{**REQUEST, name: value})
