"""Make links for the cells of tables."""

from markupsafe import Markup

from tasks.dashboard.page_filters import PageFilters, address
from tasks.report.formatting import foreign


def link(path: str, words: Markup | str, filters: PageFilters | None = None, **changes: str | None) -> Markup:
    """Return a link to a page with filters."""
    return Markup('<a href="{}">{}</a>').format(address(path, filters, **changes), words)


def name_link(path: str, name: object, filters: PageFilters | None = None, **changes: str | None) -> Markup:
    """Return a link that shows a name from the data."""
    if name is None or name == "":
        return foreign(None)
    return link(path, foreign(name, 80), filters, **changes)
