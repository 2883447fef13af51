"""Sheets as people keep them: totals, titles, other sheets, merged cells, adjudicated columns."""

from pathlib import Path

import pytest

from tasks.errors import InputError, ReadError
from tasks.formats import Export
from tasks.ingest.read_export import read_export
from tasks.single_file.agree_file import agree
from tasks.single_file.load_file import FileOptions
from tests.tasks.workbook import workbook

ROWS = "1,x,y\n2,y,y\n3,x,x\n"


def read(tmp_path: Path, content: str) -> Export:
    path = tmp_path / "sheet.csv"
    path.write_text(content, encoding="utf-8")
    return read_export(path)


@pytest.mark.parametrize("totals", ["Total,3,3", "total:,3,3", "Sum,3,3\nAverage,1.5,1.5", "Agreement,67%,67%"])
def test_a_row_of_totals_is_rejected(tmp_path: Path, totals: str) -> None:
    export = read(tmp_path, f"id,ann,ben\n{ROWS}{totals}\n")
    assert sorted(set(export.rows["label"])) == ["x", "y"]
    assert export.rows.height == 6
    assert set(export.rejects["reason"]) == {"bad_record"}
    assert export.rejects["row_number"][0] == 5
    assert any(text.startswith("Row 5 (") and "seems to hold totals" in text for text in export.warnings)


@pytest.mark.parametrize(
    "content",
    [
        f"id,ann,ben\n{ROWS}Total,x,y\n",  # labels
        "id,ann,ben\nx1,1,2\nx2,2,2\nTotal,2,1\n",  # labels that are numbers
        f"id,ann,ben\nTotal,3,3\n{ROWS}",  # not at the end
        f"id,ann,ben\n{ROWS}Totals of it,3,3\n",
    ],
)
def test_other_rows_are_items(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content).rejects.is_empty()


@pytest.mark.parametrize("header", ["Correct answer", "Adjudicator", "agreed", "answer key"])
def test_a_column_of_right_answers_is_no_rater(tmp_path: Path, header: str) -> None:
    with pytest.raises(ReadError, match="named as an aggregate or the right answer"):
        read(tmp_path, f"id,ann,ben,eva,{header}\n1,x,y,x,x\n2,y,y,x,y\n3,x,x,y,x\n")


def test_a_title_above_the_header_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as refused:
        read(tmp_path, f"Round 3,,\nid,ann,ben\n{ROWS}")
    assert refused.value.hint == (
        "The first row seems to be a title, and 'id', 'ann', 'ben' the header: delete the rows above it."
    )


def test_a_header_of_two_rows_is_said(tmp_path: Path) -> None:
    """The hint was to take 'Annotator' as the rater, and a column without a name as the label."""
    with pytest.raises(ReadError) as refused:
        read(tmp_path, "id,Annotator,,\n,ann,ben,cy\n1,x,y,x\n2,y,y,x\n3,x,x,y\n")
    assert refused.value.hint == (
        "The header seems to have two rows: 'ben', 'cy' stand below it. Write the names of all columns into one row,"
        " and delete the other."
    )


def test_a_refused_workbook_names_the_sheets_that_were_not_read(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook({"Guide": [["Guidelines", "v1"], ["x", "good"]], "Data": [["id", "ann"], [1, "x"]]}))
    with pytest.raises(ReadError) as refused:
        read_export(path)
    assert str(refused.value.hint).startswith("Only sheet 'Guide' was read, the first with data; not read: 'Data'.")


def test_merged_cells_are_said(tmp_path: Path) -> None:
    path = tmp_path / "merged.csv"
    path.write_text("item,rater,label\n1,ann,x\n,ben,y\n2,ann,y\n,ben,y\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        agree(path, FileOptions())
    assert str(refused.value.hint).startswith(
        "2 rows are rejected because column 'item' is blank. If its cells are merged"
    )
