"""Show which share of a question's items has each label, by each system and corrected."""

from collections.abc import Sequence

import polars as pl

from tasks.report.formatting import confidence, count, counted, day, foreign, percent, percent_interval
from tasks.report.html_table import (
    Column,
    HtmlTable,
    graphic_column,
    number_column,
    range_column,
    table_of,
    text_column,
)
from tasks.report.report_data import Row
from tasks.report.sections.agreement_section import graphic
from tasks.summary.finite import finite

_CORRECTED = {"ppi": "corrected with gold", "model": "by the raters, without gold"}
_IN_WINDOWS = {"rogan_gladen": "corrected with gold", "model": _CORRECTED["model"]}
_MAX_ROWS, _MAX_WEEKS = 40, 8


def rates_table(rates: pl.DataFrame) -> HtmlTable | None:
    """List the corrected label rates beside the uncorrected ones of each system. None without rates."""
    rows = rates.filter(pl.col("scope").fill_null("all") == "all").to_dicts()
    raw = {(row["system"], row["label"]): row["estimate"] for row in rows if row["method"] == "raw"}
    main = [row for row in rows if row["method"] in _CORRECTED]
    main.sort(key=lambda row: (str(row["system"]), -(finite(row["estimate"]) or 0.0), str(row["label"])))
    columns = (
        text_column("System", lambda row: foreign(row["system"], 80)),
        text_column("Label", lambda row: foreign(row["label"], 80)),
        number_column("Share of the items", lambda row: percent(row["estimate"])),
        graphic_column(lambda row: graphic(row, 0.0)),
        *_interval_columns(main, confidence(row["confidence"] for row in main)),
        text_column("How", lambda row: _CORRECTED[row["method"]]),
        number_column("The system says", lambda row: percent(raw.get((row["system"], row["label"])))),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Gold", lambda row: count(row["n_gold"])),
    )
    note = f"The first {_MAX_ROWS} of {counted(len(main), 'row')}." if len(main) > _MAX_ROWS else ""
    return table_of(columns, main[:_MAX_ROWS], note)


def weekly_rates_table(windows: pl.DataFrame) -> HtmlTable | None:
    """List the corrected label rates of the last weeks; None with fewer than two weeks that have one.

    `windows` has the rows of label_rate_trend. Weeks with too few items are left out.
    """
    if windows.is_empty():
        return None
    rows = windows.filter(pl.col("period") == "week", ~pl.col("too_few").fill_null(value=False)).to_dicts()
    raw = {_place(row): row["estimate"] for row in rows if row["method"] == "raw"}
    main = [row for row in rows if row["method"] in _IN_WINDOWS and finite(row["estimate"]) is not None]
    weeks = sorted({row["period_start"] for row in main})[-_MAX_WEEKS:]
    if len(weeks) < 2:
        return None
    main = [row for row in main if row["period_start"] in weeks]
    main.sort(key=lambda row: (str(row["system"]), str(row["label"]), row["period_start"]))
    columns = (
        text_column("System", lambda row: foreign(row["system"], 80)),
        text_column("Label", lambda row: foreign(row["label"], 80)),
        text_column("Week from", lambda row: day(row["period_start"])),
        number_column("Share of the items", lambda row: percent(row["estimate"])),
        *_interval_columns(main, "Interval"),
        text_column("How", lambda row: _IN_WINDOWS[row["method"]]),
        number_column("The system says", lambda row: percent(raw.get(_place(row)))),
        number_column("Items", lambda row: count(row["n_items"])),
    )
    note = f"The first {_MAX_ROWS} of {counted(len(main), 'row')}." if len(main) > _MAX_ROWS else ""
    return table_of(columns, main[:_MAX_ROWS], note)


def _interval_columns(rows: Sequence[Row], title: str) -> list[Column]:
    """Return the column of the interval, or the columns of both where rows have an outer one."""
    if all(row.get("outer_low") is None for row in rows):
        return [range_column(title, lambda row: percent_interval(row["low"], row["high"]))]
    return [
        range_column("Outer interval", lambda row: percent_interval(row.get("outer_low"), row.get("outer_high"))),
        range_column("Inner interval", lambda row: percent_interval(row["low"], row["high"])),
    ]


def _place(row: Row) -> tuple[object, ...]:
    return row["system"], row["label"], row["period_start"]
