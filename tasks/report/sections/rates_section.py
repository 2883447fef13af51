"""Show which share of a question's items has each label, by each system and corrected."""

import polars as pl

from tasks.report.formatting import confidence, count, counted, day, foreign, percent, percent_interval
from tasks.report.html_table import GRAPHIC, HtmlTable, numbers, ranges, texts
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
    sure = confidence(row["confidence"] for row in main)
    outer = any(row.get("outer_low") is not None for row in main)
    columns = (
        *texts("System", "Label"),
        *numbers("Share of the items"),
        GRAPHIC,
        *(ranges("Outer interval", "Inner interval") if outer else ranges(sure)),
        *texts("How"),
        *numbers("The system says", "Items", "Gold"),
    )
    cells = [
        (
            foreign(row["system"], 80),
            foreign(row["label"], 80),
            percent(row["estimate"]),
            graphic(row, 0.0),
            *([percent_interval(row.get("outer_low"), row.get("outer_high"))] if outer else []),
            percent_interval(row["low"], row["high"]),
            _CORRECTED[row["method"]],
            percent(raw.get((row["system"], row["label"]))),
            count(row["n_items"]),
            count(row["n_gold"]),
        )
        for row in main[:_MAX_ROWS]
    ]
    note = f"The first {_MAX_ROWS} of {counted(len(main), 'row')}." if len(main) > _MAX_ROWS else ""
    return HtmlTable(columns, cells, note) if cells else None


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
    outer = any(row["outer_low"] is not None for row in main)
    columns = (
        *texts("System", "Label", "Week from"),
        *numbers("Share of the items"),
        *(ranges("Outer interval", "Inner interval") if outer else ranges("Interval")),
        *texts("How"),
        *numbers("The system says", "Items"),
    )
    cells = [
        (
            foreign(row["system"], 80),
            foreign(row["label"], 80),
            day(row["period_start"]),
            percent(row["estimate"]),
            *([percent_interval(row["outer_low"], row["outer_high"])] if outer else []),
            percent_interval(row["low"], row["high"]),
            _IN_WINDOWS[row["method"]],
            percent(raw.get(_place(row))),
            count(row["n_items"]),
        )
        for row in main[:_MAX_ROWS]
    ]
    note = f"The first {_MAX_ROWS} of {counted(len(main), 'row')}." if len(main) > _MAX_ROWS else ""
    return HtmlTable(columns, cells, note)


def _place(row: Row) -> tuple[object, ...]:
    return row["system"], row["label"], row["period_start"]
