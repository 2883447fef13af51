"""Show how each annotator of a question compares with the others on the same items."""

from collections.abc import Sequence

import polars as pl
from markupsafe import Markup

from tasks.report.folded_rows import fold_annotators
from tasks.report.formatting import confidence, count, counted, foreign, interval, number, shortened, undefined
from tasks.report.html_table import Cell, HtmlTable, graphic_column, number_column, range_column, text_column
from tasks.report.report_data import Row
from tasks.report.svg import whisker
from tasks.summary.finite import finite

_MAX_ROWS = 40
_MAX_REASONS = 3
_STATES = {
    "reference_of_question": "charted",
    "own_reference": "charted by own first items",
    "compared_with_others": "not charted yet",
}


def scorecard_table(cards: pl.DataFrame, limit: int = _MAX_ROWS) -> HtmlTable | None:
    """List up to `limit` annotators. Those who agree least with the others come first. None without annotators."""
    rows = cards.to_dicts()
    rows.sort(key=lambda row: (finite(row["agreement"]) is None, finite(row["agreement"]) or 0.0, str(row["rater"])))
    columns = (
        text_column("Annotator", lambda row: foreign(row["rater"], 80)),
        number_column("Agrees with the others", lambda row: number(row["agreement"])),
        graphic_column(agreement_graphic),
        range_column(
            confidence(row["confidence"] for row in rows),
            lambda row: interval(row["agreement_low"], row["agreement_high"]),
        ),
        number_column("On gold", lambda row: _with_interval(row, "gold_accuracy", "gold")),
        number_column("Severity", lambda row: _with_interval(row, "severity", "severity")),
        number_column("Seconds", lambda row: number(row["median_s"], 1)),
        number_column("Edits", lambda row: count(row["n_edits"])),
        number_column("Skips", lambda row: count(row["n_skipped"])),
        number_column("Items", lambda row: count(row["n_items"])),
        text_column("Drift", _drift),
    )
    annotators = fold_annotators(rows, "agreement", "agreement_high", limit=limit)
    return annotators.table(columns, uncharted_note(annotators.shown))


def agreement_graphic(row: Row) -> Markup:
    """Draw how far an annotator agrees with the others, or say why that is unknown."""
    if finite(row["agreement"]) is None:
        return undefined(row["agreement_reason"])
    return whisker(row["agreement"], row["agreement_low"], row["agreement_high"])


def uncharted_note(rows: Sequence[Row]) -> str:
    """Say why annotators have no chart, where the reason is theirs alone."""
    # A snapshot that an older version published has no chart_detail.
    reasons = [f"{shortened(row['rater'], 40)}: {row['chart_detail']}" for row in rows if row.get("chart_detail")]
    more = f" {len(reasons) - _MAX_REASONS} more: table missing_charts." if len(reasons) > _MAX_REASONS else ""
    return f"No chart for {' '.join(reasons[:_MAX_REASONS])}{more}" if reasons else ""


def _drift(row: Row) -> str:
    if row["n_open_alerts"]:
        return counted(row["n_open_alerts"], "open alert")
    return _STATES.get(row["chart_state"], "")


def _with_interval(row: Row, figure: str, stem: str) -> Cell:
    if finite(row[figure]) is None:
        return number(None)
    limits = interval(row[f"{stem}_low"], row[f"{stem}_high"])
    return Markup("{}<br><span class='quiet'>{}</span>").format(number(row[figure], 2), limits)
