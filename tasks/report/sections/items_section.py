"""List the items of one question that need another look."""

import polars as pl

from tasks.report.formatting import count, counted, foreign, number, percent
from tasks.report.html_table import HtmlTable, numbers, texts

_MAX_ITEMS_LISTED = 20
_MAX_TEXT_SHOWN = 120  # characters of an item's text


def items_table(queue: pl.DataFrame) -> HtmlTable | None:
    """List the items whose next rating is worth most, with their text if they have one."""
    falling = queue.sort("expected_gain", "entropy", "item", descending=[True, True, False], nulls_last=True)
    rows = falling.head(_MAX_ITEMS_LISTED).to_dicts()
    has_text = any(row["item_text"] for row in rows)
    figures = numbers("Its probability", "Expected gain, bits", "Entropy, bits", "Ratings")
    columns = (*texts("Item", *(["Text"] if has_text else []), "Most probable label"), *figures)
    cells = [
        (
            foreign(row["item"]),
            *([foreign(row["item_text"], _MAX_TEXT_SHOWN)] if has_text else []),
            foreign(row["label"]),
            percent(row["probability"]),
            number(row["expected_gain"]),
            number(row["entropy"]),
            count(row["n_ratings"]),
        )
        for row in rows
    ]
    n_items = max(row["n_doubtful"] or queue.height for row in rows) if rows else 0
    note = f"The first {_MAX_ITEMS_LISTED} of {counted(n_items, 'item')}." if n_items > _MAX_ITEMS_LISTED else ""
    return HtmlTable(columns, cells, note) if cells else None
