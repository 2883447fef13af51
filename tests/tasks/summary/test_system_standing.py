"""The accuracy of the average annotator is the one that the command `accuracy` gives, or missing."""

import numpy as np
import polars as pl
import pytest

from stats.accuracy.raters.annotators import annotators
from tasks.summary.system_standing import human_raters

LABELS = ("A", "B", "C")
NO_SYSTEM = pl.DataFrame(schema={"system": pl.String, "compared_with": pl.String, "rater_accuracy": pl.Float64})


def answers(*accuracies: float, seed: int) -> pl.DataFrame:
    """Ratings of 120 items by a rater for each accuracy; below 0: the rater always says A."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=120)
    rows = [
        (str(item), f"r{place}", LABELS[0 if accuracy < 0 else right if rng.random() < accuracy else rng.integers(3)])
        for place, accuracy in enumerate(accuracies)
        for item, right in enumerate(truth)
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


@pytest.mark.parametrize(
    ("ratings", "is_known"),
    [
        (answers(0.9, 0.8, 0.7, seed=1), True),
        (answers(0.9, 0.8, 0.7, -1, seed=1), True),  # who gives one label counts in no figure
        (answers(0.9, 0.8, seed=1), False),  # with two annotators none has an accuracy alone
        (answers(0.0, 0.0, 0.0, seed=4), False),  # some have one, by chance
    ],
)
def test_the_accuracy_of_all_is_not_that_of_some(ratings: pl.DataFrame, is_known: bool) -> None:
    expected = annotators(ratings, labels=LABELS)
    rows = expected.raters.with_columns(rater_kind=pl.lit("human"))
    assert expected.accuracy is not None
    mean = human_raters(rows, NO_SYSTEM).mean
    assert mean == (pytest.approx(expected.accuracy) if is_known else None)
