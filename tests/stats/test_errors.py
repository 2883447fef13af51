"""Arguments of a wrong type: one sentence on what is wrong and one on what to do, in the error of the package."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy, plan
from stats.agreement import against_group, agreement, pairwise
from stats.errors import StatsError
from stats.simulate import FIGURES, simulate

RATERS = ("ann", "ben", "gpt")
RATINGS = pl.DataFrame(
    [(f"i{n}", rater, "AB"[(n + (n % 7 == place)) % 2]) for n in range(30) for place, rater in enumerate(RATERS)],
    schema=["item", "rater", "label"],
    orient="row",
)
LABELS = ["A", "B"]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "agreement": partial(agreement, RATINGS, labels=LABELS),
    "bootstrap": partial(agreement, RATINGS, labels=LABELS, interval_method="percentile", replicates=100),
    "pairwise": partial(pairwise, RATINGS, labels=LABELS),
    "against_group": partial(against_group, RATINGS, labels=LABELS, system="gpt"),
    "accuracy": partial(accuracy, RATINGS, labels=LABELS, systems=["gpt"]),
    "plan": partial(plan, n_labels=5, n_raters=3, kappa=0.3, half_width=0.1, confidence=0.9),
    "simulate": partial(simulate, replace(FIGURES[3], n_items=20), runs=1, seed=1),
}


@pytest.mark.parametrize(
    ("name", "arguments", "sentences"),
    [
        (
            "agreement",
            {"confidence": "0.95"},
            "confidence must be a number, found '0.95'. Pass a number, without quotes",
        ),
        ("agreement", {"coefficients": 5}, "Coefficients must be a list of names from .*, found 5. Leave them out"),
        ("agreement", {"coefficients": [["scott_pi"]]}, "Coefficients must be a list of names from"),
        ("bootstrap", {"seed": None}, "The seed must be a whole number from 0, found None. Pass such a number"),
        ("bootstrap", {"replicates": None}, "The replicates must be a whole number from 100, found None"),
        ("pairwise", {"min_items": "2"}, "a number from 1, found '2'. Pass 1"),
        ("against_group", {"coefficients": 5}, "Coefficients against the group must be a list of names"),
        ("accuracy", {"confidence": None}, "confidence must be a number, found None"),
        ("accuracy", {"systems": 5}, "Systems are a list of one or more different names, found 5. Name each once"),
        ("accuracy", {"methods": 5}, "Methods are a list of different names, found 5. Choose from average"),
        ("accuracy", {"outer_error": "x"}, "outer_error must be a number, found 'x'"),
        ("accuracy", {"outer_error": 1e300}, "The outer error must lie between 0 and 100, found 1e.300. Leave it out"),
        ("plan", {"n_labels": 2.5}, "n_labels must be a whole number, found 2.5. Pass such a number"),
        ("plan", {"kappa": "0.3"}, "kappa must be a number, found '0.3'"),
        ("simulate", {"methods": "lehner"}, "Methods are a list of names, found 'lehner'. Choose from average"),
        ("simulate", {"methods": []}, r"Methods are a list of names, found \[\]. Choose"),
        ("simulate", {"methods": ["x", 5]}, "There is no method 'x', 5. Choose from"),
        ("simulate", {"runs": "2"}, "runs must be a whole number, found '2'"),
    ],
)
def test_a_wrong_type_is_said(name: str, arguments: dict[str, Any], sentences: str) -> None:
    with pytest.raises(StatsError, match=sentences):
        FUNCTIONS[name](**arguments)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (5, "The setting is a SimulationSetting, found"),
        (replace(FIGURES[3], raters=0.7), "raters must be a list, found 0.7. Put it into square brackets"),  # type: ignore[arg-type]
        (replace(FIGURES[3], n_labels=2.5), "n_labels must be a whole number, found 2.5"),  # type: ignore[arg-type]
        (replace(FIGURES[3], difficulty="x"), "difficulty must be a number, found 'x'"),  # type: ignore[arg-type]
    ],
)
def test_a_setting_of_wrong_types_is_said(setting: Any, sentence: str) -> None:
    with pytest.raises(StatsError, match=sentence):
        simulate(setting, runs=1, seed=1)


def test_numbers_of_numpy_count_as_those_of_python() -> None:
    of_numpy = FUNCTIONS["bootstrap"](seed=np.int64(3), replicates=np.int32(100), confidence=np.float32(0.9))
    assert of_numpy["estimate"].equals(FUNCTIONS["bootstrap"](seed=3)["estimate"])
    assert FUNCTIONS["agreement"](population=np.int64(500)).equals(FUNCTIONS["agreement"](population=500))
    assert FUNCTIONS["plan"](n_labels=np.int64(5)) == FUNCTIONS["plan"]()


def test_accuracy_without_ratings_says_so() -> None:
    with pytest.raises(StatsError, match="Accuracy needs ratings, found none"):
        accuracy(RATINGS.clear(), systems=["gpt"], labels=LABELS)
