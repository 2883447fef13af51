"""A rater who gives one label to everything is not the best one, and does not make the others poor."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy as accuracy_of_systems
from stats.accuracy import annotators, assumption_checks
from stats.accuracy.raters.single_label import single_label_raters
from stats.counts import distinct_raters, long_patterns

LABELS = ["a", "b", "c"]


def answers(truth: Any, accuracy: float, rng: np.random.Generator) -> Any:
    return np.where(rng.random(len(truth)) < accuracy, truth, (truth + rng.integers(1, 3, len(truth))) % 3)


def ratings(*accuracies: float | str, n: int = 120, share_of_a: float = 1 / 3) -> pl.DataFrame:
    """Raters r0, r1, ... of these accuracies, or of one label."""
    rng = np.random.default_rng(4)
    other = (1 - share_of_a) / 2
    truth = rng.choice(3, n, p=[share_of_a, other, other])
    rows = []
    for place, accuracy in enumerate(accuracies):
        codes = np.full(n, LABELS.index(accuracy)) if isinstance(accuracy, str) else answers(truth, accuracy, rng)
        rows += [(str(item), f"r{place}", LABELS[code]) for item, code in enumerate(codes)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


@pytest.mark.parametrize(
    ("frame", "marked"),
    [
        (ratings(0.9, 0.9, "a"), [False, False, True]),
        (ratings(0.9, 0.9, "a", "a"), [False, False, True, True]),
        (ratings(0.9, 0.9, "a", n=15), [False, False, False]),  # too few items
        (ratings(0.9, 0.9, "a", share_of_a=0.95), [False, False, False]),  # the label is nearly always right
        (ratings(0.9, "a"), [False, False]),  # nobody tells which of two
        (ratings("a", "a", "a"), [False, False, False]),
        (ratings(0.9, 0.9, 0.4), [False, False, False]),
    ],
)
def test_who_has_one_label_where_others_agree_on_another(frame: pl.DataFrame, marked: list[bool]) -> None:
    patterns = long_patterns(frame, labels=LABELS, raters=distinct_raters(frame))
    assert single_label_raters(patterns).tolist() == marked


def test_the_others_have_the_accuracy_that_they_have_without_that_rater() -> None:
    """Fitted with it, a model puts the rater of one label at .99 and the others, who are right in .9, at .3."""
    everybody = ratings(0.9, 0.9, 0.9, "a")
    result = annotators(everybody, labels=LABELS)
    honest = annotators(everybody.filter(pl.col("rater") != "r3"), labels=LABELS)
    assert result.accuracy == pytest.approx(honest.accuracy)
    assert result.raters["accuracy"].to_list()[:3] == pytest.approx(honest.raters["accuracy"].to_list())
    row = result.of("r3")
    assert (row["accuracy"], row["low"], row["reason"]) == (None, None, "not_identified")
    assert row["n_ratings"] == 120
    assert row["agreement_with_others"] is not None
    assert result.best != "r3"


def test_that_rater_counts_in_the_accuracy_of_a_system_and_the_detail_says_so() -> None:
    frame = ratings(0.8, 0.85, "a", 0.9)
    other = frame.filter(pl.col("rater") != "r2")
    (everybody, honest) = (
        accuracy_of_systems(each, systems=["r3"], labels=LABELS, methods=["lehner"])["accuracy"][0]
        for each in (frame, other)
    )
    assert everybody < honest - 0.2
    detail = annotators(frame.filter(pl.col("rater") != "r3"), labels=LABELS).of("r2")["detail"]
    assert "no other annotator's accuracy rests on them" in detail
    assert "The accuracies of systems rest on them, too" in detail


def test_gold_audits_that_rater_too() -> None:
    frame = ratings(0.9, 0.9, 0.9, "a")
    gold = pl.DataFrame({"item": [str(item) for item in range(40)], "label": ["a", "b"] * 20})
    row = annotators(frame, labels=LABELS, gold=gold).of("r3")
    assert row["accuracy"] is not None
    assert row["low"] <= 0.5 <= row["high"]


def test_the_check_of_raters_names_the_rater() -> None:
    result = assumption_checks(ratings(0.9, 0.9, "a"), labels=LABELS, replicates=199)
    (row,) = result.filter(name="raters").to_dicts()
    assert row["violated"] is not False
    assert "came from r2." in row["detail"]
    assert "Leave r2 out." in row["detail"]
