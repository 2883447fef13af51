"""What the line below a question's name says."""

from datetime import UTC, datetime
from typing import Any

import polars as pl

from tasks.report import render
from tasks.report.folded_rows import LEFT_OUT
from tasks.report.report_data import ReportData, completed
from tasks.report.sections.question_section import build_question

NO_FIGURE = {
    "question": "tone", "coefficient": "krippendorff_alpha", "scope": "humans", "period": "all", "estimate": None,
    "n_items": 0, "n_raters": 0, "n_ratings": 0, "n_labels": 2, "reason": "too_few_raters",
}  # fmt: skip
SYSTEM = {"question": "tone", "scope": "all", "method": "average", "accuracy": 0.9}


def facts(agreement: dict[str, Any], *systems: dict[str, Any]) -> str:
    data = ReportData("t", datetime(2026, 6, 1, tzinfo=UTC), "1", agreement=pl.DataFrame([agreement]),
                      systems=pl.DataFrame([SYSTEM | row for row in systems]))  # fmt: skip
    return str(build_question(completed(data), "tone", 1).facts).replace("\u00a0", " ")


def test_without_human_ratings_it_counts_what_the_systems_answered() -> None:
    gpt, rules = {"system": "gpt", "n_items": 600, "n_gold": 100}, {"system": "rules", "n_items": 40, "n_gold": 100}
    assert facts(NO_FIGURE, gpt) == "no human ratings · 600 items · 100 gold items · 2 labels · 1 system"
    two = facts(NO_FIGURE, gpt, rules)
    assert two == "no human ratings · up to 600 items · 100 gold items · 2 labels · 2 systems"


def test_with_human_ratings_it_counts_those() -> None:
    rated = NO_FIGURE | {"estimate": 0.7, "n_items": 9, "n_raters": 3, "n_ratings": 27}
    gpt = {"system": "gpt", "n_items": 8, "n_gold": 0}
    assert facts(rated, gpt).startswith("27 ratings · 9 items · 3 annotators · 2 labels")


def test_what_the_evaluation_noted_is_said_without_the_name_of_the_question() -> None:
    notes = {
        "question": ["tone", "other"],
        "detail": ["tone: Perhaps <misspelt>. tone: Left out: 3 answers of tone: all.", "other: No."],
    }
    data = completed(ReportData("t", datetime(2026, 6, 1, tzinfo=UTC), "1", agreement=pl.DataFrame([NO_FIGURE]),
                                evaluation_notes=pl.DataFrame(notes)))  # fmt: skip
    note = build_question(data, "tone", 1).evaluation_note
    assert note.striptags() == "Perhaps <misspelt>. Left out: 3 answers of tone: all."
    assert f'<p class="note">{note}</p>' in render(data)
    assert not build_question(completed(ReportData("t", data.made_at, "1")), "tone", 1).evaluation_note


def test_no_note_of_the_evaluation_is_cut() -> None:
    sentences = [f"Note {number} names the label {'x' * 200}." for number in range(30)]
    notes = {"question": ["tone"], "detail": [" ".join(f"tone: {sentence}" for sentence in sentences)]}
    data = completed(ReportData("t", datetime(2026, 6, 1, tzinfo=UTC), "1", evaluation_notes=pl.DataFrame(notes)))
    assert build_question(data, "tone", 1).evaluation_note.striptags() == " ".join(sentences)


def test_beside_many_questions_fewer_annotators_are_listed_and_the_page_says_so() -> None:
    people = [{"question": "tone", "rater": f"r{number:02}", "rater_kind": "human", "accuracy": 0.5 + number / 200,
               "low": 0.4, "high": 0.99, "n_ratings": 50, "agreement": 0.6, "agreement_high": 0.9}
              for number in range(60)]  # fmt: skip
    data = completed(ReportData("t", datetime(2026, 6, 1, tzinfo=UTC), "1", raters=pl.DataFrame(people),
                                scorecards=pl.DataFrame(people)))  # fmt: skip
    whole, brief = build_question(data, "tone", 1), build_question(data, "tone", 1, max_annotators=20)
    sizes = []
    for section in (whole, brief):
        assert section.annotators_table is not None
        assert section.scorecards is not None
        sizes += [len(table.rows) + len(table.folded) for table in (section.annotators_table, section.scorecards)]
    assert sizes == [60, 40, 20, 20]
    assert LEFT_OUT not in str(whole.annotators_table.note if whole.annotators_table else "")
    assert LEFT_OUT in str(brief.annotators_table.note if brief.annotators_table else "")
