"""Compare systems with each other and with the annotators, and show the checks of the assumptions."""

import polars as pl
from markupsafe import Markup

from tasks.report.formatting import confidence, count, foreign, humanised, interval, number, p_value, percent, undefined
from tasks.report.html_table import GRAPHIC, HtmlTable, numbers, ranges, texts
from tasks.report.report_data import Row
from tasks.report.svg import whisker
from tasks.summary.finite import finite

_MAX_LISTED = 60
STANDARDS = {"average_rater": "the average annotator", "best_rater": "the best annotator"}
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
        *texts("First", "Second"),
        *numbers("First's accuracy", "Second's accuracy", "Difference"),
        GRAPHIC,
        *ranges(confidence(rows["confidence"])),
        *numbers("First is better", "Items"),
    )
    cells = [
        (
            _versioned(row, "a"),
            _versioned(row, "b"),
            number(row["accuracy_a"]),
            number(row["accuracy_b"]),
            number(row["difference"]),
            _graphic(row),
            interval(row["low"], row["high"]),
            percent(row["p_a_better"]),
            count(row["n_items"]),
        )
        for row in rows.to_dicts()[:_MAX_LISTED]
    ]
    return HtmlTable(columns, cells) if cells else None


def against_table(rows: pl.DataFrame) -> HtmlTable | None:
    """List each system beside the average and the best annotator."""
    columns = (
        *texts("System", "Compared with"),
        *numbers("System's accuracy", "Annotator's accuracy", "Difference"),
        GRAPHIC,
        *ranges(confidence(rows["confidence"])),
        *numbers("System is better"),
    )
    cells = [
        (
            foreign(row["system"], 80),
            _standard(row),
            number(row["accuracy"]),
            number(row["rater_accuracy"]),
            number(row["difference"]),
            _graphic(row),
            interval(row["low"], row["high"]),
            percent(row["p_system_better"]),
        )
        for row in rows.to_dicts()[:_MAX_LISTED]
    ]
    return HtmlTable(columns, cells) if cells else None


def checks_table(rows: pl.DataFrame) -> HtmlTable | None:
    """List the assumptions and the findings. Checks that do not apply are left out."""
    columns = (*texts("Assumed", "Of"), *numbers("Effect", "p"), *texts("Found"))
    cells = [
        (
            PROPERTIES.get(str(row["name"]), humanised(row["name"])),
            _whom(row),
            number(row["effect"]),
            p_value(row["p_value"] if row["p_adjusted"] is None else row["p_adjusted"]),
            "nothing against it" if row["violated"] is False else foreign(row["detail"], 400),
        )
        for row in rows.to_dicts()[:_MAX_LISTED]
        if row["reason"] != "not_applicable"
    ]
    note = (
        "The checks use these ratings. An effect of 0 means no violation. If p is below .05 and the effect matters, a"
        " warning says so."
    )
    return HtmlTable(columns, cells, note) if cells else None


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
