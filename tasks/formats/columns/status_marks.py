"""Warn about rows that a table marks as rejected, skipped or tainted. They still count as ratings."""

from collections.abc import Sequence

import polars as pl

from tasks.counted_words import counted
from tasks.formats.columns.header_words import tokens
from tasks.formats.parsing.cells import tidy

MARKS = {
    "status": ("rejected", "skipped", "expired", "discarded", "cancelled", "draft"),
    "state": ("rejected", "skipped", "expired", "discarded", "cancelled", "draft"),
    "rejected": ("true", "1", "yes"),
    "tainted": ("true", "1", "yes"),
    "skipped": ("true", "1", "yes"),
    "discarded": ("true", "1", "yes"),
    "cancelled": ("true", "1", "yes"),
}
"""The last word of a header, and the values that speak against the row."""


def marked_rows(frame: pl.DataFrame, headers: Sequence[str], places: Sequence[int], label: int) -> list[str]:
    """Return a sentence for each column that marks rows with a label."""
    warnings = []
    for i in places:
        values = MARKS.get((tokens(headers[i]) or [""])[-1], ())
        if not values:
            continue
        labelled = frame.filter(tidy(pl.col(f"c{label}")).is_not_null()).select(pl.col(f"c{i}").str.strip_chars())
        marked = labelled.to_series().filter(labelled.to_series().str.to_lowercase().is_in(values))
        if len(marked):
            warnings.append(
                f"Column {headers[i]!r} is {' or '.join(marked.unique().sort())} in {counted(len(marked), 'row')} with"
                " a label, counted as ratings. Take such rows out of the file if they should not count."
            )
    return warnings
