"""Compare systems with each other and with the annotators, and show the checks of the assumptions."""

import polars as pl
from markupsafe import Markup

from tasks.report.formatting import (
    confidence,
    count,
    foreign,
    humanised,
    interval,
    number,
    p_value,
    probability,
    undefined,
)
from tasks.report.html_table import HtmlTable, graphic_column, number_column, range_column, table_of, text_column
from tasks.report.report_data import Row
from tasks.report.svg import whisker
from tasks.summary.check_verdict import check_verdict
from tasks.summary.finite import finite

_MAX_LISTED = 60
STANDARDS = {"average_rater": "the average annotator", "best_rater": "the best annotator"}
ON_COMMON_ITEMS = (
    "Two systems are compared on the items that both answered. Over all items that it answered, the accuracy of a"
    " system may differ."
)
PROPERTIES = {
    "pairs": "errors fall evenly on the labels",
    "adjacent": "near misses are no likelier than far ones",
    "raters": "annotators are equally accurate",
    "difficulty": "items are equally difficult",
    "copying": "no system copies an annotator",
    "alike": "no two annotators make the same errors",
}


def differences_table(rows: pl.DataFrame) -> HtmlTable | None:
    """List each pair of systems, or of versions of one, on the items that both answered."""
    columns = (
        text_column("First", lambda row: _versioned(row, "a")),
        text_column("Second", lambda row: _versioned(row, "b")),
        number_column("First's accuracy", lambda row: number(row["accuracy_a"])),
        number_column("Second's accuracy", lambda row: number(row["accuracy_b"])),
        number_column("Difference", lambda row: number(row["difference"])),
        graphic_column(_graphic),
        range_column(confidence(rows["confidence"]), lambda row: interval(row["low"], row["high"])),
        number_column("First is better", lambda row: probability(row["p_a_better"])),
        number_column("Items", lambda row: count(row["n_items"])),
    )
    return table_of(columns, rows.to_dicts()[:_MAX_LISTED], ON_COMMON_ITEMS)


def against_table(rows: pl.DataFrame) -> HtmlTable | None:
    """List each system beside the average and the best annotator."""
    columns = (
        text_column("System", lambda row: foreign(row["system"], 80)),
        text_column("Compared with", _standard),
        number_column("System's accuracy", lambda row: number(row["accuracy"])),
        number_column("Annotator's accuracy", lambda row: number(row["rater_accuracy"])),
        number_column("Difference", lambda row: number(row["difference"])),
        graphic_column(_graphic),
        range_column(confidence(rows["confidence"]), lambda row: interval(row["low"], row["high"])),
        number_column("System is better", lambda row: probability(row["p_system_better"])),
    )
    return table_of(columns, rows.to_dicts()[:_MAX_LISTED])


def checks_table(rows: pl.DataFrame) -> HtmlTable | None:
    """List the assumptions and the findings. Checks that do not apply are left out."""
    columns = (
        text_column("Assumed", lambda row: PROPERTIES.get(str(row["name"]), humanised(row["name"]))),
        text_column("Of", _whom),
        number_column("Effect", lambda row: number(row["effect"])),
        number_column("p", lambda row: p_value(row["p_value"] if row["p_adjusted"] is None else row["p_adjusted"])),
        text_column(
            "Found", lambda row: check_verdict(row) if row["violated"] is False else foreign(row["detail"], 400)
        ),
    )
    note = (
        "The checks use these ratings. An effect of 0 means no violation. If p is below .05 and the effect matters, a"
        " warning says so."
    )
    applicable = [row for row in rows.to_dicts()[:_MAX_LISTED] if row["reason"] != "not_applicable"]
    return table_of(columns, applicable, note)


def _graphic(row: Row) -> Markup:
    if finite(row["difference"]) is None:
        return undefined(row["reason"], row["detail"])
    return whisker(row["difference"], row["low"], row["high"], start=-1.0)


def _versioned(row: Row, side: str) -> Markup:
    version = row[f"version_{side}"]
    return foreign(f"{row[f'system_{side}']} {version}" if version else row[f"system_{side}"], 80)


def _standard(row: Row) -> Markup:
    name = Markup(STANDARDS.get(str(row["compared_with"]), foreign(row["compared_with"], 40)))
    return Markup("{}, {}").format(name, foreign(row["rater"], 60)) if row["rater"] else name


def _whom(row: Row) -> Markup:
    return Markup(", ").join(foreign(row[key], 60) for key in ("system", "rater", "other") if row[key] is not None)
