"""JSON records become the same table, whatever the size of the portions that are held as objects."""

import json
from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats.parsing.records import record_columns
from tasks.formats.parsing.records.record_columns import RecordColumns
from tasks.formats.parsing.text_table import TextTable, read_table

RECORDS = [
    {"item": "1", "label": "yes"},
    {"item": 2, "label": ["b", "a"]},
    {"label": None, "late": True},
    {"item": "4", "label": [], "later": {"x": 1}},
    {"item": 5.0, "late": "no", "label": float("nan")},
]
ROWS = [
    ("1", "yes", None, None, 1),
    ("2", '["a", "b"]', None, None, 2),
    (None, None, "true", None, 3),
    ("4", None, None, '{"x": 1}', 4),
    ("5", None, "no", None, 5),
]


def table(path: Path, text: str) -> TextTable:
    path.write_text(text, encoding="utf-8")
    return read_table(path)


@pytest.mark.parametrize("portion", [1, 2, 3, 5, 50_000])
@pytest.mark.parametrize("kind", ["lines", "array"])
def test_the_table_is_the_same_in_any_portions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portion: int, kind: str
) -> None:
    monkeypatch.setattr(record_columns, "PORTION", portion)
    lines = [json.dumps(record) for record in RECORDS]
    text = "\n".join(lines) if kind == "lines" else f"[{','.join(lines)}]"
    read = table(tmp_path / ("t.jsonl" if kind == "lines" else "t.json"), text)
    assert read.headers == ("item", "label", "late", "later")
    assert read.frame.columns == ["c0", "c1", "c2", "c3", "row_number"]
    assert read.frame.rows() == ROWS
    assert read.frame.n_chunks() == 1
    assert read.empty_lists == {1}
    assert not read.rejects


@pytest.mark.parametrize("portion", [1, 2, 50_000])
def test_lines_that_are_no_objects_are_rejects_with_their_line_in_any_portions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    monkeypatch.setattr(record_columns, "PORTION", portion)
    read = table(tmp_path / "t.jsonl", '{"a": "1", "b": "x"}\n\n{"a": 2\n[3]\n  \n{"a": "\\ud83d", "b": "\u2028"}\n')
    assert read.frame.rows() == [("1", "x", 1), ("\ufffd", "\u2028", 6)]
    assert [(reject.row_number, reject.reason) for reject in read.rejects] == [(3, "bad_json"), (4, "bad_json")]
    assert read.warnings == ("Records with half characters (texts cut within one), shown as \ufffd: 1.",)


def test_a_table_far_larger_than_its_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_columns, "PORTION", 100)
    monkeypatch.setattr(record_columns, "CELLS", 5_000)
    dense = RecordColumns(tmp_path / "dense.jsonl")
    sparse = RecordColumns(tmp_path / "sparse.jsonl")
    for n in range(200):
        dense.add(n, dict.fromkeys(map(str, range(30)), "x"))
    assert dense.frame().shape == (200, 31)
    for n in range(99):
        sparse.add(n, {str(n): "x"})
    with pytest.raises(ReadError, match=r"The 100 records of sparse\.jsonl have 100 keys, most of them in few records"):
        sparse.add(99, {"99": "x"})


def test_no_record_makes_an_empty_table(tmp_path: Path) -> None:
    assert RecordColumns(tmp_path / "none.jsonl").frame().rows() == []
