"""Draw how far the annotators agree on single items: alike on all, or on most and not at all on some."""

from collections.abc import Sequence

import polars as pl
from markupsafe import Markup

from tasks.report.charts import Bar, histogram
from tasks.report.formatting import counted, percent
from tasks.report.report_data import Row

NOTE = "Share of the pairs of an item's ratings that are the same. Items on which all agree are in the last bar."
_TITLE = "share of pairs that agree"


def item_histogram(rows: pl.DataFrame) -> Markup:
    """Draw the items of a question by agreement; rows as of the macro `item_agreement`. Empty without items."""
    bars = [_bar(row) for row in rows.sort("agreement_low").to_dicts()]
    return histogram(bars, title=_TITLE, label=_label(bars)) if bars else Markup()


def _bar(row: Row) -> Bar:
    low, high, n_items = row["agreement_low"], row["agreement_high"], int(row["n_items"])
    tip = f"{counted(n_items, 'item')}, {percent(row['share'])}, agreement from {low:.1f} to {high:.1f}"
    return Bar(low, high, n_items, tip)


def _label(bars: Sequence[Bar]) -> str:
    n_items = sum(bar.n_items for bar in bars)
    alike = sum(bar.n_items for bar in bars if bar.low >= 0.9 - 1e-9)
    return f"Items by agreement: {counted(n_items, 'item')}, {alike:,} of them from 90 % on"
