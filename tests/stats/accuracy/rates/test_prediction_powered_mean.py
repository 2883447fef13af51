"""The prediction-powered mean against the package ppi-python, and what its interval must do."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from stats.accuracy.rates.prediction_powered_mean import PredictedShare, powered_interval, powered_mean, wilson

GOLDEN: dict[str, Any] = tomllib.loads((Path(__file__).parents[3] / "data" / "golden" / "ppi.toml").read_text("utf-8"))


def share(cells: list[int], rest: list[int], weights: list[float] | None = None) -> PredictedShare:
    Y, F = np.repeat([1.0, 1, 0, 0], cells), np.repeat([1.0, 0, 1, 0], cells)
    w = np.ones(len(Y)) if weights is None else np.array(weights) / np.mean(weights)
    return PredictedShare(Y, F, w, *rest)


@pytest.mark.parametrize("name", GOLDEN)
def test_equal_to_the_published_package(name: str) -> None:
    case = GOLDEN[name]
    result = powered_mean(share(case["cells"], case["rest"], case.get("weights")))
    assert result.estimate == pytest.approx(case["estimate"], abs=1e-6)
    assert result.se == pytest.approx(case["se"], abs=1e-6)
    z = float(ndtri(0.975))
    assert result.estimate - z * result.se == pytest.approx(case["low"], abs=1e-6)


def test_without_further_items_it_is_the_gold_share() -> None:
    result = powered_mean(share([5, 1, 2, 12], [0, 0]))
    assert (result.estimate, result.lam) == (0.3, 0.0)
    low, high = powered_interval(share([5, 1, 2, 12], [0, 0]), result, 0.95)
    assert low < 0.3 < high


@pytest.mark.parametrize("cells", [[0, 0, 0, 20], [20, 0, 0, 0], [10, 0, 0, 10], [0, 10, 10, 0]])
def test_gold_that_agrees_throughout_makes_no_interval_of_width_zero(cells: list[int]) -> None:
    given = share(cells, [1000, 1000 * (cells[0] + cells[2]) / 20])
    low, high = powered_interval(given, powered_mean(given), 0.95)
    assert 0 <= low < high <= 1
    assert high - low > 0.03


def test_the_interval_holds_an_estimate_cut_at_zero() -> None:
    given = share([0, 0, 6, 14], [300, 10])
    result = powered_mean(given)
    low, high = powered_interval(given, result, 0.95)
    assert low <= max(result.estimate, 0) <= high


def test_more_gold_narrows_it_and_so_do_good_predictions() -> None:
    def width(cells: list[int], rest: list[int]) -> float:
        low, high = powered_interval(share(cells, rest), powered_mean(share(cells, rest)), 0.95)
        return high - low

    assert width([40, 5, 5, 50], [1000, 450]) < width([8, 1, 1, 10], [1000, 450])
    assert width([8, 1, 1, 10], [1000, 450]) < width([4, 5, 5, 6], [1000, 450])
    low, high = wilson(9 / 20, 20, 0.95)
    assert width([8, 1, 1, 10], [1000, 450]) < high - low
