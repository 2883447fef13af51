"""The first screen says no more of agreement than its figures do."""

from types import SimpleNamespace
from typing import Any, cast

from markupsafe import Markup

from tasks.report import summary
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


def with_systems(name: str, copying: list[dict[str, Any]], accuracies: dict[str, float]) -> QuestionSection:
    empty = dict.fromkeys(("low", "high", "outer_low", "outer_high", "n_gold", "gold_origin", "system_version"))
    rows = [{"system": system, "accuracy": accuracy, **empty} for system, accuracy in accuracies.items()]
    raters = SimpleNamespace(mean=None, rows=[], best=None)
    return cast("QuestionSection", SimpleNamespace(
        main_systems=rows, copying=copying, raters=raters, anchor=name, short_name=Markup(name),
    ))  # fmt: skip


def test_a_system_that_seems_to_copy_an_annotator_is_not_the_best_of_all(monkeypatch: Any) -> None:
    monkeypatch.setattr(summary, "standing_words", lambda row, raters: "")
    monkeypatch.setattr(summary, "standing_counts", lambda estimates: [])
    copies = with_systems("copies", [{"system": "gpt", "rater": "cleo"}], {"gpt": 0.988})
    others = [with_systems(f"q{number}", [], {"gpt": 0.8 + number / 100}) for number in range(4)]
    (best,) = summary._systems([copies, *others])
    assert "On q3, gpt is right on an estimated 83" in best.striptags().replace("\xa0", " ")
    (alone,) = summary._systems([copies])
    assert "(perhaps far too high: its answers are too often those of cleo)" in alone.striptags()
    copies.main_systems[0]["n_gold"] = 40  # gold tells its accuracy all the same
    (audited,) = summary._systems([copies])
    assert "cleo" not in audited
