"""Easy and difficult items, each with their own coins."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stats.accuracy import ESTIMATORS
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.models.difficulty import levels
from stats.simulation.confusion_matrices import confusion_matrix

Population = Callable[..., SystemPatterns]


@pytest.mark.parametrize("asymmetry", [1.0, 2.0])
def test_a_population_of_its_own_is_exact(asymmetry: float, population: Population) -> None:
    """Half the items easy (raters .9, system .95), half difficult (.5, .65): all err on the same items."""

    def matrix(p: float) -> Any:
        return confusion_matrix(4, p, asymmetry)

    base = [0.4, 0.3, 0.2, 0.1]
    worlds = [(0.5, base, [matrix(0.9)] * 4, matrix(0.95)), (0.5, base, [matrix(0.5)] * 4, matrix(0.65))]
    patterns = population(worlds, ordered=asymmetry != 1)
    right = (0.95 + 0.65) / 2
    assert ESTIMATORS["difficulty"].fit(patterns).accuracy == pytest.approx(right, abs=3e-3)
    coin = ESTIMATORS["one_coin"].fit(patterns).accuracy
    assert coin is not None
    assert abs(coin - right) > 0.005


def test_the_start_is_by_agreement() -> None:
    C = np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1], [0, 0, 1], [0, 4, 4]])
    # agreeing pairs 1, 1/3, 0, none, 24/56; .25 + .5 of that
    assert levels(C)[:, 0] == pytest.approx([0.75, 0.25 + 1 / 6, 0.25, 0.5, 0.25 + 12 / 56])
    assert pytest.approx(np.ones(5)) == levels(C).sum(axis=1)


def test_two_labels_are_not_identified(ask: Callable[..., dict[str, Any]]) -> None:
    row = ask("difficulty", ["AAA", "BBB", "ABA", "BBB"] * 5, "AB")
    assert (row["accuracy"], row["reason"]) == (None, "not_identified")
    assert "needs three labels" in row["detail"]


def test_without_difficult_items_it_is_one_coin(population: Population, even: Callable[[float, int], Any]) -> None:
    patterns = population([(1, [0.5, 0.3, 0.2], [even(0.7, 3)] * 3, even(0.8, 3))])
    assert ESTIMATORS["difficulty"].fit(patterns).accuracy == pytest.approx(0.8, abs=3e-3)
