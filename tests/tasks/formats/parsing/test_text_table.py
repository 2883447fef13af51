"""Tables as text, exactly: separators, quotes, encodings, broken rows, row numbers, types."""

import csv
import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import ReadError
from tasks.formats.parsing.separated_text import _exact, _fast, _headers, _Lines, _records
from tasks.formats.parsing.text_table import as_text, read_table
from tasks.ingest.read_export import read_export

HEADER = "item,rater,label\n"


def table(tmp_path: Path, content: str | bytes) -> tuple[list[tuple[object, ...]], dict[int | None, str]]:
    """Rows (row number first) and rejects (reason by row number) of a file with this content."""
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = read_table(path)
    rows = result.frame.select("row_number", pl.exclude("row_number")).rows()
    return rows, {reject.row_number: reject.reason for reject in result.rejects}


def test_row_numbers_are_those_of_a_spreadsheet(tmp_path: Path) -> None:
    content = HEADER + '1,a,"two\nlines"\n\n2,b,no\n3,c\n4,d,yes\n'
    rows, rejects = table(tmp_path, content)
    assert rows == [(2, "1", "a", "two\nlines"), (4, "2", "b", "no"), (6, "4", "d", "yes")]
    assert rejects == {5: "ragged_row"}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(tmp_path: Path, ending: str, last: bool) -> None:
    content = ending.join(["item,rater,label", "1,a,x", "2,b,y"]) + (ending * 2 if last else "")
    rows, rejects = table(tmp_path, content)
    assert rows == [(2, "1", "a", "x"), (3, "2", "b", "y")]
    assert not rejects


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_separator_is_found(tmp_path: Path, delimiter: str) -> None:
    lines = [["item", "rater", "label"], ["1", "a", "x y"], ["2", "b", "z"]]
    rows, _ = table(tmp_path, "\n".join(delimiter.join(line) for line in lines))
    assert rows == [(2, "1", "a", "x y"), (3, "2", "b", "z")]


def test_a_text_with_commas_does_not_hide_the_tabs(tmp_path: Path) -> None:
    rows, _ = table(tmp_path, "item\trater\tlabel\n1\ta, b, c\tx\n2\td\ty\n")
    assert rows[0] == (2, "1", "a, b, c", "x")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    rows, rejects = table(tmp_path, (HEADER + "1,Zoë,日本\n2,b,x\n").encode(encoding))
    assert rows == [(2, "1", "Zoë", "日本"), (3, "2", "b", "x")]
    assert not rejects


def test_bytes_that_are_no_utf8_reject_their_row_and_show_themselves(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes((HEADER + "1,a,x\n").encode() + "2,Zoë,x\n".encode("latin-1") + b"3,b,\xff\xfe\n4,c,y\n")
    result = read_table(path)
    assert result.frame["c1"].to_list() == ["a", "c"]
    assert [(r.row_number, r.reason, r.value) for r in result.rejects] == [
        (3, "bad_encoding", "2,Zo\\xeb,x"),
        (4, "bad_encoding", "3,b,\\xff\\xfe"),
    ]
    (warning,) = result.warnings
    assert warning.startswith("2 rows were rejected as not UTF-8: save the file as UTF-8 and ingest it again.")
    assert warning.endswith("labels with letters such as é or ü are missing from every figure.")


def test_a_row_with_a_nul_is_not_told_to_be_saved_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "nul.csv"
    path.write_bytes((HEADER + "1,a,x\n2,b,\0\n").encode())
    result = read_table(path)
    assert [(r.reason, r.detail) for r in result.rejects] == [("bad_encoding", "The row holds a NUL character.")]
    assert not result.warnings


def test_a_file_without_a_row_in_utf8_is_to_be_saved_as_utf8(tmp_path: Path) -> None:
    """Its header and its separator are right: names such as Jürgen are in all rows."""
    with pytest.raises(ReadError, match="Not one of the 2 rows") as caught:
        table(tmp_path, HEADER.encode() + "1,Jürgen,x\n2,Jürgen,y\n".encode("latin-1"))
    assert caught.value.hint == "Save the file as UTF-8."


def test_a_header_that_is_no_utf8_refuses_the_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="header") as caught:
        table(tmp_path, b"item,rater,l\xe4bel\n1,a,x\n")
    assert caught.value.row == 1


def test_utf16_that_breaks_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="UTF-16"):
        table(tmp_path, (HEADER + "1,a,x\n").encode("utf-16")[:-1])


def test_nul_characters_reject_their_row(tmp_path: Path) -> None:
    rows, rejects = table(tmp_path, HEADER + "1,a,x\n2,b\0,y\n")
    assert rows == [(2, "1", "a", "x")]
    assert rejects == {3: "bad_encoding"}


