"""One free matrix for the raters and one for the system: the model that unequal sensitivity and specificity need."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stats.accuracy import ESTIMATORS
from stats.accuracy.fitting.estimator import SystemPatterns

Population = Callable[..., SystemPatterns]
TWO = np.array([[0.9, 0.1], [0.4, 0.6]])  # raters: sensitivity .9, specificity .6
SYSTEM = np.array([[0.95, 0.05], [0.2, 0.8]])
THREE = np.array([[0.8, 0.15, 0.05], [0.3, 0.6, 0.1], [0.1, 0.3, 0.6]])


def test_two_labels_of_unequal_errors_are_exact_and_lehner_is_not(population: Population) -> None:
    patterns = population([(1, [0.3, 0.7], [TWO] * 4, SYSTEM)])
    right = 0.3 * 0.95 + 0.7 * 0.8
    assert ESTIMATORS["pooled_free"].fit(patterns).accuracy == pytest.approx(right, abs=2e-3)
    lehner = ESTIMATORS["lehner"].fit(patterns).accuracy
    assert lehner is not None
    assert lehner < right - 0.05


def test_any_matrix_of_three_labels_is_exact(population: Population) -> None:
    system = np.array([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.4, 0.2, 0.4]])
    patterns = population([(1, [0.5, 0.3, 0.2], [THREE] * 4, system)])
    right = 0.5 * 0.9 + 0.3 * 0.8 + 0.2 * 0.4
    assert ESTIMATORS["pooled_free"].fit(patterns).accuracy == pytest.approx(right, abs=3e-3)


def test_where_the_right_labels_are_plain_it_is_a_share(ask: Callable[..., dict[str, Any]]) -> None:
    # raters who always agree: right on 30 of 40 items, half a right and half a wrong item added
    row = ask("pooled_free", ["AAAA", "BBBB", "CCCA", "CCCC"] * 10, "ABC")
    assert row["accuracy"] == pytest.approx(30.5 / 41, abs=1e-3)
    # a prior of two pseudo-ratings a row must not make it surer than the right labels would
    assert row["se"] >= (row["accuracy"] * (1 - row["accuracy"]) / 41) ** 0.5 * (1 - 1e-12)


@pytest.mark.parametrize("method", ["pooled_free", "dawid_skene", "one_coin", "difficulty", "average"])
def test_a_system_that_is_always_right_or_wrong_has_an_interval_of_40_items(
    method: str, ask: Callable[..., dict[str, Any]]
) -> None:
    """The exact binomial bound of 40 out of 40 is .912: a curvature at the edge of the range promises far more."""
    right, wrong = (ask(method, items, "ABC") for items in (["AAAA", "BBBB"] * 20, ["AAAB", "BBBC"] * 20))
    assert right["low"] < 0.912 < right["high"]
    assert wrong["low"] < 1 - 0.912 < wrong["high"]


def test_uneven_errors_need_no_warning(ask: Callable[..., dict[str, Any]]) -> None:
    items = ["AAA", "BBB", "ABA", "BBA"] * 10
    assert any("two labels" in note for note in ask("one_coin", items, "AB")["warnings"])
    assert not any("two labels" in note for note in ask("pooled_free", items, "AB")["warnings"])
