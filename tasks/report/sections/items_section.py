"""List the items of one question that need another look."""

import polars as pl

from tasks.report.formatting import count, counted, foreign, number, percent
from tasks.report.html_table import HtmlTable, cells_of, number_column, text_column

_MAX_ITEMS_LISTED = 20
_MAX_TEXT_SHOWN = 120  # characters of an item's text
EXPECTED_GAIN = (
    "Expected gain: bits of doubt about the right label that one more rating by an average rater is expected to remove,"
    " if it counts in full. The default consensus counts ratings for less, so use it for the order."
)
_ENTROPY = "Entropy: doubt about the right label, in bits."


def items_table(queue: pl.DataFrame) -> HtmlTable | None:
    """List the items whose next rating is worth most, with their text if they have one."""
    falling = queue.sort("expected_gain", "entropy", "item", descending=[True, True, False], nulls_last=True)
    rows = falling.head(_MAX_ITEMS_LISTED).to_dicts()
    has_text = any(row["item_text"] for row in rows)
    columns = (
        text_column("Item", lambda row: foreign(row["item"])),
        *([text_column("Text", lambda row: foreign(row["item_text"], _MAX_TEXT_SHOWN))] if has_text else []),
        text_column("Most probable label", lambda row: foreign(row["label"])),
        number_column("Its probability", lambda row: percent(row["probability"])),
        number_column("Expected gain, bits", lambda row: number(row["expected_gain"])),
        number_column("Entropy, bits", lambda row: number(row["entropy"])),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
    )
    n_items = max(row["n_doubtful"] or queue.height for row in rows) if rows else 0
    note = f"The first {_MAX_ITEMS_LISTED} of {counted(n_items, 'item')}." if n_items > _MAX_ITEMS_LISTED else ""
    aside = ("Expected gain and entropy", f"{EXPECTED_GAIN} {_ENTROPY}")
    return HtmlTable(columns, cells_of(columns, rows), note, aside=aside) if rows else None
