"""The tables of the simulation page."""

from collections.abc import Sequence

import polars as pl

from flows.simulation import simulation_charts
from flows.simulation.closeness import NEAR, per_study
from flows.simulation.study import Study
from tasks.report.formatting import MARK, count, method_name, number, percent
from tasks.report.html_table import GRAPHIC, HtmlTable, numbers, texts


def methods_table(total: pl.DataFrame, with_intervals: bool) -> HtmlTable:
    """Return the table of methods over all studies, from `overall`, with a bar for each rmse."""
    graphics = simulation_charts.bars(dict(zip(total["method"], total["rmse"], strict=True)))
    titles = ["Off by (rmse)", "Of lehner's", "Bias", f"Within {NEAR:g}", "Off by, run's items", "No estimate"]
    titles += ["Coverage", "Width"] if with_intervals else []
    columns = (*texts("Method"), *numbers(titles[0]), GRAPHIC, *numbers(*titles[1:]))
    rows = [
        (
            method_name(row["method"]),
            number(row["rmse"]),
            graphics[row["method"]],
            number(row["ratio_to_lehner"], 2),
            number(row["bias"]),
            percent(row["within_0_1"]),
            number(row["rmse_in_sample"]),
            count(row["n_undefined"]),
            *((percent(row["coverage"]), number(row["mean_width"])) if with_intervals else ()),
        )
        for row in total.iter_rows(named=True)
    ]
    return HtmlTable(columns, rows)


def per_study_table(frame: pl.DataFrame, studies: Sequence[Study], methods: Sequence[str]) -> HtmlTable:
    """Return the table of studies with their kappas and the rmse of each method."""
    columns = (*texts("Study"), *numbers("Kappa", "Printed", *methods))
    rows = [
        (row["study"], number(row["kappa"]), number(row["printed_kappa"]), *(number(row[name]) for name in methods))
        for row in per_study(frame, studies)
    ]
    return HtmlTable(
        columns, rows, note="Off by (root mean square, expected accuracy), over the systems of each setting."
    )


def closeness_table(rows: pl.DataFrame, studies: Sequence[Study], with_intervals: bool) -> HtmlTable:
    """Return the table of all rows of `closeness`."""
    names = {study.figure: study.name for study in studies}
    titles = ["Expected", "Mean estimate", "Bias", "Off by", f"Within {NEAR:g}", "On the items", "Bias", "Off by"]
    titles += ["No estimate", *(["Coverage", "Width"] if with_intervals else [])]
    cells = [
        (
            names[row["figure"]],
            row["method"],
            *(number(row[name]) for name in ("expected_accuracy", "mean_estimate", "bias", "rmse")),
            percent(row["within_0_1"]),
            *(number(row[name]) for name in ("in_sample_accuracy", "bias_in_sample", "rmse_in_sample")),
            count(row["n_undefined"]),
            *((percent(row["coverage"]), number(row["mean_width"])) if with_intervals else ()),
        )
        for row in rows.iter_rows(named=True)
    ]
    note = f"{MARK}: no run gave an estimate. The raters agreed no better than chance, or the method needs"
    note += " labels in an order."
    return HtmlTable(
        (*texts("Study", "Method"), *numbers(*titles)), cells, note=note if rows["n_undefined"].sum() else ""
    )
