"""What is to be clarified where agreement is low for sure."""

import polars as pl
import pytest

from tasks.summary.poor_agreement import (
    BY_CHANCE,
    GUIDELINE,
    ConfusedLabels,
    confused_by_question,
    is_low_for_sure,
    is_poor,
    what_to_clarify,
)

CONFUSED = ConfusedLabels("bill", "other", 0.414)
SENTENCE = (
    "Clarify in the guideline when an item is 'bill' and when 'other': of the pairs of ratings that differ, 41 % have"
    " these two labels."
)
ROUNDED = (0.6 - 1 / 3) / (2 / 3)  # just below 0.4


def row(low: float | None, high: float | None, coefficient: str = "krippendorff_alpha") -> dict[str, object]:
    estimate = None if low is None or high is None else (low + high) / 2
    return {"coefficient": coefficient, "estimate": estimate, "low": low, "high": high}


@pytest.mark.parametrize(
    ("low", "high", "with_confused", "without"),
    [
        (0.1, 0.39, SENTENCE, GUIDELINE),
        (0.1, ROUNDED, "", ""),  # 0.4 is not below 0.4
        (0.0, 0.39, BY_CHANCE, BY_CHANCE),
        (-0.2, -0.1, BY_CHANCE, BY_CHANCE),
        (-0.1, 0.41, "", ""),
        (ROUNDED, 0.6, SENTENCE, ""),
        (0.41, 0.667, "", ""),
        (0.7, 0.8, "", ""),
        (None, None, "", ""),
    ],
)
def test_what_to_clarify(low: float | None, high: float | None, with_confused: str, without: str) -> None:
    assert what_to_clarify(row(low, high), CONFUSED) == with_confused
    assert what_to_clarify(row(low, high), None) == without


def test_without_agreement_beyond_chance_nothing_is_poor() -> None:
    assert not is_poor(row(0.1, 0.2, "percent_agreement"))
    assert not is_poor(None)
    assert not is_low_for_sure(None)
    assert what_to_clarify(None, CONFUSED) == ""
    assert what_to_clarify(row(0.1, 0.2, "percent_agreement"), None) == ""


def test_two_labels_are_named_only_if_they_are_clearly_ahead() -> None:
    rows = pl.DataFrame(
        {
            "question": ["ahead", "as often", "never two"], "label_a": ["a", "b", "c"], "label_b": ["x", "y", "z"],
            "share": [0.5, 0.4, 0.3], "lead": [1.97, 1.96, None],
        }
    )  # fmt: skip
    assert confused_by_question(rows) == {"ahead": ConfusedLabels("a", "x", 0.5)}
    assert confused_by_question(pl.DataFrame()) == {}


def test_a_long_label_is_shortened() -> None:
    sentence = ConfusedLabels("x" * 41, "y" * 40, 1 / 3).sentence
    assert f"'{'x' * 39}…' and when '{'y' * 40}': " in sentence
