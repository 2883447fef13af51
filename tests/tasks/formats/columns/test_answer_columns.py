"""Answers side by side: a column per question, a column per label, and rows that are skipped."""

from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import Export, ReadOptions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import ValidatedExport, validate

QUESTIONS = "item,rater,tone,length,text\n1,ann,kind,short,t\n1,ben,rude,,t\n2,ann,,,u\n2,ben,kind,long,u\n"
TICKS = "item,rater,unclear,anger,joy\n1,ann,0,1,1\n1,ben,0,x,0\n2,ann,TRUE,0,0\n2,ben,,0,1\n3,ann,0,0,0\n3,ben,0,5,0\n"


def read(tmp_path: Path, content: str, **columns: str) -> tuple[Export, ValidatedExport]:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    export = read_export(path, ReadOptions(columns=columns))
    return export, validate(export)


def test_each_label_column_is_a_question_and_a_blank_cell_is_no_answer(tmp_path: Path) -> None:
    export, checked = read(tmp_path, QUESTIONS, label="tone|length")
    assert checked.ratings.select("question", "item", "rater", "label", "row_number").rows() == [
        ("tone", "1", "ann", "kind", 2),
        ("length", "1", "ann", "short", 2),
        ("tone", "1", "ben", "rude", 3),
        ("tone", "2", "ben", "kind", 5),
        ("length", "2", "ben", "long", 5),
    ]
    assert checked.rejects.select("row_number", "reason").rows() == [(4, "missing_label")]
    assert set(export.metadata.select("question", "item", "key", "value").rows()) == {
        (question, item, "text", text) for question in ("tone", "length") for item, text in (("1", "t"), ("2", "u"))
    }
    assert export.columns is not None
    assert export.columns.headers["label"] == ("tone", "length")


def test_a_header_with_bars_is_one_column(tmp_path: Path) -> None:
    _, checked = read(tmp_path, "item,rater,a|b\n1,ann,x\n1,ben,y\n", label="a|b")
    assert checked.ratings["label"].to_list() == ["x", "y"]


def test_a_label_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="has no column 'size'"):
        read(tmp_path, QUESTIONS, label="tone|size")


def test_a_question_column_and_several_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="each says what the question is"):
        read(tmp_path, QUESTIONS, label="tone|length", question="text")


def test_ticked_labels_are_one_set_and_flagged_rows_are_skipped(tmp_path: Path) -> None:
    _, checked = read(tmp_path, TICKS, labels="anger|joy", skipped="unclear")
    assert checked.ratings.select("item", "rater", "label").rows() == [
        ("1", "ann", '["anger", "joy"]'),
        ("1", "ben", "anger"),
        ("2", "ben", "joy"),
    ]
    assert checked.n_skipped == 1
    assert checked.rejects.select("row_number", "reason").rows() == [(6, "empty_answer"), (7, "bad_record")]


def test_columns_of_words_are_no_ticks(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="are not ticks for labels"):
        read(tmp_path, QUESTIONS, labels="tone|length")


def test_an_unknown_mark_of_a_skipped_row_is_a_reject(tmp_path: Path) -> None:
    _, checked = read(tmp_path, "item,rater,label,odd\n1,ann,x,no\n1,ben,y,perhaps\n", skipped="odd")
    assert checked.ratings["rater"].to_list() == ["ann"]
    assert checked.rejects["reason"].to_list() == ["bad_record"]
