"""Judge the first rows of a table: a rating that would be lost as a header, a title, a second header row."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.parsing.cells import tidy

MAX_ROWS = 10_000  # looked at
MAX_TITLE_ROWS = 10
HINT = (
    "Add a first line with the names of the columns, such as rater,item,label. Or number them from 1: --no-header "
    "--columns rater=1,item=2,label=3 (in kappaflow.toml: header = false)."
)


def check_header(headers: Sequence[str], frame: pl.DataFrame, path: Path) -> None:
    """Raise ReadError where the header looks like a row: most of its cells stand again below, in the same column."""
    frame = frame.head(MAX_ROWS)
    with_header = [i for i, header in enumerate(headers) if header]
    if not with_header:
        return
    repeated = frame.select((tidy(pl.col(f"c{i}")) == headers[i]).any() for i in with_header).row(0)
    again = [i for i, is_repeated in zip(with_header, repeated, strict=True) if is_repeated]
    if len(again) >= 2 and 2 * len(again) >= len(with_header):
        raise ReadError.of(
            path,
            f"seems to have no header: its first row is {listed(headers)}, and later rows "
            f"have {headers[again[0]]!r} and {headers[again[1]]!r} in the same columns.",
            HINT,
            row=1,
        )


def title_note(headers: Sequence[str], frame: pl.DataFrame) -> str:
    """Return a sentence where the first row fills one cell, as a title does, and a row below fills all; else ''."""
    if len(headers) < 2 or sum(map(bool, headers)) > 1:
        return ""
    for row in frame.head(MAX_TITLE_ROWS).select(tidy(pl.exclude("row_number"))).rows():
        if all(row) and len({*row}) == len(row):
            if any(cell.replace(".", "", 1).isdigit() for cell in row):  # a row, not the names of columns
                return "" if any(headers) else f" The header is blank. {HINT}"
            return f" The first row seems to be a title, and {listed(row)} the header: delete the rows above it."
    return ""


def second_row_note(headers: Sequence[str], frame: pl.DataFrame) -> str:
    """Return a sentence where the header has two rows, as below merged cells; else ''.

    Columns without a name then have texts in the first row that no other row has.
    """
    without = [i for i, header in enumerate(headers) if not header]
    if len(without) < 2 or len(without) == len(headers) or frame.height < 2:
        return ""
    cells = frame.head(MAX_ROWS).select(tidy(pl.exclude("row_number")))
    first = cells.row(0)
    below = {value for column in cells.slice(1).get_columns() for value in column.unique().to_list()}
    names = [first[i] for i in without]
    if all(name and not name[0].isdigit() and name not in below for name in names) and len({*names}) == len(names):
        return (
            f" The header seems to have two rows: {listed(names)} stand below it. Write the names of all columns into"
            " one row, and delete the other."
        )
    return ""
