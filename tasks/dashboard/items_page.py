"""Build the page of the items that need another look."""

import polars as pl
from markupsafe import Markup

from tasks.dashboard.page_filters import name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.report.formatting import count, counted, foreign, number, percent, shortened
from tasks.report.html_table import HtmlTable, number_column, table_of, text_column
from tasks.report.sections.items_section import EXPECTED_GAIN

_MAX_ITEMS = 25
_MAX_TEXT = 300  # characters of an item's text
_LONG = Markup('<span class="long">{}</span>')  # so that a row is not tall on a narrow screen


def items_page(page: PageReading) -> LivePage:
    """List the items about whose label there is doubt, with their texts and who gave which label."""
    filters = page.filters
    items = page.rows("items", _MAX_ITEMS)
    subject = filters.rater or filters.system
    lead = "Those first whose next rating removes most doubt. Items whose label is certain are left out."
    if subject:
        lead = f"Items to which {shortened(subject, 60)} gave another label than the most probable one. " + lead
    if filters.since:
        lead += f" Only items rated since {filters.since}."
    section = PageSection(
        "Items to look at",
        ("items",),
        table=_table(items),
        empty="There is doubt about no item that matches. Items of datasets are not stored, so they are not listed.",
    )
    names = ("question", "rater", "system", "slice", "batch", "since")
    return LivePage("Items to look at", filters, names, [section], lead=lead)


def _table(items: pl.DataFrame) -> HtmlTable | None:
    rows = items.to_dicts()
    columns = (
        text_column("Item", lambda row: foreign(row["item"], 60)),
        text_column(
            "Text", lambda row: foreign(row["item_text"], _MAX_TEXT) if row["item_text"] else "no text came with it"
        ),
        text_column("Most probable label", lambda row: foreign(row["label"], 60)),
        number_column("Its probability", lambda row: percent(row["probability"])),
        number_column("Expected gain, bits", lambda row: number(row["expected_gain"])),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
        text_column("Labels given", lambda row: _LONG.format(foreign(row["labels_given"], 300))),
        text_column("Question", lambda row: name_link("/question", row["question"], question=row["question"])),
    )
    n_items = rows[0]["n_doubtful"] if rows else 0
    first = f"The first {len(rows)} of {counted(n_items, 'item')}. " if n_items > len(rows) else ""
    return table_of(columns, rows, first + EXPECTED_GAIN)
