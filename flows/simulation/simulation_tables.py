"""The tables of the simulation page."""

from collections.abc import Sequence

import polars as pl

from flows.simulation import simulation_charts
from flows.simulation.closeness import NEAR, per_study
from flows.simulation.study import Study
from tasks.report.formatting import MARK, count, method_name, number, percent
from tasks.report.html_table import Column, HtmlTable, cells_of, graphic_column, number_column, text_column


def methods_table(total: pl.DataFrame, with_intervals: bool) -> HtmlTable:
    """Return the table of methods over all studies, from `overall`, with a bar for each rmse."""
    graphics = simulation_charts.bars(dict(zip(total["method"], total["rmse"], strict=True)))
    columns = (
        text_column("Method", lambda row: method_name(row["method"])),
        number_column("Off by (rmse)", lambda row: number(row["rmse"])),
        graphic_column(lambda row: graphics[row["method"]]),
        number_column("Of lehner's", lambda row: number(row["ratio_to_lehner"], 2)),
        number_column("Bias", lambda row: number(row["bias"])),
        number_column(f"Within {NEAR:g}", lambda row: percent(row["within_0_1"])),
        number_column("Off by, run's items", lambda row: number(row["rmse_in_sample"])),
        number_column("No estimate", lambda row: count(row["n_undefined"])),
        *(_INTERVALS if with_intervals else ()),
    )
    return HtmlTable(columns, cells_of(columns, total.iter_rows(named=True)))


def per_study_table(frame: pl.DataFrame, studies: Sequence[Study], methods: Sequence[str]) -> HtmlTable:
    """Return the table of studies with their kappas and the rmse of each method."""
    columns = (
        text_column("Study", lambda row: row["study"]),
        _figure("Kappa", "kappa"),
        _figure("Printed", "printed_kappa"),
        *(_figure(name, name) for name in methods),
    )
    note = "Off by (root mean square, expected accuracy), over the systems of each setting."
    return HtmlTable(columns, cells_of(columns, per_study(frame, studies)), note)


def closeness_table(rows: pl.DataFrame, studies: Sequence[Study], with_intervals: bool) -> HtmlTable:
    """Return the table of all rows of `closeness`."""
    names = {study.figure: study.name for study in studies}
    columns = (
        text_column("Study", lambda row: names[row["figure"]]),
        text_column("Method", lambda row: row["method"]),
        _figure("Expected", "expected_accuracy"),
        _figure("Mean estimate", "mean_estimate"),
        _figure("Bias", "bias"),
        _figure("Off by", "rmse"),
        number_column(f"Within {NEAR:g}", lambda row: percent(row["within_0_1"])),
        _figure("On the items", "in_sample_accuracy"),
        _figure("Bias", "bias_in_sample"),
        _figure("Off by", "rmse_in_sample"),
        number_column("No estimate", lambda row: count(row["n_undefined"])),
        *(_INTERVALS if with_intervals else ()),
    )
    note = f"{MARK}: no run gave an estimate. The raters agreed no better than chance, or the method needs"
    note += " labels in an order."
    cells = cells_of(columns, rows.iter_rows(named=True))
    return HtmlTable(columns, cells, note if rows["n_undefined"].sum() else "")


def _figure(title: str, name: str) -> Column:
    return number_column(title, lambda row: number(row[name]))


_INTERVALS = (number_column("Coverage", lambda row: percent(row["coverage"])), _figure("Width", "mean_width"))
