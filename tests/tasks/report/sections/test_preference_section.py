"""The report's section on models by votes: order, sure and unsure firsts, reasons, hostile names."""

from datetime import UTC, datetime

import polars as pl

from stats.preferences.position_bias import ALL_IN_ONE_PLACE, ONE_ORDER
from stats.preferences.shown_place import PLACE_IN_STRENGTHS
from tasks.report import ReportData, render
from tasks.report.report_data import completed
from tasks.report.sections.preference_section import preference_sections, ranking_sentences
from tasks.summary.interval_width import ALL_ALIKE


def model(name: str, rank: int | None, between: tuple[int, int] | None, **changes: object) -> dict[str, object]:
    strength = None if rank is None else 1.0 - rank
    row = {
        "question": "q", "model": name, "strength": strength, "low": None if between is None else strength,
        "high": None if between is None else strength, "confidence": 0.95, "rank": rank,
        "rank_low": between and between[0], "rank_high": between and between[1], "n_votes": 10, "n_wins": 5,
        "n_losses": 4, "n_ties": 1, "votes_of": "people", "reason": None if between else "not_identified",
        "detail": None if between else "It won all of its votes (10).",
    }  # fmt: skip
    return row | changes


def figure(name: str, rater: str | None = None, estimate: float | None = 0.5) -> dict[str, object]:
    return {
        "question": "q", "figure": name, "rater": rater, "estimate": estimate, "low": estimate and 0.4,
        "high": estimate and 0.6, "confidence": 0.95, "n_votes": 10, "n_comparisons": None,
        "reason": None if estimate else "too_few_items", "detail": None if estimate else "Too few.",
    }  # fmt: skip


def data(models: list[dict[str, object]], figures: list[dict[str, object]] | None = None) -> ReportData:
    return ReportData(
        title="t",
        made_at=datetime(2026, 3, 1, tzinfo=UTC),
        code_version="1",
        strengths=pl.DataFrame(models, infer_schema_length=None),
        preferences=pl.DataFrame(figures or [], infer_schema_length=None),
    )


def test_models_stand_by_rank_and_those_without_a_strength_last() -> None:
    shown = data([model("c", None, None), model("b", 2, (2, 2)), model("a", 1, (1, 1))])
    (section,) = preference_sections(completed(shown))
    assert [str(row[1]) for row in section.models.rows] == [f"<bdi>{name}</bdi>" for name in "abc"]
    assert "not identified" in section.models.rows[2][3]
    assert section.models.rows[0][5] == "1"
    assert "is ahead of the other models" in ranking_sentences([section])[0]


def test_a_first_place_is_no_surer_than_its_intervals() -> None:
    (section,) = preference_sections(completed(data([model("a", 1, (1, 2)), model("b", 2, (1, 2))])))
    assert "may be as strong" in section.first
    assert section.models.rows[0][5] == "1–2"
    (section,) = preference_sections(completed(data([model("a", 1, None)])))
    assert ranking_sentences([section]) == ["No model has a rank with an interval yet."]


def test_models_of_one_strength_share_the_first_place() -> None:
    """Of three models that each beat one other, none has "the highest strength"."""
    (section,) = preference_sections(completed(data([model(name, 1, (1, 3)) for name in "abc"])))
    assert section.first.replace("\xa0", " ") == "3 models share the highest strength"
    models = [model("a", 1, (1, 3)), model("b", 1, (1, 3)), model("c", 3, (1, 3))]
    (section,) = preference_sections(completed(data(models)))
    assert "2 models share" in section.first.replace("\xa0", " ")
    assert "1 other model may be as strong" in section.first.replace("\xa0", " ")


def test_a_first_place_that_may_be_the_place_on_the_screen_says_so() -> None:
    always_first = figure("first_wins", None, None) | {"detail": ALL_IN_ONE_PLACE.format("first")}
    (section,) = preference_sections(completed(data([model("a", 1, (1, 1)), model("b", 2, (2, 2))], [always_first])))
    assert "only which model was shown there, not which is better" in section.first


def test_a_first_place_that_is_partly_the_place_on_the_screen_says_so() -> None:
    for detail in (ONE_ORDER, PLACE_IN_STRENGTHS.format("first", "a", 0.02, 0.57)):
        row = figure("first_wins", None, None) | {"detail": detail}
        (section,) = preference_sections(completed(data([model("a", 1, (1, 1)), model("b", 2, (2, 2))], [row])))
        assert f"({detail.removesuffix('.')})" in section.first


def test_the_page_shows_models_and_voters_and_nothing_runs() -> None:
    figures = [figure("first_wins"), figure("agreement_with_others", "<script>x</script>", None)]
    page = render(data([model("<img src=x>", 1, (1, 1)), model("b", 2, (2, 2))], figures))
    assert "Which models people prefer" in page
    assert "the model shown first beats an equal one" in page
    assert "<script>" not in page
    assert "<img" not in page
    assert "How far the annotators agree" not in page


def test_figures_of_a_judge_say_which_comparisons_they_are_on() -> None:
    """The words "people agree there" stood below the judge's agreement on more comparisons than theirs."""
    figures = [figure(name, "gpt") for name in ("difference_to_people", "people_on_the_same", "agreement_with_people")]
    (section,) = preference_sections(completed(data([model("a", 1, (1, 1))], figures)))
    assert section.figures is not None
    assert [str(row[1]) for row in section.figures.rows] == [
        "agrees with people",
        "people agree among themselves, where two or more voted",
        "agrees with people more than they do, on those",
    ]


def test_a_voter_who_contradicts_the_others_needs_attention() -> None:
    contrary = figure("agreement_with_others", "<b>dia") | {"detail": "This voter contradicts the others: 30 %."}
    degenerate = figure("agreement_with_others", "ann") | {"detail": "The figure is the same whichever is left out."}
    shown = render(data([model("a", 1, (1, 1)), model("b", 2, (2, 2))], [contrary, degenerate]))
    assert "&lt;b&gt;dia</bdi>: <bdi>This voter contradicts the others: 30 %.</bdi>" in shown
    assert "no open alerts" not in shown


def test_an_interval_without_width_is_said_to_be_no_certainty() -> None:
    models = [model("a", 1, (1, 1)), model("b", 2, (2, 2))]
    alike = figure("agreement_with_others", "rare", 1.0) | {"low": 1.0, "high": 1.0}
    for figures, note in (([alike], ALL_ALIKE), ([figure("agreement_with_others", "ann")], "")):
        (section,) = preference_sections(completed(data(models, figures)))
        assert section.figures is not None
        assert section.figures.note == note
