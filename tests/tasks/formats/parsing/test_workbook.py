"""Excel workbooks: the first sheet with data, as text, and nothing that a sheet describes is believed."""

import sys
import zipfile
from datetime import date, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import FORMATS, ReadOptions
from tasks.formats.parsing.limits import Limits
from tasks.formats.parsing.text_table import read_table
from tasks.formats.parsing.workbook import sheet
from tasks.ingest.read_export import detect, read_export
from tasks.single_file.gold_file import read_gold
from tests.tasks.workbook import MAIN, workbook

HEADER = ["item", "rater", "label"]


def write(tmp_path: Path, data: bytes, name: str = "book.xlsx") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def table(tmp_path: Path, *rows: list[object], **more: str) -> list[tuple[object, ...]]:
    result = read_table(write(tmp_path, workbook({"s": rows}, **more)))  # type: ignore[arg-type]
    return [result.headers, *result.frame.rows()]


def test_cells_are_text_whatever_their_type(tmp_path: Path) -> None:
    row = [1.0, 2.5, 1e-7, True, date(2026, 1, 2), datetime(2026, 1, 2, 3, 4, 5), " a\nb ", "=A1|no", "#N/A", None]
    (_, result) = table(tmp_path, [f"h{n}" for n in range(10)], row)
    assert result == (
        *("1", "2.5", "0.0000001", "true", "2026-01-02 00:00:00", "2026-01-02 03:04:05", "a\nb", "no", None, None),
        2,
    )


def test_row_numbers_are_those_of_the_sheet_and_blank_rows_do_not_count(tmp_path: Path) -> None:
    rows = [[], ["item", "rater", "label", None, " "], [], [1, "a", "x"], [" "], [2, "b", None, None, None]]
    assert table(tmp_path, *rows) == [("item", "rater", "label"), ("1", "a", "x", 4), ("2", "b", None, 6)]


def test_the_first_of_merged_cells_has_the_value(tmp_path: Path) -> None:
    result = table(tmp_path, HEADER, [1, "a", "x"], [None, "b", "x"], merged="A2:A3")
    assert result[1:] == [("1", "a", "x", 2), (None, "b", "x", 3)]


def test_the_first_sheet_with_data_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    book = workbook({"Blank": [], "Tone": [HEADER, [1, "a", "x"]], "Key": [["label"], ["x"]]})
    export = read_export(write(tmp_path, book))
    assert export.rows.select("question", "item", "rater", "label").rows() == [("book", "1", "a", "x")]
    assert export.warnings[0] == "Of the workbook, sheet 'Tone' was read; not read: 'Blank', 'Key'."
    assert not read_export(write(tmp_path, workbook({"s": [HEADER, [1, "a", "x"]]}))).warnings


def test_a_hidden_sheet_is_read_only_if_no_other_has_data(tmp_path: Path) -> None:
    sheets: dict[str, list[list[object]]] = {"old": [HEADER, [1, "a", "x"]], "new": [HEADER, [2, "b", "y"]], "e": []}
    book = write(tmp_path, workbook(sheets, hidden="old"))  # type: ignore[arg-type]
    assert sheet(book)[1].rows() == [("2", "b", "y", 2)]
    assert sheet(book)[2] == ("Of the workbook, sheet 'new' was read; not read: 'old', 'e'.",)
    alone = write(tmp_path, workbook({"e": [], "old": sheets["old"]}, hidden="old"))  # type: ignore[arg-type, dict-item]
    assert sheet(alone)[1].rows() == [("1", "a", "x", 2)]


def test_times_and_numbers_of_a_sheet_mean_what_they_mean_in_csv(tmp_path: Path) -> None:
    rows = [[*HEADER, "time", "score"], [1, "a", 4.0, datetime(2026, 1, 2, 3, 4, 5), 0.5]]
    result = read_export(write(tmp_path, workbook({"s": rows}))).rows
    assert result.select("label", "rated_at", "score").rows() == [("4", "2026-01-02 03:04:05", "0.5")]


def test_another_tools_table_may_be_a_sheet(tmp_path: Path) -> None:
    rows = [["HITId", "WorkerId", "AssignmentStatus", "Answer.q"], ["H1", "W1", "Approved", "yes"]]
    path = write(tmp_path, workbook({"s": rows}))
    assert detect(path) == "mturk"
    assert read_export(path).rows.select("item", "rater", "label").rows() == [("H1", "W1", "yes")]


