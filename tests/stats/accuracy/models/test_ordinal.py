"""Errors that fall with the distance on an ordered scale, and when the model does not apply."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from stats.accuracy import ESTIMATORS
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.models import error_kernel
from stats.simulation.confusion_matrices import confusion_matrix


@pytest.mark.parametrize("asymmetry", [1.0, 2.0, 0.5])
def test_a_population_of_its_own_is_exact(asymmetry: float, population: Callable[..., SystemPatterns]) -> None:
    raters, system = (confusion_matrix(4, p, asymmetry) for p in (0.6, 0.8))
    patterns = population([(1, [0.4, 0.3, 0.2, 0.1], [raters] * 3, system)], ordered=True)
    assert ESTIMATORS["ordinal"].fit(patterns).accuracy == pytest.approx(0.8, abs=2e-3)
    coin = ESTIMATORS["one_coin"].fit(patterns).accuracy
    assert coin is not None
    assert abs(coin - 0.8) > 0.004 or asymmetry != 2


def test_the_kernel_is_that_of_table_6(lehner_facts: dict[str, Any]) -> None:
    errors = 0.6 * np.exp(error_kernel.log_kernel(np.log([2.0]), 5)[0])
    result = np.where(np.eye(5, dtype=bool), 0.4, errors)
    assert pytest.approx(np.array(lehner_facts["table6"]["matrix"]), abs=5.1e-4) == result


def test_rows_of_the_kernel_sum_to_1_without_the_diagonal() -> None:
    for k in (3, 7, 50):
        P = np.exp(error_kernel.log_kernel(np.array([-0.7, 0.0, 3.0]), k)) * (1 - np.eye(k))
        assert pytest.approx(np.ones((3, k))) == P.sum(axis=2)


def test_the_tilt_is_the_maximum_of_a_general_search() -> None:
    rng = np.random.default_rng(4)
    for k in (3, 5, 9):
        E = rng.gamma(0.7, 5, (1, k, k))
        E[0] *= np.exp(-rng.normal() * np.abs(np.subtract.outer(np.arange(k), np.arange(k))))

        def lost(t: float, E: Any = E, k: int = k) -> float:
            return -float((E[0] * (1 - np.eye(k)) * error_kernel.log_kernel(np.array([t]), k)[0]).sum())

        result = minimize_scalar(lost, bounds=(-15, 15), method="bounded", options={"xatol": 1e-10}).x
        assert error_kernel.tilt(E)[0] == pytest.approx(result, abs=1e-4)


def test_errors_at_one_distance_only_do_not_run_away() -> None:
    E = np.zeros((2, 4, 4))
    E[0, [0, 1, 2], [1, 2, 3]] = 5.0  # all one step off: AD would be infinite
    result = error_kernel.tilt(E)
    assert np.isfinite(result).all()
    assert result[0] > 15
    assert result[1] == 0.0  # no error at all says nothing of AD
    assert np.isfinite(error_kernel.moments(result, 4)).all()


@pytest.mark.parametrize(
    ("labels", "scale", "words"),
    [("ABC", "nominal", "no declared order"), ("AB", "ordinal", "Two labels have one distance only")],
)
def test_without_an_order_it_does_not_apply(
    labels: str, scale: str, words: str, ask: Callable[..., dict[str, Any]]
) -> None:
    row = ask("ordinal", ["AAA", "BBB", "ABA", "BBB"] * 5, labels, scale=scale)
    assert (row["accuracy"], row["se"], row["low"], row["reason"]) == (None, None, None, "not_applicable")
    assert words in row["detail"]


def test_the_order_of_the_labels_counts(ask: Callable[..., dict[str, Any]]) -> None:
    items = [*["AAAA", "BBBB", "CCCC", "DDDD"] * 6, *["ABAA", "BCBB", "CDCC", "ABBA", "CCDD"] * 4]
    straight, reverse, mixed = (ask("ordinal", items, labels, scale="ordinal") for labels in ("ABCD", "DCBA", "ACBD"))
    assert straight["accuracy"] == pytest.approx(reverse["accuracy"], abs=1e-6)
    assert abs(straight["accuracy"] - mixed["accuracy"]) > 1e-3
