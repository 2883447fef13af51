"""The words on a system beside the annotators claim no more than was compared."""

from typing import Any

import polars as pl
import pytest

from tasks.report.standing_words import standing_words
from tasks.summary.system_standing import human_raters

SYSTEM = {"system": "gpt", "accuracy": 0.88, "low": 0.8, "high": 0.94, "n_gold": 60}


def people(*n_ratings: int) -> pl.DataFrame:
    rows: list[dict[str, Any]] = [
        {"rater": f"r{place}", "rater_kind": "human", "n_ratings": n, "n_gold": 3, "accuracy": 0.68 if n > 30 else 0.92,
         "low": 0.6 if n > 30 else 0.0, "high": 0.75 if n > 30 else 1.0}
        for place, n in enumerate(n_ratings)
    ]  # fmt: skip
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("n_ratings", "words"),
    [
        ((400, 300), "better than every annotator"),
        ((400, 7), "better than every annotator with 30 ratings or more"),  # the other has .92 in [0, 1]
    ],
)
def test_annotators_who_are_not_ranked_are_not_beaten(n_ratings: tuple[int, ...], words: str) -> None:
    against = pl.DataFrame(
        [{"system": "gpt", "compared_with": standard, "difference": 0.2, "low": 0.1, "high": 0.3, "rater_accuracy": 0.7}
         for standard in ("average_rater", "best_rater")]
    )  # fmt: skip
    assert standing_words(SYSTEM, human_raters(people(*n_ratings), against)) == words
