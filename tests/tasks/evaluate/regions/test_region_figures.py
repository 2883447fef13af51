"""Agreement on the regions of a question: who is compared, and what is said where nothing can be."""

from collections.abc import Sequence

import polars as pl
import pytest

from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.regions import region_figures
from tasks.evaluate.regions.region_figures import region_tables


def work(*rows: tuple[str, str, str]) -> pl.DataFrame:
    results = [
        {"item": i, "rater": r, "rater_kind": "human", "regions": text, "text_length": 20} for i, r, text in rows
    ]
    return pl.DataFrame(results)


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


def without_few_items(notes: Sequence[str]) -> list[str]:
    """Leave out the note on intervals that rest on few texts."""
    return [note for note in notes if not note.startswith("q: The intervals rest on ")]


def test_many_texts_have_one_alpha_over_all_raters(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = '[[0,4,"A"]]'
    marked = work(*((item, rater, spans if item < "3" else "[]") for item in "1234" for rater in ("ann", "ben")))
    tables, notes = region_tables("q", marked, QuestionConfig(), 0.95)
    assert without_few_items(notes) == []
    few = tables["region_agreement"].filter(pl.col("coefficient") == "character_alpha")
    monkeypatch.setattr(region_figures, "MAX_TEXTS", 3)
    tables, notes = region_tables("q", marked, QuestionConfig(), 0.95)
    many = tables["region_agreement"]
    assert (few.height, "only character_alpha" in notes[0]) == (3, True), "overall, of the pair, of the label"
    alphas = many.filter(pl.col("coefficient").str.contains("alpha")).to_dicts()
    assert [(row["rater_a"], row["label"], row["estimate"]) for row in alphas] == [(None, None, 1.0)]
    assert set(many["coefficient"]) == {"f1_exact", "f1_partial", "character_alpha"}


def test_a_text_that_a_span_of_people_ends_behind_is_in_no_alpha_and_that_is_said() -> None:
    spans = [("1", "ann", 20), ("1", "ben", 18), ("2", "ann", 21), ("2", "ben", 4), ("1", "gpt", 99)]
    marked = work(*((item, rater, f'[[0,{end},"A"]]') for item, rater, end in spans))
    config = QuestionConfig(systems=frozenset(["gpt"]))
    tables, notes = region_tables("q", marked, config, 0.95)
    overall = tables["region_agreement"].filter(pl.col("rater_a").is_null(), pl.col("label").is_null())
    counts = dict(overall.select("coefficient", "n_items").iter_rows())
    assert (counts["f1_exact"], counts["character_alpha"], counts["unitised_alpha"]) == (2, 1, 1)
    assert without_few_items(notes) == [
        "q: 1 text is left out of the alphas: a span ends behind the text, or files have it in different lengths."
    ]
    assert without_few_items(region_tables("q", marked.filter(pl.col("item") == "1"), config, 0.95)[1]) == []


def test_unitised_alpha_counts_the_texts_that_all_raters_did() -> None:
    results = [("1", "ann"), ("1", "ben"), ("1", "cem"), ("2", "ann"), ("2", "ben"), ("3", "ann"), ("3", "ben")]
    marked = work(*((item, rater, '[[0,4,"A"],[6,9,"B"]]') for item, rater in results))
    tables, _ = region_tables("q", marked, QuestionConfig(), 0.95)
    rows = tables["region_agreement"].filter(pl.col("coefficient") == "unitised_alpha")
    shown = {row["label"] or row["rater_b"]: (row["n_items"], row["n_regions"]) for row in rows.to_dicts()
             if row["rater_a"] in (None, "ann")}  # fmt: skip
    assert shown == {None: (1, 6), "ben": (3, 12), "cem": (1, 4), "A": (1, 3), "B": (1, 3)}