def test_a_ragged_row_is_neither_padded_nor_cut(tmp_path: Path) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text(HEADER + "1,a,x\n2,b\n3,c,y,z\n4,d,w\n", encoding="utf-8")
    result = read_table(path)
    assert result.frame["c0"].to_list() == ["1", "4"]
    assert [(r.row_number, r.value, r.detail) for r in result.rejects] == [
        (3, "2,b", "The row has 2 cells, the header has 3."),
        (4, "3,c,y,z", "The row has 4 cells, the header has 3."),
    ]


def test_a_file_of_ragged_rows_only_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="Not one of the 2 rows") as caught:
        table(tmp_path, HEADER + "1,a,x,\n2,b,y,\n")
    assert caught.value.row == 2


def test_a_quote_that_never_closes_spoils_its_line_only(tmp_path: Path) -> None:
    rows, rejects = table(tmp_path, HEADER + '1,a,x\n2,b,"open\n3,c,y\n4,d,z\n')
    assert [row[0] for row in rows] == [2, 4, 5]
    assert rejects == {3: "bad_quotes"}


def test_text_after_a_closing_quote_spoils_its_line_only(tmp_path: Path) -> None:
    rows, rejects = table(tmp_path, HEADER + '1,a,"x"y\n2,b,"ok"\n3,c,in"side\n')
    assert rows == [(3, "2", "b", "ok"), (4, "3", "c", 'in"side')]
    assert rejects == {2: "bad_quotes"}


@pytest.mark.parametrize("line", ['1,"a""",x"', '"', '""",', 'a,"b,c', '"""x', ',"'])
def test_quotes_gone_wrong_on_every_line_take_no_longer_than_the_file_is_long(tmp_path: Path, line: str) -> None:
    n = 20_000
    lines = _Lines([*HEADER.splitlines(keepends=True), *[line + "\n"] * n])
    records = sum(1 for _ in _records(lines, ","))
    assert lines.n_read <= 4 * n
    assert n // 3 <= records <= n + 1


def test_a_cell_of_ten_megabytes(tmp_path: Path) -> None:
    big = "x" * 10_000_000
    rows, rejects = table(tmp_path, HEADER + f'1,a,"{big}"\n2,b,y\n3,c\n')
    assert [len(str(row[3])) for row in rows] == [10_000_000, 1]
    assert rejects == {4: "ragged_row"}


def test_one_column_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="one column only"):
        table(tmp_path, "label\nyes\nno\n")


def test_repeated_headers_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("item,label,label\n1,a,b\n", encoding="utf-8")
    result = read_table(path)
    assert result.headers == ("item", "label", "label")
    assert result.frame.row(0) == ("1", "a", "b", 2)


# What the fast reader gives is what the exact one gives, whatever the text.

CELLS = st.text(alphabet=st.sampled_from(list('ab ,;"\n\r\té日')), max_size=6)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=8),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_csv_writes_comes_back_cell_for_cell(rows: list[list[str]], quoting: int) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting).writerows([["item", "rater", "label"], *rows])  # type: ignore[arg-type]
    data = out.getvalue().encode()
    exact, rejects, _ = _exact(data, ",", ("a", "b", "c"))
    assert not rejects
    assert [list(row[:3]) for row in exact.rows()] == rows
    fast = _fast(data, ",", ("item", "rater", "label"))
    assert fast is None or fast.rows() == exact.rows()


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=st.sampled_from(list('a,"\n\r ')), max_size=40))
def test_the_fast_reader_declines_or_agrees(body: str) -> None:
    data = f"a,b\n{body}".encode()
    fast = _fast(data, ",", ("a", "b"))
    if fast is not None:
        exact, rejects, _ = _exact(data, ",", ("a", "b"))
        assert not rejects
        assert fast.rows() == exact.rows()


def test_a_short_row_in_a_large_file_is_seen() -> None:
    rows = ["1,ann,yes"] * 150_000
    assert (whole := _fast("\n".join(["a,b,c", *rows, ""]).encode(), ",", ("a", "b", "c"))) is not None
    assert whole.height == len(rows)
    rows[100_000] = "1,ann"
    assert _fast("\n".join(["a,b,c", *rows, ""]).encode(), ",", ("a", "b", "c")) is None


def test_well_formed_files_do_take_the_fast_way() -> None:
    data = b'item,rater,label\r\n1,"a, b","say ""x""\nthen y"\r\n2,c,\r\n'
    fast = _fast(data, ",", _headers(data, ",", Path("x.csv")))
    assert fast is not None
    assert fast.rows() == [("1", "a, b", 'say "x"\nthen y', 2), ("2", "c", "", 3)]
    assert _fast(b"a,b\n1\n", ",", ("a", "b")) is None
    assert _fast(b"a,b\n1,2,3\n", ",", ("a", "b")) is None


# JSON


def test_json_lines_that_are_no_objects_are_rejects_with_their_line(tmp_path: Path) -> None:
    lines = ['{"item":1}', "", "[1]", '{"item":', "nonsense", '{"item":2,"label":["b","a"]}', '{"item":"\\ud83d"}']
    rows, rejects = table(tmp_path, "\n".join(lines).encode() + b'\n{"item":"\xff"}\n' + b'{"a":' * 5_000)
    assert rows == [(1, "1", None), (6, "2", '["a", "b"]'), (7, "\ufffd", None)]
    assert rejects == {3: "bad_json", 4: "bad_json", 5: "bad_json", 8: "bad_encoding", 9: "bad_json"}


