"""Read any table as text: CSV and similar, JSONL, a JSON array, Parquet, Excel. The readers of tables start here."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.file_look import FileLook, look_at_file
from tasks.formats.parsing.limits import limits, long_cell
from tasks.formats.parsing.records.json_objects import JsonObjects
from tasks.formats.parsing.records.record_columns import RecordColumns
from tasks.formats.parsing.reject_rows import Reject
from tasks.formats.parsing.separated_text import csv_columns
from tasks.formats.parsing.table_memory import check_memory
from tasks.formats.parsing.text_encoding import utf8_bytes
from tasks.formats.parsing.workbook import sheet


@dataclass(frozen=True)
class TextTable:
    """A table of text. Column c0, c1, ... of `frame` has header `headers[0]`, .... Headers may repeat.

    `row_number` counts as a spreadsheet does. The header of a CSV is row 1, its first record row 2. For JSONL it is the
    line, for Parquet and JSON arrays the record, from 1. `first_row` is the number of the first row that may be data.
    `empty_lists` are the numbers of the columns in which JSON or Parquet has a list without an element; it is blank.
    """

    frame: pl.DataFrame
    headers: tuple[str, ...]
    rejects: tuple[Reject, ...] = ()
    warnings: tuple[str, ...] = ()
    first_row: int = 1
    empty_lists: frozenset[int] = frozenset()


def read_table(path: Path, *, header: bool = True) -> TextTable:
    """Read a whole table; without `header` its columns are numbered from 1.

    Errors: ReadError where the file is not a table or not one row has the header's width, UnavailableError where it
    takes more memory than there is.
    """
    seen = look_at_file(path, header=header)
    check_memory(seen)
    if seen.kind == "parquet":
        return parquet_table(path)
    if seen.kind in ("text", "excel"):
        return text_table(seen)
    return _records_table(seen)


def text_table(seen: FileLook) -> TextTable:
    """Read separated text, or a sheet. Errors: ReadError for a single column, or if no row has the header's width."""
    if len(seen.headers) < 2:
        tried = "" if seen.kind == "excel" else " (separators tried: comma, tab, semicolon, bar)"
        raise ReadError.of(
            seen.path,
            f"has one column only{tried}.",
            "A table of ratings needs a column for the item, the rater and the label.",
        )
    if seen.kind == "excel":
        return _sheet_table(seen)
    data = utf8_bytes(seen.path, seen.encoding)
    if not seen.has_header:
        data = f"{seen.delimiter.join(seen.headers)}\n".encode() + data
    headers, frame, rejects, warnings = csv_columns(data, seen.delimiter, seen.path)
    if frame.is_empty() and len(rejects) > 1:
        raise ReadError(
            f"Not one of the {len(rejects):,} rows of {seen.path.name} can be read; row {rejects[0].row_number}: "
            f"{rejects[0].detail}",
            "Save the file as UTF-8."
            if all(reject.reason == "bad_encoding" for reject in rejects)
            else "Check the header (row 1) and the separator.",
            file=str(seen.path),
            row=rejects[0].row_number,
        )
    if not seen.has_header:  # the row of numbers is none of the file's
        frame = frame.with_columns(pl.col("row_number") - 1)
        rejects = [reject._replace(row_number=(reject.row_number or 1) - 1) for reject in rejects]
    return TextTable(
        frame, tuple(header.strip() for header in headers), tuple(rejects), tuple(warnings), 1 + seen.has_header
    )


def _sheet_table(seen: FileLook) -> TextTable:
    headers, frame, warnings = sheet(seen.path, header=seen.has_header)
    cells, rejects = without_long(frame)
    return TextTable(cells, tuple(header.strip() for header in headers), rejects, warnings, 1 + seen.has_header)


def _records_table(seen: FileLook) -> TextTable:
    objects, columns = JsonObjects(seen), RecordColumns(seen.path)
    for n, record in objects:
        columns.add(n, record)
    frame = columns.frame()
    if frame.is_empty() and objects.rejects:
        raise ReadError.of(
            seen.path,
            f"holds no JSON object where its rows should be: {objects.rejects[0].detail}",
            "Export it again, one object a line or a list of objects.",
            row=objects.rejects[0].row_number,
        )
    return TextTable(
        frame,
        tuple(header.strip() for header in columns.headers),
        objects.rejects,
        objects.warnings,
        empty_lists=frozenset(columns.empty_lists),
    )


def parquet_table(path: Path) -> TextTable:
    """Read a Parquet file as text. Whole floats lose their decimals, times become ISO, lists become sets of labels."""
    frame = pl.read_parquet(path).rechunk()  # see separated_text
    columns = [as_text(frame[name]).alias(f"c{i}") for i, name in enumerate(frame.columns)]
    numbers = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True).alias("row_number")
    cells, rejects = without_long(pl.DataFrame([*columns, numbers]))
    empty_lists = frozenset(
        i
        for i, column in enumerate(frame.iter_columns())
        if isinstance(column.dtype, pl.List) and (column.list.len() == 0).any()
    )
    return TextTable(cells, tuple(name.strip() for name in frame.columns), rejects, empty_lists=empty_lists)


def without_long(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Reject, ...]]:
    """Return the rows without a cell that is too long, and the others as rejects."""
    most = limits().max_cell_length
    cells = frame.select(pl.exclude("row_number").str.len_bytes().max().fill_null(0))
    if all(n_bytes <= most for n_bytes in cells.row(0)):
        return frame, ()
    longest = pl.max_horizontal(pl.exclude("row_number").str.len_chars().fill_null(0))
    lengths = frame.select("row_number", longest.alias("n")).filter(pl.col("n") > most)
    if lengths.is_empty():
        return frame, ()
    rejects = (Reject(int(row), None, None, "cell_too_long", long_cell(n)) for row, n in lengths.rows())
    return frame.filter(~pl.col("row_number").is_in(lengths["row_number"].to_list())), tuple(rejects)


def as_text(column: pl.Series) -> pl.Series:
    """Return a column of Parquet as text. Whole floats lose their decimals, times become ISO, lists become sets."""
    dtype = column.dtype
    if dtype.is_float():
        return _float_text(column)
    if isinstance(dtype, pl.Datetime):
        utc = column.dt.convert_time_zone("UTC") if dtype.time_zone else column
        return utc.dt.strftime("%Y-%m-%dT%H:%M:%S%.6f" + ("Z" if dtype.time_zone else ""))
    if isinstance(dtype, pl.Duration):
        return _float_text(column.dt.total_microseconds() / 1e6)
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        return pl.Series(column.name, [cell_text(value) for value in column.to_list()], dtype=pl.String)
    return column.cast(pl.String)


def _float_text(column: pl.Series) -> pl.Series:
    # As a float of 64 bits, a .1 of 32 bits is 0.10000000149011612: its own text has the digits that were meant.
    written = column.cast(pl.String) if column.dtype == pl.Float32 else column
    values = written.cast(pl.Float64).fill_nan(None)
    whole = (values == values.floor()) & (values.abs() < 1e15)
    integers = values.cast(pl.Int64, strict=False).cast(pl.String)
    return integers.zip_with(whole.fill_null(False), values.cast(pl.String))
