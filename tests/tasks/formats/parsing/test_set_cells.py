"""Sets of labels in the cells of a table: one spelling for each, and a question to the user where it is not clear."""

import json
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate
from tasks.single_file.gold_file import read_gold

pytestmark = pytest.mark.field_trial(16)


def sheet(tmp_path: Path, *labels: str) -> Path:
    path = tmp_path / "labels.csv"
    rows = [f'{i},r{i},"{label}"' for i, label in enumerate((text.replace('"', '""') for text in labels), 1)]
    path.write_text("\n".join(["item,rater,label", *rows]) + "\n", encoding="utf-8")
    return path


def read(path: Path, **columns: str) -> list[str]:
    return read_export(path, ReadOptions(columns=columns)).rows["label"].to_list()


def test_the_choices_of_label_studio_in_a_cell_are_a_set(tmp_path: Path) -> None:
    path = sheet(tmp_path, '{"choices": ["y", "x"]}', '["x", "y"]', '{"choices":["x"]}', '{ "choices": "x"}', "x")
    assert read(path) == ['["x", "y"]', '["x", "y"]', "x", "x", "x"]


@pytest.mark.parametrize("separator", ["|", ";", ","])
def test_labels_in_two_orders_are_a_question_to_the_user(tmp_path: Path, separator: str) -> None:
    result, other = f"x{separator} y", f"y{separator}x"
    path = sheet(tmp_path, result, "x", other)
    with pytest.raises(
        ReadError, match=rf"Row 4 of labels.csv: column 'label' has {other!r}".replace("|", r"\|")
    ) as refusal:
        read(path)
    assert f"label_separator={separator}" in refusal.value.hint
    assert "label_separator=none" in refusal.value.hint
    assert read(path, label_separator=separator) == ['["x", "y"]', "x", '["x", "y"]']
    assert read(path, label_separator="none") == [result, "x", other]


def test_labels_in_one_order_are_labels(tmp_path: Path) -> None:
    assert read(sheet(tmp_path, "x|y", "x|y", "x")) == ["x|y", "x|y", "x"]


def test_sentences_are_not_taken_for_sets(tmp_path: Path) -> None:
    first, second = "the first half of a long sentence that goes on", "the second half of it, which goes on as well"
    labels = [f"{first};{second}", f"{second};{first}"]
    assert read(sheet(tmp_path, *labels)) == labels


def test_gold_is_read_as_the_ratings_are(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("item,gold\n1,x|y\n2,y|x\n", encoding="utf-8")
    gold = read_gold(path, ReadOptions(columns={"label_separator": "|"}))
    assert gold["label"].to_list() == ['["x", "y"]', '["x", "y"]']


def test_the_sheet_of_raters_side_by_side_has_sets_too(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,ann,bob\n1,x|y,y|x\n2,x,y\n3,y,x\n", encoding="utf-8")
    columns = {"item": "item", "raters": "ann|bob", "label_separator": "|"}
    rows = read_export(path, ReadOptions(format="wide", columns=columns)).rows
    assert sorted(rows["label"].unique()) == ['["x", "y"]', "x", "y"]


@pytest.mark.parametrize("label", ['{"a": 1}', "{'a': 'x', 'b': 2}", "{}"])
def test_an_object_among_labels_is_a_rejected_row(tmp_path: Path, label: str) -> None:
    checked = validate(read_export(sheet(tmp_path, "x", "y", label, "{x}", "{not: an object}")))
    assert checked.ratings["label"].cast(str).to_list() == ["x", "y", "{x}", "{not: an object}"]
    assert checked.rejects.select("row_number", "reason", "value").rows() == [(4, "object_label", label)]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_an_empty_list_is_said_to_be_no_answer(tmp_path: Path, kind: str) -> None:
    rows = [{"item": str(i), "rater": f"r{i}", "label": labels} for i, labels in enumerate((["x"], [], ["x", "y"]))]
    path = tmp_path / f"labels.{kind}"
    if kind == "csv":
        path = sheet(tmp_path, '["x"]', "[ ]", '["x", "y"]')
    elif kind == "json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    else:
        pl.DataFrame(rows).write_parquet(path)
    export = read_export(path, ReadOptions())
    (note,) = [note for note in export.warnings if "list without a label" in note]
    assert note.startswith("The label [] is a list without a label (column 'label' has some). It counts as no answer")
    assert validate(export).rejects["reason"].to_list() == ["missing_label"]


def test_blank_labels_are_no_empty_lists(tmp_path: Path) -> None:
    export = read_export(sheet(tmp_path, '["x"]', "", "[sic]"), ReadOptions())
    assert not [note for note in export.warnings if "list without a label" in note]


def test_an_empty_list_of_a_wide_table_is_said(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,ann,ben\n1,x,[]\n2,y,x\n3,x,x\n4,y,y\n", encoding="utf-8")
    assert any("(column 'ben' has some)" in note for note in read_export(path, ReadOptions()).warnings)
