"""Hold what a page consists of. Templates draw it, and compute nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.dashboard.page_filters import PageFilters
from tasks.report.html_table import Cell, HtmlTable


@dataclass(frozen=True)
class PageSection:
    """A part of a page: text, a chart and a table, and the queries behind them.

    empty is what stands there without a table and a chart. filters are those of its queries, unless they are the
    page's.
    """

    title: str
    queries: tuple[str, ...]
    table: HtmlTable | None = None
    chart: Cell = ""
    sentences: Sequence[Cell] = ()
    note: Cell = ""
    empty: str = ""
    details: tuple[tuple[str, HtmlTable], ...] = ()
    is_wide: bool = False
    filters: PageFilters | None = None


@dataclass(frozen=True)
class LivePage:
    """A page. filter_names are the filters that its form offers."""

    title: str
    filters: PageFilters
    filter_names: tuple[str, ...]
    sections: Sequence[PageSection]
    lead: Cell = ""


def as_sentence(note: str) -> str:
    """Let the note of a chart begin with a capital.

    >>> as_sentence("faint: too few items")
    'Faint: too few items'
    """
    return note[:1].upper() + note[1:]
