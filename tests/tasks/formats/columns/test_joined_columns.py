"""Items named by several columns, tables without a header, tables without ids."""

from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import detect, read_export

TURNS = "question,turn,judge,verdict\n81,1,ann,good\n81,2,ann,bad\n81,1,ben,good\n81,,ben,good\n"


def write(tmp_path: Path, content: str, name: str = "file.csv") -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


def test_the_parts_of_an_item_are_joined_by_a_bar(tmp_path: Path) -> None:
    path = write(tmp_path, TURNS)
    options = ReadOptions(columns={"item": "question|turn"})
    assert detect(path, options) == "long"
    assert read_export(path, options).rows["item"].to_list() == ["81|1", "81|2", "81|1", None]


def test_the_items_of_a_wide_table_may_have_parts(tmp_path: Path) -> None:
    path = write(tmp_path, "doc,turn,ann,ben\nd,1,x,y\nd,2,x,x\n")
    rows = read_export(path, ReadOptions(columns={"item": "doc|turn", "raters": "ann|ben"})).rows
    assert rows["item"].to_list() == ["d|1", "d|1", "d|2", "d|2"]


def test_parts_that_hold_a_bar_must_not_make_two_items_one(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b,rater,label\nx|y,z,ann,1\nx,y|z,ann,2\n")
    with pytest.raises(ReadError, match=r"would get the same name 'x\|y\|z'"):
        read_export(path, ReadOptions(columns={"item": "a|b"}))


@pytest.mark.parametrize("name", ["file.csv", "file.tsv"])
def test_columns_without_a_header_count_from_1(tmp_path: Path, name: str) -> None:
    mark = "," if name.endswith("csv") else "\t"
    path = write(tmp_path, "".join(mark.join(row) + "\n" for row in (("w1", "u1", "yes"), ("w2", "u1", "no"))), name)
    rows = read_export(path, ReadOptions(header=False, columns={"rater": "1", "item": "2", "label": "3"})).rows
    assert rows.select("item", "rater", "label", "row_number").rows() == [
        ("u1", "w1", "yes", 1),
        ("u1", "w2", "no", 2),
    ]


def test_a_ragged_row_of_a_file_without_a_header_has_its_own_number(tmp_path: Path) -> None:
    path = write(tmp_path, "w1,u1,yes\nw2,u1\nw3,u1,no\n")
    export = read_export(path, ReadOptions(header=False, columns={"rater": "1", "item": "2", "label": "3"}))
    assert export.rows["row_number"].to_list() == [1, 3]
    assert export.rejects.select("row_number", "reason").rows() == [(2, "ragged_row")]


def test_rows_without_ids_are_numbered_from_1(tmp_path: Path) -> None:
    path = write(tmp_path, "rater1,rater2\nyes,no\nno,no\n")
    export = read_export(path)
    assert export.rows["item"].to_list() == ["1", "1", "2", "2"]
    assert "No column names the items" in export.warnings[0]


def test_the_rows_of_two_files_of_one_question_stay_apart(tmp_path: Path) -> None:
    monday = write(tmp_path, "rater1,rater2\nyes,no\nno,no\n", "monday.csv")
    tuesday = write(tmp_path, "rater1,rater2\nno,no\nno,yes\n", "tuesday.csv")
    first, second = (read_export(path, ReadOptions(fallback_question="tone")).rows for path in (monday, tuesday))
    assert first["item"].unique().sort().to_list() == ["monday|1", "monday|2"]
    assert not set(first["item"]) & set(second["item"])


@pytest.mark.parametrize(
    "content",
    ["text,score\nyes,no\nno,yes\n", "rater1,note\nyes,no\nno,yes\n", "rater1,gold_label\nyes,no\nno,yes\n"],
)
def test_a_table_without_ids_is_refused_unless_all_columns_are_people(tmp_path: Path, content: str) -> None:
    with pytest.raises(ReadError):
        read_export(write(tmp_path, content))


def test_a_matrix_without_header_and_ids_needs_its_raters(tmp_path: Path) -> None:
    path = write(tmp_path, "0,,1\n1,1,\n")
    rows = read_export(path, ReadOptions(header=False, columns={"raters": "1|2|3"})).rows
    assert rows.select("item", "rater", "label").rows() == [
        ("1", "1", "0"),
        ("1", "3", "1"),
        ("2", "1", "1"),
        ("2", "2", "1"),
    ]
