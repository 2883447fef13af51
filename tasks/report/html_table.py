"""Hold a table for the template. Cells are text (escaped there) or markup from tasks.report.formatting."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

Cell = Markup | str


@dataclass(frozen=True)
class Column:
    """A column: its title, its kind, and what writes its cell of a row.

    kind: 'text', 'number' (right-aligned figures), 'range' (an interval) or 'graphic'.
    """

    title: str
    kind: str
    cell: Callable[[Any], Cell]


@dataclass(frozen=True)
class HtmlTable:
    """A table of the report.

    `folded` are further rows that one opens by a click, under `folded_title`. `aside` is a text to open: its title, the
    text.
    """

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Cell]]
    note: Cell = ""
    folded: Sequence[Sequence[Cell]] = ()
    folded_title: str = ""
    aside: tuple[str, Cell] | None = None


def text_column(title: str, cell: Callable[[Any], Cell]) -> Column:
    """Make a column of text."""
    return Column(title, "text", cell)


def number_column(title: str, cell: Callable[[Any], Cell]) -> Column:
    """Make a column of numbers."""
    return Column(title, "number", cell)


def range_column(title: str, cell: Callable[[Any], Cell]) -> Column:
    """Make a column of intervals."""
    return Column(title, "range", cell)


def graphic_column(cell: Callable[[Any], Cell]) -> Column:
    """Make a column of graphics, which has no title."""
    return Column("", "graphic", cell)


def cells_of(columns: Iterable[Column], rows: Iterable[Any]) -> list[tuple[Cell, ...]]:
    """Write the cells of rows."""
    return [tuple(column.cell(row) for column in columns) for row in rows]


def table_of(columns: tuple[Column, ...], rows: Sequence[Any], note: Cell = "") -> HtmlTable | None:
    """Make the table of rows; None without rows."""
    return HtmlTable(columns, cells_of(columns, rows), note) if rows else None
