"""Agreement on the regions of a question: who is compared, and what is said where nothing can be."""

import polars as pl

from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.regions.region_figures import region_tables


def work(*rows: tuple[str, str, str]) -> pl.DataFrame:
    found = [{"item": i, "rater": r, "rater_kind": "human", "regions": text, "text_length": 20} for i, r, text in rows]
    return pl.DataFrame(found)


def test_spans_and_boxes_in_one_question_are_not_compared() -> None:
    both = work(("1", "ann", '[[0,4,"A"]]'), ("1", "ben", '[[0.0,0.0,4.0,4.0,"A"]]'))
    tables, notes = region_tables("q", both, QuestionConfig(), 0.95)
    assert (tables, len(notes)) == ({}, 1)
    assert "has spans and boxes" in notes[0]


def test_one_person_beside_a_system_cannot_be_compared() -> None:
    marked = work(("1", "ann", '[[0,4,"A"]]'), ("1", "gpt", '[[0,4,"A"]]'))
    tables, notes = region_tables("q", marked, QuestionConfig(systems=frozenset(["gpt"])), 0.95)
    assert tables == {}
    assert "fewer than two people" in notes[0]


def test_nobody_marked_anything_is_null_with_a_reason() -> None:
    tables, _ = region_tables("q", work(("1", "ann", "[]"), ("1", "ben", "[]")), QuestionConfig(), 0.95)
    row = tables["region_agreement"].filter(pl.col("coefficient") == "f1_exact").row(0, named=True)
    assert (row["estimate"], row["reason"]) == (None, "zero_denominator")