def test_correct_answers_may_be_a_sheet(tmp_path: Path) -> None:
    gold = read_gold(write(tmp_path, workbook({"s": [["item", "gold"], [1, "x"], [2, 3.0]]})))
    assert gold.rows() == [("1", "x"), ("2", "3")]


def test_a_sheet_of_the_old_format(tmp_path: Path) -> None:
    """statsmodels, which tests use anyway, brings one."""
    spec = find_spec("statsmodels")
    if spec is None or spec.origin is None:
        pytest.skip("statsmodels is not installed")
    folder = Path(spec.origin).parent / "datasets" / "macrodata"
    result = next((path for path in folder.rglob("macrodata.xls") if path.is_file()), None)
    if result is None:
        pytest.skip("statsmodels brings no .xls here")
    _, frame, _ = sheet(write(tmp_path, result.read_bytes(), "book.xls"))
    assert frame.height > 10
    assert frame["row_number"].is_sorted()


FAR = (
    f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
    '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (workbook({"s": [HEADER]}, more={"xl/worksheets/sheet0.xml": FAR}), r"1,048,576 rows and 16,384 columns"),
        (workbook({"s": []}), "nothing in its sheets"),
        (workbook({}), "nothing in its sheets|cannot be read"),
        (workbook({"s": [HEADER, [1, "a", "x"]]})[:-40], "cannot be unpacked"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "cannot be read as an Excel workbook"),
        (workbook({"s": [["only"], ["one"]]}), "columns|column"),
        (
            workbook({"s": [HEADER]}, more={"xl/worksheets/sheet0.xml": "<worksheet><sheetData><row r="}),
            "Excel workbook",
        ),
    ],
)
def test_what_is_damaged_empty_or_hostile_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = write(tmp_path, data)
    with pytest.raises(ReadError, match=message) as caught:
        read_export(path)
    assert caught.value.hint
    assert caught.value.file == str(path)


def test_a_workbook_may_not_unpack_to_anything(tmp_path: Path) -> None:
    book = workbook({"s": [HEADER, [1, "a", "x"]]}, more={"xl/media/big.xml": "<x/>" + " " * 2_000_000})
    assert read_export(write(tmp_path, book)).rows.height == 1
    with pytest.raises(ReadError, match="unpacks to more than 977 KiB"):
        read_export(write(tmp_path, book), ReadOptions(limits=Limits(max_unpacked_size=1_000_000)))


def test_too_many_columns_and_long_cells(tmp_path: Path) -> None:
    wide = workbook({"s": [[*HEADER, *(f"c{n}" for n in range(9))], [1, "a", "x", *"abcdefghi"]]})
    with pytest.raises(ReadError, match="12 columns or more; 10 is the limit"):
        read_export(write(tmp_path, wide), ReadOptions(limits=Limits(max_columns=10)))
    long = workbook({"s": [HEADER, [1, "a", "x" * 101], [2, "a", "x"]]})
    export = read_export(write(tmp_path, long), ReadOptions(limits=Limits(max_cell_length=100)))
    assert export.rows.height == 1
    assert export.rejects.select("row_number", "reason").rows() == [(2, "cell_too_long")]


def test_workbooks_in_an_archive_are_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a.xlsx", "b.xlsx"):
            archive.writestr(name, workbook({"s": [HEADER, [name, "a", "x"]]}))
    assert read_export(path).rows["item"].to_list() == ["a.xlsx", "b.xlsx"]


def test_the_library_is_loaded_only_for_workbooks(tmp_path: Path) -> None:
    sys.modules.pop("fastexcel", None)
    path = tmp_path / "a.csv"
    path.write_text("item,rater,label\n1,a,x\n", encoding="utf-8")
    FORMATS["long"].read(path)
    assert "fastexcel" not in sys.modules


def test_lengths_of_time_have_no_date_of_their_own(tmp_path: Path) -> None:
    (_, result) = table(tmp_path, HEADER, [1, "a", timedelta(hours=30)])
    assert result[2] == "1900-01-01 06:00:00"
