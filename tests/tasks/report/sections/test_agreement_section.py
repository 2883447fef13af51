"""The table of coefficients of a question."""

from typing import Any

import pytest

from stats.agreement.coefficients.information_agreement import TOO_HIGH
from tasks.report.sections.agreement_section import coefficient_table, headline

NAMES = ("percent_agreement", "krippendorff_alpha", "gwet_ac1")


def row(name: str, **figures: Any) -> dict[str, Any]:
    columns = ("estimate", "low", "high", "se", "p_value", "observed", "expected", "weights", "detail", "confidence")
    return dict.fromkeys(columns) | {
        "coefficient": name, "scale": "nominal", "n_items": 40, "n_raters": 1, "n_ratings": 40,
        "reason": "too_few_raters",
    } | figures  # fmt: skip


@pytest.mark.parametrize(
    ("details", "words"),
    [(("One rater.",) * 3, "too few raters: <bdi>One rater.</bdi>"),
     (("One.", "One.", "Two."), "fewer raters than the formula needs")],
)  # fmt: skip
def test_one_reason_for_all_is_told_once(details: tuple[str, ...], words: str) -> None:
    rows = [row(name, detail=detail) for name, detail in zip(NAMES, details, strict=True)]
    table = coefficient_table([*rows, row("icc1", reason="not_applicable")])
    ((name, why, *counts),) = table.rows
    assert (name, counts) == ("All coefficients", ["40", "1", "40"])
    assert words in str(why).replace("\u00a0", " ")
    assert table.aside is not None
    title, names = table.aside
    assert title.replace("\u00a0", " ") == "4 coefficients without a value"
    assert names == "Percent agreement, Krippendorff's alpha, Gwet's AC1, ICC(1,1)."


def test_where_reasons_differ_or_a_value_is_there_each_has_its_row() -> None:
    other = [row(NAMES[0]), row(NAMES[1], reason="zero_denominator")]
    known = [row(NAMES[0], reason=None, estimate=0.8), row(NAMES[1])]
    assert [len(coefficient_table(rows).rows) for rows in (other, known)] == [2, 2]


def test_what_makes_a_defined_figure_too_high_is_said() -> None:
    detail = f"From the 9 of 10 items that have two ratings or more. {TOO_HIGH}: with 9 items."
    rows = [row("percent_agreement", estimate=0.5, low=0.2, high=0.8, reason=None),
            row("information_agreement", estimate=0.8, low=0.7, high=0.9, reason=None, detail=detail)]  # fmt: skip
    assert coefficient_table(rows).note == f"Information agreement: {TOO_HIGH}: with 9 items."
    assert coefficient_table(rows[:1]).note == ""


def test_without_a_figure_the_first_headline_stands_for_the_question() -> None:
    """The page names the coefficients of its figures. One that no question has a figure of is not among them."""
    rows = [{"coefficient": name, "estimate": None} for name in ("brennan_prediger", "krippendorff_alpha")]
    main = headline(rows)
    assert main is not None
    assert main["coefficient"] == "krippendorff_alpha"
