"""Read rows that stand for several items: rating patterns, with the number of their items in the column `n_items`.

A cluster reduces ratings to such a table (tasks.single_file.reduce). `agree` and `accuracy` evaluate it as if it had
all ratings. A wrong number or a lost row would make wrong figures unnoticed, so one wrong row refuses the whole file.
Such a file cannot be ingested, because it no longer says who rated which item.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tasks.counted_words import counted
from tasks.errors import InputError, ReadError
from tasks.formats.columns.column_roles import plain
from tasks.formats.parsing.text_table import TextTable

N_ITEMS = "n_items"
RENAME = "Rename the column if it means something else."


def whole_numbers(table: TextTable, place: int, path: Path) -> pl.Series:
    """Return the column at this place of the table as n_items (Int64).

    Errors: ReadError unless all are whole numbers >= 1.
    """
    column, header = table.frame[f"c{place}"], table.headers[place]
    written = column.str.strip_chars()
    # pandas writes whole numbers with decimals where a column has had a gap
    whole = written.str.contains(r"^\d{1,15}(\.0+)?$") & (
        written.str.replace(r"\.0+$", "").cast(pl.Int64, strict=False) > 0
    )
    bad = table.frame.select("row_number", value=written).filter(~whole.fill_null(False))
    if bad.height:
        row, value = bad.row(0)
        fault = "is blank" if value is None else f"is {value[:40]!r}"
        raise ReadError(
            f"Column {header!r} of {path.name} says how many items a row stands for, and in row {row} it {fault}.",
            f"Write a whole number from 1 in each row. {RENAME}",
            file=str(path),
            row=row,
            column=header,
        )
    return written.str.replace(r"\.0+$", "").cast(pl.Int64).alias(N_ITEMS)


def refuse_wide(mapped: str | None, headers: Sequence[str], path: Path) -> None:
    """Raise ReadError for a wide table with such a column: it would be taken for a property of the item."""
    column = mapped or next((header for header in headers if plain(header) == plain(N_ITEMS)), None)
    if column is not None:
        raise ReadError(
            f"Column {column!r} of {path.name} says how many items a row stands for, but a wide table cannot have such "
            "a column.",
            f"Write one row per rating of a pattern: item, rater, label, n_items. {RENAME}",
            file=str(path),
            column=column,
        )


def same_columns(files: Sequence[Path], rows: Sequence[pl.DataFrame]) -> None:
    """Raise ReadError for files that are read as one of which some have n_items and others do not."""
    lacking = [file for file, part in zip(files, rows, strict=True) if N_ITEMS not in part.columns]
    if lacking and len(lacking) < len(files):
        raise ReadError.of(
            lacking[0],
            "lacks the column n_items, which the other files have.",
            "Evaluate files of ratings and files of rating patterns in separate commands.",
        )


def check_patterns(ratings: pl.DataFrame, n_rejected: int, path: Path) -> None:
    """Raise InputError unless these validated rows are whole patterns: no row lost, each rater once, one n_items."""
    hint = "Each row of a file with n_items is one rating of a pattern: item, rater, label, n_items."
    if n_rejected:
        raise InputError(
            f"{counted(n_rejected, 'row was', 'rows were')} rejected in {path.name}. A pattern that lacks a row cannot"
            " be counted.",
            f"See them with `kappaflow inspect {path}`, and correct them.",
        )
    keys = ["question", "item", "rater"]
    twice = ratings.filter(pl.struct(keys).is_duplicated()).sort(keys)
    if twice.height:
        raise InputError(f"{path.name} has rater {twice['rater'][0]!r} twice in item {twice['item'][0]!r}.", hint)
    numbers = ratings.group_by(keys[:2]).agg(pl.col(N_ITEMS).unique().sort()).sort(keys[:2])
    differ = numbers.filter(pl.col(N_ITEMS).list.len() > 1)
    if differ.height:
        item, several = differ["item"][0], differ[N_ITEMS][0].to_list()
        raise InputError(f"{path.name} gives item {item!r} several n_items: {several[0]} and {several[1]}.", hint)


def refuse_ingest(rows: pl.DataFrame, path: Path) -> None:
    """Raise ReadError for rows that stand for several items: the warehouse keeps who rated which item."""
    if N_ITEMS in rows.columns:
        raise ReadError.of(
            path,
            "has a column n_items: its rows are rating patterns, and without items they are not ratings.",
            f"Evaluate it with `kappaflow agree {path.name}` or `kappaflow accuracy {path.name}`. {RENAME}",
        )


def in_words(ratings: pl.DataFrame) -> str:
    """Describe such a file in a sentence."""
    patterns = ratings.select("question", "item", N_ITEMS).unique()
    return (
        f"Each item of the file is a rating pattern: {counted(patterns.height, 'pattern stands', 'patterns stand')}"
        f" for {counted(int(patterns[N_ITEMS].sum()), 'item')}, as the column n_items says."
    )
