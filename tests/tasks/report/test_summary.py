"""The first screen says no more of agreement than its figures do."""

from types import SimpleNamespace
from typing import Any, cast

from markupsafe import Markup

from tasks.report.sections.question_section import QuestionSection
from tasks.report.summary import agreement_sentences


def question(name: str, coefficient: str, estimate: float | None) -> QuestionSection:
    main: dict[str, Any] = {"coefficient": coefficient, "estimate": estimate, "low": None, "high": None}
    value = "—" if estimate is None else f"{estimate:.3f}"
    return cast("QuestionSection", SimpleNamespace(main=main, value=value, anchor=name, short_name=Markup(name)))


def test_percent_agreement_is_not_in_the_range_of_agreement_beyond_chance() -> None:
    """A question with one label has percent agreement alone, of 1. It is not the best one beyond chance."""
    alphas = [question(f"q{number}", "krippendorff_alpha", number / 10) for number in (2, 5, 4, 3)]
    plain = question("one_label", "percent_agreement", 1.0)
    (text,) = agreement_sentences([*alphas, plain])
    assert "4 questions agreement beyond chance" in text.striptags().replace("\xa0", " ")
    assert "0.200" in text
    assert "0.500" in text
    assert "1.000" not in text
    assert "one_label" not in text
    (text,) = agreement_sentences([plain] * 5)
    assert text == "No question has a figure of agreement beyond chance."
