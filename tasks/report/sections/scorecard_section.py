"""Show how each annotator of a question compares with the others on the same items."""

import polars as pl
from markupsafe import Markup

from tasks.report.folded_rows import fold_annotators
from tasks.report.formatting import confidence, count, counted, foreign, interval, number, undefined
from tasks.report.html_table import GRAPHIC, Cell, HtmlTable, numbers, ranges, texts
from tasks.report.report_data import Row
from tasks.report.svg import whisker
from tasks.summary.finite import finite

_MAX_ROWS = 40
_STATES = {
    "reference_of_question": "charted",
    "own_reference": "charted, joined later",
    "compared_with_others": "not charted yet",
}


def scorecard_table(cards: pl.DataFrame, limit: int = _MAX_ROWS) -> HtmlTable | None:
    """List up to `limit` annotators. Those who agree least with the others come first. None without annotators."""
    rows = cards.to_dicts()
    rows.sort(key=lambda row: (finite(row["agreement"]) is None, finite(row["agreement"]) or 0.0, str(row["rater"])))
    columns = (
        *texts("Annotator"),
        *numbers("Agrees with the others"),
        GRAPHIC,
        *ranges(confidence(row["confidence"] for row in rows)),
        *numbers("On gold", "Severity", "Seconds", "Edits", "Skips", "Items"),
        *texts("Drift"),
    )
    annotators = fold_annotators(rows, "agreement", "agreement_high", limit=limit)
    shown, folded = ([_cells(row) for row in part] for part in (annotators.shown, annotators.folded))
    return HtmlTable(columns, shown, annotators.note, folded, annotators.title) if shown else None


def _cells(row: Row) -> tuple[Cell, ...]:
    defined = finite(row["agreement"]) is not None
    drift = (
        counted(row["n_open_alerts"] or 0, "open alert") if row["n_open_alerts"] else _STATES.get(row["chart_state"])
    )
    return (
        foreign(row["rater"], 80),
        number(row["agreement"]),
        whisker(row["agreement"], row["agreement_low"], row["agreement_high"])
        if defined
        else undefined(row["agreement_reason"]),
        interval(row["agreement_low"], row["agreement_high"]),
        _with_interval(row, "gold_accuracy", "gold"),
        _with_interval(row, "severity", "severity"),
        number(row["median_s"], 1),
        count(row["n_edits"]),
        count(row["n_skipped"]),
        count(row["n_items"]),
        drift or "",
    )


def _with_interval(row: Row, figure: str, stem: str) -> Cell:
    if finite(row[figure]) is None:
        return number(None)
    limits = interval(row[f"{stem}_low"], row[f"{stem}_high"])
    return Markup("{}<br><span class='quiet'>{}</span>").format(number(row[figure], 2), limits)
