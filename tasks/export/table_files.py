"""Turn a table into the bytes of a file: CSV, Excel, Parquet, Markdown, JSON or JSON lines."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import polars.selectors as cs

from tasks.atomic_files import check_out, write_bytes_atomically
from tasks.errors import InputError
from tasks.export.json_text import json_text, nested_text

MAX_SHEET_ROWS = 1_048_575  # of an Excel sheet, below the header
MAX_CELL_TEXT = 32_767  # characters in a cell of Excel
MAX_EXACT_INTEGER = 2**53  # numbers of Excel are floats
# xlsxwriter makes links of texts such as mailto:a@b.c or external:c:\\x.xlsx, and then shows a part of them only.
TEXTS_AS_THEY_ARE = {"strings_to_urls": False, "strings_to_formulas": False, "default_date_format": "yyyy-mm-dd;@"}
# Characters that control a terminal or reverse its text: control characters except tab and line ends, and overrides of
# the writing direction. Also surrogates (halves of characters), which no terminal can print.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")
CONTROL_FOR_POLARS = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u{202a}-\u{202e}\u{2066}-\u{2069}]"  # a first, fast check
MARKDOWN = re.compile(r"([\\`*\[\]|]|(?<!\w)_|_(?!\w))")
# A spreadsheet reads a text with one of these beginnings as a formula. Numbers and signs alone (-1, +1e5, -2+3, -) are
# data and stay as they are, also with a decimal comma: without a letter, a quote or a bar they can name no cell,
# function or program.
FORMULA = r"^[=+\-@\t\r]"
NUMBERS = r"^(?:[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?)+$|^[+-]+$"


def table_bytes(frame: pl.DataFrame, file_format: str) -> bytes:
    """Return the table in one of FORMATS. Raises InputError for another format, and for what Excel cannot hold.

    In CSV and Excel a text that looks like a formula gets an apostrophe in front; a number such as -1 stays.
    """
    if file_format not in FORMATS:
        raise InputError(f"--format {file_format!r} is unknown.", f"Use one of {', '.join(FORMATS)}.")
    return FORMATS[file_format](frame)


def write_table(frame: pl.DataFrame, path: Path, file_format: str) -> None:
    """Write the table to a file in one step. A file of that name is replaced. Raises InputError as `table_bytes`."""
    check_out(path)
    write_bytes_atomically(path, table_bytes(frame, file_format))


def spreadsheet_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table with texts that a spreadsheet never runs. Lists become JSON, and control characters �."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    flat = frame.with_columns(pl.col(name).map_elements(nested_text, pl.String) for name in nested)
    return flat.select(_safe(column) for column in flat)


def safe_names(frame: pl.DataFrame) -> list[str]:
    """Return the names of the columns, as texts that a spreadsheet never runs."""
    return _safe(pl.Series("name", frame.columns, dtype=pl.String)).to_list()


def _safe(column: pl.Series) -> pl.Series:
    """Return a text column without control characters and formulas. Other columns stay as they are."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return column
    text = without_formulas(column.cast(pl.String))
    if text.str.contains(CONTROL_FOR_POLARS).any():
        text = text.map_elements(lambda value: CONTROL.sub("\ufffd", value), pl.String)
    return text


def _csv(frame: pl.DataFrame) -> bytes:
    names = safe_names(frame)
    header = pl.DataFrame([names], schema=[str(i) for i in range(frame.width)], orient="row")
    text = header.write_csv(include_header=False) + spreadsheet_table(frame).write_csv(include_header=False)
    return text.encode()


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.select(_readable_integers(column) for column in frame).write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _readable_integers(column: pl.Series) -> pl.Series:
    """Return integers of 128 bits, which only polars reads from Parquet, as Decimal, or as text if they do not fit."""
    if column.dtype != pl.Int128:
        return column
    decimals = column.cast(pl.Decimal(38, 0), strict=False)
    return decimals if decimals.null_count() == column.null_count() else column.cast(pl.String)


def _xlsx(frame: pl.DataFrame) -> bytes:
    """Write one sheet. Times are in UTC: Excel knows no time zones. What is not finite is empty."""
    if frame.height > MAX_SHEET_ROWS:
        raise InputError(
            f"The table has {frame.height:,} rows, and a sheet of Excel holds {MAX_SHEET_ROWS:,}.",
            "Use --format csv or parquet.",
        )
    table = spreadsheet_table(frame).with_columns(
        cs.float().map_batches(lambda column: column.set(~column.is_finite(), None)),
        cs.datetime().dt.replace_time_zone(None),
    )
    table = table.select(_digits(column) for column in table)
    for column in table.select(cs.string()):
        if (column.str.len_chars().max() or 0) > MAX_CELL_TEXT:  # type: ignore[operator]
            raise InputError(
                f"A text in the column {column.name!r} has more than {MAX_CELL_TEXT:,} characters, which no cell of "
                "Excel holds.",
                "Use --format csv, json or parquet.",
            )
    from xlsxwriter import Workbook  # here, because only Excel files need it

    buffer = io.BytesIO()
    table.columns = _headers(safe_names(frame))
    with Workbook(buffer, TEXTS_AS_THEY_ARE) as workbook:
        table.write_excel(workbook, worksheet="kappaflow", autofit=True)
    return buffer.getvalue()


def _digits(column: pl.Series) -> pl.Series:
    """Return integers as texts where one has more digits than a number of Excel holds."""
    exact = not column.dtype.is_integer() or column.is_between(-MAX_EXACT_INTEGER, MAX_EXACT_INTEGER).all()
    return column if exact else column.cast(pl.String)


def _headers(names: list[str]) -> list[str]:
    """Return names that differ also without regard to case, as Excel wants them."""
    used: set[str] = set()
    headers = []
    for name in names:
        header, number = name[:200] or "column", 1
        while header.lower() in used:
            number += 1
            header = f"{name[:200]}_{number}"
        used.add(header.lower())
        headers.append(header)
    return headers


def _markdown(frame: pl.DataFrame) -> bytes:
    numbers = [kind.is_numeric() for kind in frame.dtypes]
    lines = [
        [_markdown_cell(name) for name in frame.columns],
        ["---:" if is_number else "---" for is_number in numbers],
        *([_markdown_cell(value) for value in row] for row in frame.iter_rows()),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).encode()


def _markdown_cell(value: object) -> str:
    """Return a cell that Markdown shows as it is: no markup, no HTML, one line. A figure has six digits."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = nested_text(value) if isinstance(value, list | dict | pl.Series) else str(value)
    text = " ".join(CONTROL.sub("\ufffd", text).split())
    return MARKDOWN.sub(r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _json(frame: pl.DataFrame) -> bytes:
    return (json_text(frame.to_dicts(), indent=2) + "\n").encode()


def _json_lines(frame: pl.DataFrame) -> bytes:
    return "".join(json_text(row) + "\n" for row in frame.iter_rows(named=True)).encode()


FORMATS: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "csv": _csv,
    "parquet": _parquet,
    "xlsx": _xlsx,
    "md": _markdown,
    "json": _json,
    "jsonl": _json_lines,
}


def without_formulas(text: pl.Series) -> pl.Series:
    """Return texts with an apostrophe before each that looks like a formula.

    >>> without_formulas(pl.Series(["=1+A1", "-1", "fine"])).to_list()
    ["'=1+A1", '-1', 'fine']
    """
    formula = text.str.contains(FORMULA) & ~text.str.contains(NUMBERS)
    return pl.select(pl.when(formula).then(pl.lit("'") + text).otherwise(text)).to_series().alias(text.name)
