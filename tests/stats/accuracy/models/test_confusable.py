"""Coins whose errors prefer some labels: exact where that is so, `one_coin` where it is not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import aic, data_of, fit_of
from stats.accuracy.models import confusable, one_coin

Population = Callable[..., SystemPatterns]
# of ten errors on the first label nine fall on the second, and so on: pairs that are easily confused
SHARES = np.array([[0, 0.9, 0.05, 0.05], [0.8, 0, 0.1, 0.1], [0.05, 0.05, 0, 0.9], [0.1, 0.2, 0.7, 0]])
BASE = [0.4, 0.3, 0.2, 0.1]


def matrix(p: float) -> Any:
    return np.eye(4) * p + SHARES * (1 - p)


def fitted(model: Any, patterns: SystemPatterns) -> float:
    accuracy = fit_of(model, data_of(patterns), 0).accuracy
    assert accuracy is not None
    return accuracy


def test_a_population_of_its_own_is_exact(population: Population) -> None:
    patterns = population([(1, BASE, [matrix(0.6)] * 3, matrix(0.3))])
    assert fitted(confusable.MODEL, patterns) == pytest.approx(0.3, abs=3e-3)
    assert abs(fitted(one_coin.MODEL, patterns) - 0.3) > 0.03


def test_so_is_one_with_easy_and_difficult_items(population: Population) -> None:
    worlds = [(0.5, BASE, [matrix(0.9)] * 4, matrix(0.95)), (0.5, BASE, [matrix(0.5)] * 4, matrix(0.65))]
    patterns = population(worlds)
    assert fitted(confusable.DIFFICULTY, patterns) == pytest.approx(0.8, abs=5e-3)
    assert abs(fitted(confusable.MODEL, patterns) - 0.8) > 0.005


def test_with_errors_spread_evenly_it_is_one_coin_and_pays_for_more_chances(
    population: Population, even: Callable[[float, int], Any]
) -> None:
    patterns = population([(1, [0.5, 0.3, 0.2], [even(0.7, 3)] * 3, even(0.8, 3))])
    data = data_of(patterns)
    assert fitted(confusable.MODEL, patterns) == pytest.approx(fitted(one_coin.MODEL, patterns), abs=2e-3)
    # 2 shares of errors on each of 3 labels, and nothing gained
    assert aic(confusable.MODEL, data) - aic(one_coin.MODEL, data) == pytest.approx(2 * 3, abs=0.1)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_it_is_for_three_labels_without_order(k: int, ordered: bool) -> None:
    patterns = SystemPatterns(np.eye(k, dtype=np.int64) * 2, np.arange(k), np.ones(k, np.int64), ordered)
    why = confusable.why_not(patterns)
    assert (why is None) == (k == 3 and not ordered)
    assert why is None or why[0] == "not_applicable"


@pytest.mark.parametrize("model", [confusable.MODEL, confusable.DIFFICULTY])
def test_the_tangent_is_the_derivative_of_the_chances(model: Any, population: Population) -> None:
    """J moves Phi along the model: rows of chances keep their sum, and J' is its transpose."""
    data = data_of(population([(1, BASE, [matrix(0.6)] * 3, matrix(0.7))]))
    fit_of(model, data, 0)
    solution = data.solutions[model.name]
    tangent = model.tangent(solution.Phi[0], solution.T[0] + model.prior(data)[0])
    rng = np.random.default_rng(2)
    theta = rng.normal(size=tangent.jacobian_transposed(np.zeros_like(solution.Phi[0])).shape)
    moved, U = tangent.jacobian(theta), rng.normal(size=solution.Phi[0].shape)
    chances = np.exp(solution.Phi[0])
    rows = (chances * moved)[:, 1:].reshape(len(chances), -1, 4).sum(axis=2)
    assert rows == pytest.approx(np.zeros_like(rows), abs=1e-7)
    assert (chances * moved)[:, 0].sum() == pytest.approx(0, abs=1e-7)
    assert (U * moved).sum() == pytest.approx(tangent.jacobian_transposed(U) @ theta)


@pytest.mark.parametrize("model", [confusable.MODEL, confusable.DIFFICULTY])
def test_other_names_for_the_labels_change_nothing(model: Any) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, 150)
    labels = np.array([[rng.choice(4, p=matrix(0.7)[z]) for _ in range(4)] for z in truth])
    results = []
    for order in (np.arange(4), np.array([2, 0, 3, 1])):
        codes, n = np.unique(order[labels], axis=0, return_counts=True)
        C = (codes[:, :3, None] == np.arange(4)).sum(axis=1)
        results.append(fit_of(model, data_of(SystemPatterns(C, codes[:, 3], n)), 0))
    assert results[0].accuracy == pytest.approx(results[1].accuracy, abs=1e-3)
    errors = [result.logit_error() for result in results if result.logit_error is not None]
    assert errors[0] is not None
    assert errors[1] is not None
    assert errors[0][0] == pytest.approx(errors[1][0], rel=0.03)
