"""Confusion matrices: the paper's Tables 5 and 6, and what the random ones keep."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stats.errors import StatsError
from stats.simulation.confusion_matrices import confusion_matrices, confusion_matrix, error_profile, expected_accuracy

FACTS: dict[str, Any] = tomllib.loads((Path(__file__).parents[2] / "data" / "golden" / "lehner.toml").read_text())


@pytest.mark.parametrize(("table", "accuracy", "asymmetry"), [("table5", 0.6, 1.0), ("table6", 0.4, 2.0)])
def test_printed_tables(table: str, accuracy: float, asymmetry: float) -> None:
    result = confusion_matrix(5, accuracy, asymmetry)
    assert pytest.approx(np.array(FACTS[table]["matrix"]), abs=5.1e-4) == result
    assert pytest.approx(np.ones(5), abs=1e-12) == result.sum(axis=1)


@pytest.mark.parametrize("N", [2, 5, 50])
def test_errors_halve_with_each_step_of_distance(N: int) -> None:
    E = error_profile(N, 2.0)
    assert pytest.approx(np.ones(N)) == E.sum(axis=1)
    assert (np.diag(E) == 0).all()
    assert pytest.approx(2 * E[0, 2:]) == E[0, 1:-1]


@pytest.mark.parametrize("accuracy", [0.0, 0.1, 0.55, 0.97, 1.0])
def test_random_errors_keep_the_expected_accuracy(accuracy: float) -> None:
    rng = np.random.default_rng(2)
    rates = rng.dirichlet(np.ones(5), 200)
    result = confusion_matrices(np.full(200, accuracy), rates, 2.0, 1.0, rng)
    assert result.shape == (200, 5, 5)
    assert expected_accuracy(result, rates) == pytest.approx(accuracy, abs=1e-5)
    assert pytest.approx(np.ones((200, 5)), abs=1e-9) == result.sum(axis=2)
    assert ((result >= 0) & (result <= 1)).all()


def test_random_errors_differ_and_follow_the_seed() -> None:
    result, again, other = (
        confusion_matrix(4, 0.5, error_range=0.5, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (result == again).all()
    assert (result != other).any()
    # each error lies within half of the even 1/6, before rows and diagonals are scaled
    assert 0.05 < result[0, 1] < 0.35


def test_difficulty_shifts_and_is_cut() -> None:
    assert confusion_matrix(3, 0.9, difficulty=0.2)[0].tolist() == [1, 0, 0]
    assert confusion_matrix(3, 0.1, difficulty=-0.2)[0].tolist() == [0, 0.5, 0.5]
    assert confusion_matrix(3, 0.5, difficulty=0.1)[1, 1] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"n_labels": 1, "accuracy": 0.5}, "found 1"),
        ({"n_labels": 3, "accuracy": 1.5}, "found 1.5"),
        ({"n_labels": 3, "accuracy": 0.5, "asymmetry": 0}, "above 0"),
        ({"n_labels": 3, "accuracy": 0.5, "error_range": 2}, "found 2"),
        ({"n_labels": 3, "accuracy": 0.5, "error_range": 0.5}, "rng="),
    ],
)
def test_out_of_range_is_refused(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(StatsError, match=words):
        confusion_matrix(**request_)
