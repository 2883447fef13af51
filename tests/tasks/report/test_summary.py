"""The first screen says no more of agreement than its figures do."""

from types import SimpleNamespace
from typing import Any, cast

import polars as pl
from markupsafe import Markup

from stats.accuracy.raters.single_label import DETAIL
from tasks.report import summary
from tasks.report.sections.question_section import QuestionSection
from tasks.report.sections.systems_section import ranking_note
from tasks.report.summary import agreement_sentences
from tasks.summary.system_standing import human_raters


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


def test_a_question_of_a_few_items_is_no_end_of_the_range_of_agreement() -> None:
    alphas = [question(f"q{number}", "krippendorff_alpha", number / 10) for number in (2, 5, 4, 3)]
    new = question("new", "krippendorff_alpha", 0.0)
    cast("Any", new).main.update(low=-1.0, high=1.0)
    runs, few = (text.striptags().replace("\xa0", " ") for text in agreement_sentences([*alphas, new]))
    assert runs.startswith("On 4 questions agreement beyond chance runs from 0.200 (q2) to 0.500 (q5)")
    assert few == "1 other question has too few items to tell."
    (text,) = agreement_sentences([new] * 5)
    assert text == "No question has items enough to tell how far annotators agree beyond chance."


def with_systems(name: str, copying: list[dict[str, Any]], accuracies: dict[str, float]) -> QuestionSection:
    empty = dict.fromkeys(("low", "high", "outer_low", "outer_high", "n_gold", "gold_origin", "system_version"))
    rows = [{"system": system, "accuracy": accuracy, **empty} for system, accuracy in accuracies.items()]
    raters = SimpleNamespace(mean=None, rows=[], best=None, left_out=[])
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


def test_a_system_that_seems_to_copy_an_annotator_is_not_counted_as_better() -> None:
    better = [
        {"system": "gpt", "compared_with": standard, "difference": 0.2, "low": 0.1, "high": 0.3, "rater_accuracy": 0.7}
        for standard in ("average_rater", "best_rater")
    ]
    people = pl.DataFrame(
        {"rater": ["ann", "cleo"], "rater_kind": "human", "accuracy": 0.7, "low": 0.6, "high": 0.8, "n_ratings": 400,
         "n_gold": 0}
    )  # fmt: skip
    raters = human_raters(people, pl.DataFrame(better))
    copies = with_systems("copies", [{"system": "gpt", "rater": "cleo"}], {"gpt": 0.988})
    questions = [copies, *(with_systems(f"q{number}", [], {"gpt": 0.9}) for number in range(4))]
    for each in questions:
        each.main_systems[0].update(low=0.85, high=0.95)
        vars(each)["raters"] = raters
    text = " ".join(sentence.striptags() for sentence in summary._systems(questions)).replace("\xa0", " ")
    assert "4 of 4 estimates are better than every annotator, if people err independently." in text
    assert "Not counted: 1 estimate of systems that seem to copy an annotator." in text
    note = ranking_note(copies.main_systems, raters, copies.copying).striptags()
    assert "better than" not in note
    assert "Not compared with the annotators, because it seems to copy one: gpt." in note
    assert "gpt is better than every annotator" in ranking_note(copies.main_systems, raters).striptags()


def test_without_systems_nobody_is_taken_for_one() -> None:
    (sentence,) = summary._systems([])
    assert sentence == (
        "No system has been evaluated. If some of the raters are systems, name them in kappaflow.toml to see how good"
        " they are."
    )


def test_the_annotators_accuracy_names_those_whose_ratings_do_not_count() -> None:
    usual = {"rater_kind": "human", "n_ratings": 50, "n_gold": 0, "low": None, "high": None}
    lazy = [{**usual, "rater": f"<b>{place}", "accuracy": None, "detail": DETAIL} for place in range(6)]
    raters = pl.DataFrame([{**usual, "rater": "ann", "accuracy": 0.9, "detail": None}, *lazy])
    none = pl.DataFrame(schema={"system": pl.String, "compared_with": pl.String, "rater_accuracy": pl.Float64})
    for rows, words in ((raters, " without <b>0, <b>1, <b>2, <b>3 and 2 more is 90"), (raters.head(1), " is 90")):
        question = cast("QuestionSection", SimpleNamespace(raters=human_raters(rows, none)))
        assert summary._of_annotators(question).striptags().startswith(f"; the annotators' accuracy{words}")
