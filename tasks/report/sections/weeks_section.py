"""Show the figures of systems, annotators and labels in the last weeks: one row each, one column a week."""

from datetime import date
from typing import Any

import polars as pl
from markupsafe import Markup

from tasks.report.formatting import MARK, counted, day, foreign, interval, number
from tasks.report.html_table import Cell, Column, HtmlTable, graphic_column, number_column, table_of, text_column
from tasks.report.report_data import Row
from tasks.report.svg import sparkline
from tasks.summary.finite import finite

_MAX_ROWS = 40
_TITLES = {"system": "System", "rater": "Annotator", "label": "Label"}
_FAINT = "Faint: the week has too few items. Do not read the figure as a fact."


def week_tables(weeks: pl.DataFrame, limit: int = _MAX_ROWS) -> dict[str, HtmlTable | None]:
    """Return the table of each kind (system, rater, label), of `limit` rows at most.

    It is None if it has figures in less than two weeks.
    """
    return {kind: _table(title, weeks.filter(kind=kind).to_dicts(), limit) for kind, title in _TITLES.items()}


def _table(title: str, rows: list[Row], limit: int) -> HtmlTable | None:
    days = sorted({row["first_day"] for row in rows})
    if len(days) < 2:
        return None
    subjects = sorted({str(row["subject"]) for row in rows})
    of_subject: dict[str, dict[Any, Row]] = {name: {} for name in subjects}
    for row in rows:
        of_subject[str(row["subject"])][row["first_day"]] = row
    columns = (
        text_column(title, lambda name: foreign(name, 80)),
        graphic_column(lambda name: _course([of_subject[name].get(first) for first in days])),
        *(_week_column(of_subject, first) for first in days),
    )
    return table_of(columns, subjects[:limit], " ".join(_notes(title, rows, len(subjects), limit)))


def _week_column(of_subject: dict[str, dict[Any, Row]], first: date) -> Column:
    return number_column(day(first), lambda name: _cell(of_subject[name].get(first)))


def _notes(title: str, rows: list[Row], n_subjects: int, limit: int) -> list[str]:
    levels = {row["confidence"] for row in rows if finite(row["confidence"]) is not None}
    interval_of = f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval"
    notes = [f"Weeks by their first day: the figure, its {interval_of}, the items."]
    if any(row["too_few"] for row in rows):
        notes.append(_FAINT)
    if n_subjects > limit:
        notes.append(f"The first {limit} of {counted(n_subjects, title.lower())}.")
    return notes


def _cell(row: Row | None) -> Cell:
    if row is None:
        return MARK
    figure = Markup("{}<br><span class='quiet'>{}<br>{}</span>").format(
        number(row["estimate"]), interval(row["low"], row["high"]), counted(row["n_items"], "item")
    )
    return Markup("<span class='few'>{}</span>").format(figure) if row["too_few"] else figure


def _course(rows: list[Row | None]) -> Markup:
    """Draw the weeks with enough items."""
    return sparkline([finite(row["estimate"]) if row and not row["too_few"] else None for row in rows])
