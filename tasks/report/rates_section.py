"""Show which share of a question's items has each label, by each system and corrected."""

import polars as pl
from markupsafe import Markup

from tasks.report.formatting import confidence, count, counted, finite, foreign, interval, percent, undefined
from tasks.report.html_table import GRAPHIC, HtmlTable, numbers, ranges, texts
from tasks.report.report_data import Row
from tasks.report.svg import whisker

_CORRECTED = {"ppi": "corrected with gold", "model": "by the raters, without gold"}
_MAX_ROWS = 40


def rates_table(rates: pl.DataFrame) -> HtmlTable | None:
    """List the corrected label rates beside what each system says; None without any."""
    rows = rates.filter(pl.col("scope").fill_null("all") == "all").to_dicts()
    raw = {(row["system"], row["label"]): row["estimate"] for row in rows if row["method"] == "raw"}
    main = [row for row in rows if row["method"] in _CORRECTED]
    main.sort(key=lambda row: (str(row["system"]), -(finite(row["estimate"]) or 0.0), str(row["label"])))
    columns = (
        *texts("System", "Label"),
        *numbers("Share of the items"),
        GRAPHIC,
        *ranges(confidence(row["confidence"] for row in main)),
        *texts("How"),
        *numbers("The system says", "Items", "Gold"),
    )
    cells = [
        (
            foreign(row["system"], 80),
            foreign(row["label"], 80),
            percent(row["estimate"]),
            _graphic(row),
            interval(row["low"], row["high"]),
            _CORRECTED[row["method"]],
            percent(raw.get((row["system"], row["label"]))),
            count(row["n_items"]),
            count(row["n_gold"]),
        )
        for row in main[:_MAX_ROWS]
    ]
    note = f"The first {_MAX_ROWS} of {counted(len(main), 'row')}." if len(main) > _MAX_ROWS else ""
    return HtmlTable(columns, cells, note) if cells else None


def _graphic(row: Row) -> Markup:
    if finite(row["estimate"]) is None:
        return undefined(row["reason"], row["detail"])
    return whisker(row["estimate"], row["low"], row["high"])
