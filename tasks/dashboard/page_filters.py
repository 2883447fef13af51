"""Hold the filters of a page, as its address gives them, and make links with them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from tasks.report.formatting import foreign, shortened

WINDOWS = ("day", "week", "month", "rolling", "batch")
ALERT_STATES = ("open", "closed")
_MAX_TEXT = 1000  # characters of a filter: longer ones name nothing that is stored


@dataclass(frozen=True)
class PageFilters:
    """The filters of a page. None accepts all.

    slice is KEY=VALUE, batch the id of a batch, since a day as 2026-03-01, and other the second rater of a pair.
    """

    question: str | None = None
    rater: str | None = None
    system: str | None = None
    window: str | None = None
    slice: str | None = None
    batch: str | None = None
    since: str | None = None
    other: str | None = None
    alert_state: str | None = None
    alert_id: str | None = None

    @classmethod
    def from_address(cls, parameters: Mapping[str, str]) -> "PageFilters":
        """Read the parameters of an address. An empty value, or one that cannot exist, accepts all."""
        names = {entry.name for entry in fields(cls)}
        values = {key: value[:_MAX_TEXT] for key, value in parameters.items() if key in names and value}
        filters = cls(**values)
        return replace(
            filters,
            window=filters.window if filters.window in WINDOWS else None,
            alert_state=filters.alert_state if filters.alert_state in ALERT_STATES else None,
            since=filters.since if _is_day(filters.since) else None,
        )

    def in_use(self) -> dict[str, str]:
        """Return the filters that are set."""
        return {entry.name: value for entry in fields(self) if (value := getattr(self, entry.name)) is not None}

    def values(self, n_rows: int) -> dict[str, Any]:
        """Return the parameters of queries."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)} | {"n_rows": n_rows}


def address(path: str, filters: PageFilters | None = None, **changes: str | None) -> str:
    """Return the address of a page with these filters.

    >>> address("/raters", PageFilters(question="tone & style"), rater="ann")
    '/raters?question=tone+%26+style&rater=ann'
    """
    values = replace(filters or PageFilters(), **changes).in_use()
    return f"{path}?{urlencode(values)}" if values else path


def of_all_items(filters: PageFilters) -> list[str]:
    """Return the sentence of a section whose figures are those of all items, though the page is about a slice."""
    return [] if filters.slice is None else [f"Of all items, not only of those with {shortened(filters.slice, 60)}."]


def _is_day(text: str | None) -> bool:
    try:
        date.fromisoformat(text or "")
    except ValueError:
        return False
    return True


def link(path: str, words: Markup | str, filters: PageFilters | None = None, **changes: str | None) -> Markup:
    """Return a link to a page with filters."""
    return Markup('<a href="{}">{}</a>').format(address(path, filters, **changes), words)


def name_link(path: str, name: object, filters: PageFilters | None = None, **changes: str | None) -> Markup:
    """Return a link that shows a name from the data."""
    if name is None or name == "":
        return foreign(None)
    return link(path, foreign(name, 80), filters, **changes)
