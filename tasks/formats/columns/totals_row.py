"""Leave out a row of totals at the end of a sheet: it is no item, and its numbers are no labels."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from tasks.formats.parsing.cells import tidy
from tasks.formats.parsing.reject_rows import Reject
from tasks.formats.parsing.text_table import TextTable

TOTALS = {
    *("total", "totals", "grand total", "subtotal", "sum", "count", "average", "mean", "median", "std", "stdev", "min"),
    *("max", "summe", "gesamt", "mittelwert", "moyenne", "somme", "suma", "promedio", "agreement", "kappa"),
}
DETAIL = "The row seems to hold totals: its numbers are in no other row. If it is an item, give it another name."


def without_totals(table: TextTable, item: int, raters: Sequence[int]) -> TextTable:
    """Return the table with its last rows as rejects where they are named as totals and hold numbers that no other row
    holds.
    """
    names = table.frame[f"c{item}"].str.strip_chars().str.to_lowercase().str.strip_chars_end(":")
    n_totals = next((i for i, name in enumerate(reversed(names.to_list())) if name not in TOTALS), 0)
    if not n_totals:
        return table
    places = [f"c{i}" for i in raters]
    cells = table.frame.select("row_number", *(tidy(pl.col(place)) for place in places))
    rows, last = cells.head(cells.height - n_totals), cells.tail(n_totals)
    used = {value for place in places for value in rows[place].unique()}
    rejects = [
        Reject(row, table.headers[item], table.frame[f"c{item}"][cells.height - n_totals + n], "bad_record", DETAIL)
        for n, (row, *values) in enumerate(last.rows())
        if _are_new_numbers(values, used)
    ]
    numbers = [reject.row_number for reject in rejects]
    frame = table.frame.filter(~pl.col("row_number").is_in(numbers))
    notes = [f"Row {reject.row_number} ({reject.value!r}) seems to hold totals, and is rejected." for reject in rejects]
    return replace(table, frame=frame, rejects=(*table.rejects, *rejects), warnings=(*table.warnings, *notes))


def _are_new_numbers(values: Sequence[str | None], used: set[str | None]) -> bool:
    filled = [value for value in values if value is not None]
    numbers = pl.Series(filled, dtype=pl.String).str.strip_chars_end("%").cast(pl.Float64, strict=False)
    return bool(filled) and not numbers.null_count() and not used & {*filled}
