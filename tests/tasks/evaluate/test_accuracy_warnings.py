"""Answers with a label that no annotator gave are wrong, and the accuracy says so."""

import numpy as np
import polars as pl

from tasks.evaluate.systems import SystemRatings, estimate_systems

WARNING = "of its 300 answers have labels that no annotator gave ('YES '), and count as wrong."


def ratings(n_misspelt: int) -> pl.DataFrame:
    """Return 300 items of three annotators and a system, which writes 'YES ' for its first answers 'Yes'."""
    rng, labels = np.random.default_rng(5), np.array(["No", "Yes", "Maybe"])
    truth = rng.integers(0, 3, 300)
    rows = []
    for rater, accuracy in (("ann", 0.85), ("ben", 0.8), ("cleo", 0.8), ("gpt", 0.9)):
        given = labels[np.where(rng.random(300) < accuracy, truth, (truth + rng.integers(1, 3, 300)) % 3)].tolist()
        if rater == "gpt":
            for item in [item for item, label in enumerate(given) if label == "Yes"][:n_misspelt]:
                given[item] = "YES "
        rows += [(str(item), rater, label) for item, label in enumerate(given)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def estimated(n_misspelt: int, gold: pl.DataFrame | None = None) -> pl.DataFrame:
    rated = ratings(n_misspelt)
    labels = sorted(rated["label"].unique())
    return estimate_systems(SystemRatings(rated, ["gpt"], labels, "nominal", gold)).accuracy


def test_misspelt_answers_are_wrong_and_said_to_be() -> None:
    result, right = estimated(12), estimated(0)
    assert all(f"12 {WARNING}" in warnings for warnings in result["warnings"])
    assert not any("no annotator gave" in text for warnings in right["warnings"] for text in warnings)
    assert 0.02 < right["accuracy"][0] - result["accuracy"][0] < 0.06  # 12 of 300 are .04


def test_one_answer_is_said_in_the_singular() -> None:
    (text,) = [text for text in estimated(1)["warnings"][0] if "no annotator gave" in text]
    assert text == "1 of its 300 answers has a label that no annotator gave ('YES '), and counts as wrong."


def test_a_label_that_gold_has_is_not_wrong() -> None:
    gold = pl.DataFrame({"item": ["0", "1", "2"], "label": ["YES ", "Yes", "No"]})
    result = estimated(12, gold)
    assert not any("no annotator gave" in text for warnings in result["warnings"] for text in warnings)
