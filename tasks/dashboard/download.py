"""Write the rows behind a section as a file."""

import io
import json
from typing import Any

import polars as pl

from tasks.report.formatting import visible
from tasks.spreadsheet_text import without_formulas

MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
MAX_ROWS = 100_000  # of a download: more belongs into `kappaflow export` or SQL


def as_file(rows: pl.DataFrame, file_format: str) -> bytes:
    """Return the rows as CSV or Parquet.

    In CSV a text that looks like a formula gets an apostrophe in front. Control characters are shown by their code
    point.
    """
    buffer = io.BytesIO()
    if file_format == "parquet":
        rows.write_parquet(buffer)
    else:
        rows.select(_safe(column) for column in rows).write_csv(buffer)
    return buffer.getvalue()


def _safe(column: pl.Series) -> pl.Series:
    if column.dtype.is_nested():
        column = column.map_elements(_as_json, pl.String)
    if column.dtype != pl.String:
        return column
    return without_formulas(column.map_elements(visible, pl.String))


def _as_json(value: Any) -> str:
    return json.dumps(value.to_list() if isinstance(value, pl.Series) else value, ensure_ascii=False, default=str)
