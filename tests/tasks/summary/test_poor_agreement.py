"""What is to be clarified where agreement is low for sure."""

from dataclasses import replace

import polars as pl
import pytest

from stats.agreement.breakdowns.rater_apart import RaterApart
from tasks.summary.poor_agreement import (
    BY_CHANCE,
    GUIDELINE,
    REVERSED,
    Causes,
    ConfusedLabels,
    causes_by_question,
    is_low_for_sure,
    is_poor,
    what_to_clarify,
)

CONFUSED = Causes(confused=ConfusedLabels("bill", "other", 0.414, 0.196))
APART = Causes(RaterApart("kim", 0.1, 0.9), CONFUSED.confused)
ASK = "Ask how they read the labels: kim agrees little with the others (kappa 0.10), who agree with each other (0.90)."
SENTENCE = (
    "Clarify in the guideline when an item is 'bill' and when 'other': of the pairs of ratings that differ, 41 % have"
    " these two labels, by chance 20 %."
)
ROUNDED = (0.6 - 1 / 3) / (2 / 3)  # just below 0.4


def row(low: float | None, high: float | None, coefficient: str = "krippendorff_alpha") -> dict[str, object]:
    estimate = None if low is None or high is None else (low + high) / 2
    return {"coefficient": coefficient, "estimate": estimate, "low": low, "high": high}


@pytest.mark.parametrize(
    ("low", "high", "apart", "confused", "neither"),
    [
        (0.1, 0.39, ASK, SENTENCE, GUIDELINE),
        (0.1, ROUNDED, "", "", ""),  # 0.4 is not below 0.4
        (0.0, 0.39, ASK, BY_CHANCE, BY_CHANCE),
        (-0.2, 0.0, ASK, BY_CHANCE, BY_CHANCE),
        (-0.2, -0.1, ASK, REVERSED, REVERSED),
        (-0.1, 0.41, "", "", ""),
        (ROUNDED, 0.6, ASK, SENTENCE, ""),
        (0.41, 0.667, "", "", ""),
        (0.7, 0.8, "", "", ""),
        (None, None, "", "", ""),
    ],
)
def test_what_to_clarify(low: float | None, high: float | None, apart: str, confused: str, neither: str) -> None:
    assert what_to_clarify(row(low, high), APART) == apart
    weighted = row(low, high) | {"weights": "linear"}
    assert what_to_clarify(weighted, APART) == apart.replace("(kappa", "(weighted kappa")
    assert what_to_clarify(row(low, high), CONFUSED) == confused
    assert what_to_clarify(row(low, high), Causes()) == neither


def test_without_agreement_beyond_chance_nothing_is_poor() -> None:
    assert not is_poor(row(0.1, 0.2, "percent_agreement"))
    assert not is_poor(None)
    assert not is_low_for_sure(None)
    assert what_to_clarify(None, CONFUSED) == ""
    assert what_to_clarify(row(0.1, 0.2, "percent_agreement"), Causes()) == ""


def test_the_causes_of_each_question() -> None:
    pairs = pl.DataFrame(
        [
            {"question": question, "rater_a": a, "rater_b": b, "coefficient": "cohen_kappa", "n_items": 80,
             "estimate": kappa, "low": kappa - 0.1, "high": kappa + 0.1}
            for question, kim in (("both", 0.1), ("one guideline", 0.8))
            for a, b, kappa in (("ann", "bob", 0.9), ("ann", "kim", kim), ("bob", "kim", kim))
        ]
    )  # fmt: skip
    rows = pl.DataFrame(
        {
            "question": ["both", "as by chance", "all alike"], "label_a": ["a", "b", "c"], "label_b": ["x", "y", "z"],
            "share": [0.5, 0.4, 0.3], "by_chance": [0.2, 0.3, 0.3], "lead": [3.01, 3.0, None],
            "n_numbers": [None, 25, 26],
        }
    )  # fmt: skip
    result = causes_by_question(pairs, rows)
    assert result["both"].confused == ConfusedLabels("a", "x", 0.5, 0.2)
    assert result["both"].apart is not None
    assert result["both"].apart.rater == "kim"
    assert {name: result[name] for name in ("as by chance", "all alike", "one guideline")} == {
        "as by chance": Causes(), "all alike": Causes(n_numbers=26), "one guideline": Causes()
    }  # fmt: skip
    assert causes_by_question(pl.DataFrame(), pl.DataFrame()) == {}


def test_many_numbers_may_be_points_on_a_scale_rather_than_labels_that_are_confused() -> None:
    causes = replace(APART, n_numbers=78)
    sentence = what_to_clarify(row(0.1, 0.2), causes)
    assert sentence.startswith("Say what the labels are: 78 different numbers, and only equal ones agree. If they are")
    assert sentence.endswith('set scale = "interval". If they are names of classes, declare them as labels.')
    assert what_to_clarify(row(0.3, 0.9), causes) == ""


def test_a_long_label_is_shortened_where_it_does_not_differ() -> None:
    sentence = ConfusedLabels("x" * 41, "y" * 40, 1 / 3, 0.1).sentence
    assert f"'{'x' * 39}…' and when '{'y' * 40}': " in sentence
    sentence = ConfusedLabels("x" * 60 + "a", "x" * 60 + "b", 1 / 3, 0.1).sentence
    assert f"'…{'x' * 38}a' and when '…{'x' * 38}b': " in sentence
