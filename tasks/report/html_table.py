"""Hold a table for the template. Cells are text (escaped there) or markup from tasks.report.formatting."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

Cell = Markup | str


@dataclass(frozen=True)
class Column:
    """A column. kind: 'text', 'number' (right-aligned figures), 'range' (an interval) or 'graphic'."""

    title: str
    kind: str = "text"


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


def texts(*titles: str) -> tuple[Column, ...]:
    """Make columns of text."""
    return tuple(Column(title) for title in titles)


def numbers(*titles: str) -> tuple[Column, ...]:
    """Make columns of numbers."""
    return tuple(Column(title, "number") for title in titles)


def ranges(*titles: str) -> tuple[Column, ...]:
    """Make columns of intervals."""
    return tuple(Column(title, "range") for title in titles)


GRAPHIC = Column("", "graphic")
