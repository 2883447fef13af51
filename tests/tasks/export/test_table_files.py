"""Tables as files: what they hold is what the table holds, and a spreadsheet runs none of it."""

import io
import json
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.export import table_files
from tasks.export.table_files import FORMATS, table_bytes, write_table

HOSTILE = ['=HYPERLINK("http://x")', "+cmd|' /C calc'!A0", "@SUM(1)", "-2+A1", "\t=1", "<script>|`x`\n_y_", "\x1b[2J"]
PLAIN = ["-1", "+1", "-1.5", "a=b", "fine", "1e5", "snake_case"]
TABLE = pl.DataFrame(
    {
        "label": HOSTILE + PLAIN,
        "estimate": [0.5, -1.5, None, float("nan"), float("inf"), *[0.25] * 9],
        "n": range(14),
        "at": [datetime(2026, 3, 1, 12, tzinfo=UTC)] * 14,
        "day": [date(2026, 3, 1)] * 14,
        "set": [["a", "=b"]] * 14,
        "ok": [True] * 14,
    }
)


@pytest.mark.parametrize("name", ["csv", "xlsx"])
def test_a_spreadsheet_runs_no_text_and_keeps_numbers(name: str) -> None:
    content = table_bytes(TABLE, name)
    read = pl.read_csv(content) if name == "csv" else pl.read_excel(content)
    labels = read["label"].to_list()
    assert [label[:2] for label in labels[:4]] == ["'=", "'+", "'@", "'-"]
    assert labels[7:] == PLAIN
    assert read["n"].to_list() == list(range(14))
    assert read["estimate"].to_list()[:3] == [0.5, -1.5, None]
    assert json.loads(read["set"][0]) == ["a", "=b"]
    assert not any("\x1b" in label for label in labels)


def test_excel_has_no_formula_and_no_link_and_times_in_utc() -> None:
    content = table_bytes(TABLE, "xlsx")
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        sheet = parts.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "<hyperlink" not in sheet
    read = pl.read_excel(content)
    assert read["at"][0] == datetime(2026, 3, 1, 12)
    assert read["day"][0] == date(2026, 3, 1)
    assert read["estimate"].to_list()[3:5] == [None, None]


def test_excel_keeps_texts_that_could_be_links() -> None:
    texts = ["mailto:a@b.c", "internal:Sheet2!A1", "external:c:\\x.xlsx", "https://a.example/#" + "x" * 2500, "ftp://x"]
    content = table_bytes(pl.DataFrame({"item": texts}), "xlsx")
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        assert "<hyperlink" not in parts.read("xl/worksheets/sheet1.xml").decode()
    assert pl.read_excel(content)["item"].to_list() == texts


def test_excel_keeps_the_digits_of_large_integers() -> None:
    read = pl.read_excel(table_bytes(pl.DataFrame({"big": [2**53 + 1, None], "n": [2**53, -1]}), "xlsx"))
    assert read["big"].cast(pl.String).to_list() == ["9007199254740993", None]
    assert read["n"].to_list() == [2**53, -1]


def test_parquet_is_the_table_itself() -> None:
    assert pl.read_parquet(table_bytes(TABLE, "parquet")).equals(TABLE)


def test_json_has_null_for_what_is_undefined() -> None:
    rows = json.loads(table_bytes(TABLE, "json"))
    assert [row["label"] for row in rows] == HOSTILE + PLAIN
    assert rows[3]["estimate"] is None
    lines = table_bytes(TABLE, "jsonl").decode().splitlines()
    assert [json.loads(line) for line in lines] == rows


def test_markdown_shows_texts_as_they_are() -> None:
    header, rule, *rows = table_bytes(TABLE, "md").decode().splitlines()
    assert header == "| label | estimate | n | at | day | set | ok |"
    assert rule.count("---:") == 2
    assert len(rows) == 14
    assert rows[5].startswith("| &lt;script&gt;\\|\\`x\\` \\_y\\_ |")
    assert rows[13].startswith("| snake_case | 0.25 | 13 |")


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_table_has_its_columns(name: str) -> None:
    content = table_bytes(TABLE.clear(), name)
    assert content == b"" if name == "jsonl" else (name == "json" or b"label" in content or name == "xlsx")


def test_names_that_excel_takes_for_equal() -> None:
    read = pl.read_excel(table_bytes(pl.DataFrame({"a": [1], "A": [2], "=a": [3]}), "xlsx"))
    assert read.columns == ["a", "A_2", "'=a"]


def test_what_excel_cannot_hold_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="column 'text' has more than 32,767"):
        table_bytes(pl.DataFrame({"text": ["x" * 40_000]}), "xlsx")
    monkeypatch.setattr(table_files, "MAX_SHEET_ROWS", 3)
    with pytest.raises(InputError, match="The table has 14 rows"):
        table_bytes(TABLE, "xlsx")


def test_a_file_is_replaced_in_one_step_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    write_table(TABLE, path, "csv")
    assert path.read_bytes() == table_bytes(TABLE, "csv")
    assert list(tmp_path.iterdir()) == [path]
    for wrong in (tmp_path / "none" / "x.csv", tmp_path):
        with pytest.raises(InputError):
            write_table(TABLE, wrong, "csv")
    with pytest.raises(InputError, match="'odt' is unknown"):
        write_table(TABLE, path, "odt")