def test_json_numbers_true_and_null(tmp_path: Path) -> None:
    record = {"whole": 2.0, "part": 2.5, "big": 12345678901234567890, "yes": True, "none": None, "deep": {"b": [1]}}
    rows, _ = table(tmp_path, json.dumps([record, {}]).replace("2.5", '2.5, "nan": NaN'))
    assert rows[0] == (1, "2", "2.5", None, "12345678901234567890", "true", None, '{"b": [1]}')
    assert rows[1] == (2, *[None] * 7)


def test_json_that_breaks_off_says_so(tmp_path: Path) -> None:
    text = '[{"item": 1, "label": "a"}, {"item": 2'
    with pytest.raises(ReadError, match=f"not valid JSON: .* at character {len(text) + 1}\\."):
        table(tmp_path, text)


def test_json_that_breaks_off_in_a_later_record_is_cut_where_the_file_ends(tmp_path: Path) -> None:
    """The place counted the records before the last one twice, and was beyond the end of the file."""
    text = "[" + ", ".join(f'{{"item": {n}, "label": "a"}}' for n in range(4000)) + ', {"item": "x'
    with pytest.raises(ReadError, match=r"Unterminated string starting at character (\S+)\.") as caught:
        table(tmp_path, text)
    assert f"at character {len(text) - 1:,}." in str(caught.value)


def test_json_with_bad_bytes_says_where(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="byte 12 is not UTF-8"):
        table(tmp_path, b'[{"item": "\xff"}]')


def test_a_json_array_longer_than_the_buffer(tmp_path: Path) -> None:
    records = [{"item": i, "text": "é" * 997} for i in range(3_000)]
    rows, _ = table(tmp_path, json.dumps(records, ensure_ascii=False))
    assert [row[1] for row in rows] == [str(i) for i in range(3_000)]
    assert {row[2] for row in rows} == {"é" * 997}


# Parquet


def test_parquet_types_become_text(tmp_path: Path) -> None:
    path = tmp_path / "typed.parquet"
    frame = pl.DataFrame(
        {
            "whole": pl.Series([1.0, None, 3.0]),
            "mixed": pl.Series([1.0, 2.5, float("nan")]),
            "wide": pl.Series([1e20, float("inf"), -0.0]),
            "yes": [True, False, None],
            "when": [datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)] * 3,
            "naive": [datetime(2026, 1, 2, 3, 4, 5)] * 3,
            "many": [["b", "a"], ["c"], []],
            "enum": pl.Series(["x", "y", "x"], dtype=pl.Enum(["x", "y"])),
            "bytes": [b"ok", b"\xff", None],
            "price": [Decimal("1.50")] * 3,
        }
    )
    frame.write_parquet(path)
    result = read_table(path)
    assert result.headers == tuple(frame.columns)
    columns = {header: result.frame[f"c{i}"].to_list() for i, header in enumerate(result.headers)}
    assert columns == {
        "whole": ["1", None, "3"],
        "mixed": ["1", "2.5", None],
        "wide": ["1e+20", "inf", "0"],
        "yes": ["true", "false", None],
        "when": ["2026-01-02T03:04:05.000000Z"] * 3,
        "naive": ["2026-01-02T03:04:05.000000"] * 3,
        "many": ['["a", "b"]', "c", None],
        "enum": ["x", "y", "x"],
        "bytes": ["ok", "\\xff", None],
        "price": ["1.50"] * 3,
    }
    assert result.frame["row_number"].to_list() == [1, 2, 3]


def test_half_characters_do_not_hinder_detection(tmp_path: Path) -> None:
    path = tmp_path / "half.jsonl"
    path.write_text('{"a": "\\ud83d", "b": {"\\ud800": 1}}\n{"a": 1}\n', encoding="utf-8")
    with pytest.raises(ReadError, match="none of them is known"):
        read_export(path)
    path.write_text('{"item": 1, "rater": "\\ud83d", "label": "x"}\n', encoding="utf-8")
    assert read_export(path).rows["rater"].to_list() == ["\ufffd"]


def test_a_header_in_another_encoding_is_said_in_words(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_bytes("id,Jürgen,bob\n1,x,y\n".encode("cp1252"))
    with pytest.raises(ReadError, match=r"The header of old\.csv cannot be read: it is not UTF-8"):
        read_table(path)


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
def test_a_number_has_the_digits_that_were_meant_whatever_its_bits(dtype: type[pl.DataType]) -> None:
    column = pl.Series([0.1, 0.7, 2.5, 3.0, -0.0, 1e-7, float("nan"), None], dtype=dtype)
    assert as_text(column).to_list() == ["0.1", "0.7", "2.5", "3", "0", "1e-7", None, None]
