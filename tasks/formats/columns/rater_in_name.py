"""Take the rater of a table from the name of its file: `rater = "{file}"` reads `anna.csv` as ratings by anna.

The name becomes one more column of the table, whose header is the mapping as the user wrote it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.text_table import TextTable

FILE = "{file}"
QUESTION = "ratings"
"""The question of such a table if neither its rows nor the settings nor a subfolder name one: its name is a rater's."""


def file_names_rater(columns: Mapping[str, str]) -> bool:
    """Check whether the mapping takes the rater from the name of the file.

    >>> file_names_rater({"rater": "{file}"}), file_names_rater({"rater": "coder"})
    (True, False)
    """
    return columns.get("rater", "").strip() == FILE


def look_with_rater(seen: FileLook, columns: Mapping[str, str]) -> FileLook:
    """Return the look with the column of the rater, if the file names it."""
    if not _is_missing(seen.headers, columns):
        return seen
    width, rater = len(seen.headers), nfc(seen.path.stem)
    sample = ((*row, rater) if len(row) == width else (*row, None) for row in seen.sample)
    return replace(seen, headers=(*seen.headers, FILE), sample=tuple(sample))


def table_with_rater(table: TextTable, columns: Mapping[str, str], path: Path) -> TextTable:
    """Return the table with the column of the rater, if the file names it."""
    if not _is_missing(table.headers, columns):
        return table
    rater = pl.lit(nfc(path.stem)).alias(f"c{len(table.headers)}")
    frame = table.frame.select(pl.exclude("row_number"), rater, "row_number")
    return replace(table, frame=frame, headers=(*table.headers, FILE))


def _is_missing(headers: Sequence[str], columns: Mapping[str, str]) -> bool:
    return file_names_rater(columns) and FILE not in headers
