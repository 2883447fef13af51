"""Ratings prepared once: every function gives the same of them as of the ratings, and no model is fitted twice."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy, annotators, better_than_raters, compare_systems, label_quality, prepared
from stats.accuracy.fitting.em import maximise
from stats.accuracy.fitting.em_solution import EmSolution
from stats.accuracy.system_patterns import is_canonical
from stats.errors import StatsError
from stats.simulate import simulate_ratings

LABELS = list("ABC")
FUNCTIONS: dict[str, Callable[..., pl.DataFrame]] = {
    "accuracy": accuracy,
    "compare_systems": compare_systems,
    "better_than_raters": better_than_raters,
    "label_quality": label_quality,
}


def world(*, systems: int, raters: int = 4, seed: int = 1) -> pl.DataFrame:
    """Items of which some are difficult; every third has no label of the first system, every fourth none of a rater."""
    result = simulate_ratings(
        n_items=150,
        labels=LABELS,
        raters={f"r{number}": 0.75 for number in range(raters)},
        systems={name: 0.9 - 0.05 * number for number, name in enumerate(names(systems))},
        difficulty=0.2,
        rng=np.random.default_rng(seed),
    ).drop("truth")
    number = pl.col("item").cast(pl.Int64)
    gone = ((pl.col("rater") == "s0") & (number % 3 == 0)) | ((pl.col("rater") == "r1") & (number % 4 == 0))
    return result.filter(~gone)


def names(systems: int) -> list[str]:
    return [f"s{number}" for number in range(systems)]


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What EM worked on, a row for each time."""
    made: list[bytes] = []

    def counted(evidence: Any, W: Any, start: Any, prior: Any, *rest: Any, **settings: Any) -> EmSolution:
        made.append(W.tobytes() + start.tobytes() + prior.tobytes() + str(rest).encode())
        return maximise(evidence, W, start, prior, *rest, **settings)

    monkeypatch.setattr("stats.accuracy.fitting.likelihood.maximise", counted)
    return made


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
@pytest.mark.parametrize(("systems", "raters"), [(2, 4), (2, 33), (8, 4)])
def test_the_figures_are_those_of_the_ratings(systems: int, raters: int, scale: str) -> None:
    ratings, among = world(systems=systems, raters=raters), {"systems": names(systems), "labels": LABELS}
    once = prepared(ratings, **among, scale=scale)
    assert is_canonical(once.tables["s0"]) == (raters < 31)
    methods = {"accuracy": {"methods": ["average", "one_coin"]}, "label_quality": {"raters": ["r0"]}}
    for name, function in FUNCTIONS.items():
        how: dict[str, Any] = {**among, "scale": scale, **methods.get(name, {})}
        assert function(once, **how).equals(function(ratings, **how)), name


@pytest.mark.parametrize("systems", [2, 8])
def test_each_model_is_fitted_once_to_each_system(fits: list[bytes], systems: int) -> None:
    among: dict[str, Any] = {"systems": names(systems), "labels": LABELS}
    once = prepared(world(systems=systems).filter(pl.col("item").cast(pl.Int64) % 3 > 0), **among)
    accuracy(once, **among)
    assert len(set(fits)) == len(fits)
    people = annotators(once.ratings.filter(~pl.col("rater").is_in(among["systems"])), labels=LABELS)
    assert len(set(fits)) == len(fits)
    fits.clear()
    compare_systems(once, **among)  # all systems answered all of these items: a pair is no other data
    better_than_raters(once, **among, raters=people)
    label_quality(once, **among, raters=())
    assert not fits


def test_of_fewer_systems_what_was_found_is_kept(fits: list[bytes]) -> None:
    ratings = world(systems=3)
    once = prepared(ratings, systems=names(3), labels=LABELS)
    accuracy(once, systems=names(3), labels=LABELS)
    people = annotators(ratings.filter(~pl.col("rater").is_in(names(3))), labels=LABELS)
    fits.clear()
    few = once.among(["s0", "s2"])
    result = better_than_raters(few, systems=["s0", "s2"], labels=LABELS, raters=people)
    assert not fits
    rest = ratings.filter(pl.col("rater") != "s1")
    assert result.equals(better_than_raters(rest, systems=["s0", "s2"], labels=LABELS))
    assert once.among(names(3)) is once


def test_of_many_raters_the_patterns_depend_on_the_other_systems() -> None:
    once = prepared(world(systems=3, raters=33), systems=names(3), labels=LABELS)
    accuracy(once, systems=names(3), labels=LABELS, methods=["average", "one_coin"])
    assert set(once.solutions) == {(system, by_rater) for system in names(3) for by_rater in (False, True)}
    assert set(once.among(["s0"]).solutions) == {("s0", False)}


@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"systems": ["s1", "s0"]}, "the systems 's0', 's1'"),
        ({"labels": ["A", "C", "B"]}, "the labels 'A', 'B', 'C'"),
        ({"scale": "ordinal"}, "another scale than 'ordinal'"),
    ],
)
def test_what_it_was_not_prepared_for_is_refused(other: dict[str, Any], text: str) -> None:
    options: dict[str, Any] = {"systems": names(2), "labels": LABELS}
    once = prepared(world(systems=2), **options)
    for function in FUNCTIONS.values():
        with pytest.raises(StatsError, match=text):
            function(once, **{**options, **other})
