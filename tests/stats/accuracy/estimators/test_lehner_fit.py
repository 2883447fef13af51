"""Where the raters' accuracy has no value: chance, no pairs, and many labels on few items that nobody agrees on."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from stats.accuracy import ESTIMATORS, accuracy, annotators, better_than_raters, bins, consensus, rating_queue, summary
from stats.agreement import agreement

Ratings = Callable[[int, float], pl.DataFrame]
N_ITEMS = 60


@pytest.fixture
def many_labels() -> Ratings:
    """Return ratings of 60 items with so many labels by two people and a system, each right with this probability."""

    def ratings(n_labels: int, share: float) -> pl.DataFrame:
        rng = np.random.default_rng(5)
        truth = rng.integers(0, n_labels, N_ITEMS)
        rows = []
        for rater in ("ann", "bob", "bot"):
            errs, shift = rng.random(N_ITEMS) >= share, rng.integers(1, n_labels, N_ITEMS)
            answers = np.where(errs, (truth + shift) % n_labels, truth)
            rows += [(f"i{item}", rater, f"{answer:02d}") for item, answer in enumerate(answers)]
        return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")

    return ratings


def labels_of(frame: pl.DataFrame) -> list[str]:
    return sorted(frame["label"].unique())


def test_numbers_that_are_taken_for_labels_give_no_accuracy(many_labels: Ratings) -> None:
    """Points from 0 to 78, right in .3: the models took one of two such people to be right in most items."""
    frame = many_labels(79, 0.3)
    labels, humans = labels_of(frame), frame.filter(pl.col("rater") != "bot")
    estimates = accuracy(frame, systems=["bot"], labels=labels, methods=list(ESTIMATORS), scale="ordinal")
    assert estimates["accuracy"].null_count() == estimates.height == len(ESTIMATORS)
    assert estimates["reason"].unique().to_list() == ["too_many_labels"]
    assert "60 items are too few to learn how often each of their" in estimates["detail"][0]
    people = annotators(humans, labels=labels)
    assert (people.accuracy, people.low, people.reason) == (None, None, "too_many_labels")
    assert better_than_raters(frame, systems=["bot"], labels=labels)["p_system_better"].null_count() == 2
    assert bins(frame, systems=["bot"], labels=labels).is_empty()
    overall = summary(humans, labels=labels)
    assert (overall.rater_accuracy, overall.reason) == (None, "too_many_labels")
    kappa = agreement(humans, labels=labels, coefficients=["brennan_prediger"])["estimate"][0]
    assert overall.kappa == pytest.approx(kappa)
    assert set(consensus(humans, labels=labels)["method"]) == {"majority"}
    for method in ("lehner", "mixture"):
        assert set(rating_queue(humans, labels=labels, method=method)["reason"]) == {"too_many_labels"}


@pytest.mark.parametrize(("n_labels", "share"), [(79, 0.8), (9, 0.4), (25, 0.3)])
def test_who_agrees_or_has_few_labels_has_an_accuracy(many_labels: Ratings, n_labels: int, share: float) -> None:
    """Raters of .8 with more labels than items, and less sure ones with nine labels or two items for each label."""
    frame = many_labels(n_labels, share)
    (row,) = accuracy(frame, systems=["bot"], labels=labels_of(frame), methods=["average"]).to_dicts()
    assert row["low"] <= share <= row["high"]
