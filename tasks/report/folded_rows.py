"""Fold a long list of annotators. Those who need a look stay visible."""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.report.formatting import counted, number
from tasks.report.html_table import Column, HtmlTable, cells_of
from tasks.report.report_data import Row
from tasks.summary.annotators import OrderedAnnotators, order_annotators

MAX_UNFOLDED = 20  # rows: a longer list is folded
_MIN_SHOWN = 5
LEFT_OUT = "The views rater_leaderboard and rater_scorecard have them all."


@dataclass(frozen=True)
class FoldedRows:
    """The annotators in sight, the others, and what tells them apart."""

    shown: Sequence[Row]
    folded: Sequence[Row] = ()
    title: str = ""
    note: str = ""

    def table(self, columns: tuple[Column, ...], note: str = "") -> HtmlTable | None:
        """Make the table of the annotators, `note` behind what tells them apart; None without annotators."""
        shown, folded = (cells_of(columns, rows) for rows in (self.shown, self.folded))
        notes = " ".join(filter(None, (self.note, note)))
        return HtmlTable(columns, shown, notes, folded, self.title) if shown else None


def fold_annotators(
    rows: Sequence[Row], figure: str, high: str, average: float | None = None, limit: int = 100
) -> FoldedRows:
    """Show the annotators who stand out (`order_annotators`), and fold the others.

    A short list stays as it is; of a long one `limit` rows remain.
    """
    if len(rows) <= MAX_UNFOLDED:
        return FoldedRows(rows)
    ordered = order_annotators(rows, figure, high, average)
    n_shown = min(MAX_UNFOLDED, max(_MIN_SHOWN, ordered.n_standing_out))
    n_more = min(len(rows), limit) - n_shown
    title = f"The {'other' if len(rows) <= limit else 'next'} {counted(n_more, 'annotator')}"
    note = _note(ordered, n_shown) + (f" {LEFT_OUT}" if len(rows) > limit else "")
    return FoldedRows(ordered.rows[:n_shown], ordered.rows[n_shown:limit], title, note)


def _note(ordered: OrderedAnnotators, n_shown: int) -> str:
    mean = f"the average, {number(ordered.average)}"
    n = ordered.n_standing_out
    if not n:
        return f"The lowest {n_shown}; no interval lies below {mean}."
    who = f"{n} of {counted(len(ordered.rows), 'annotator')} {'stands' if n == 1 else 'stand'} out"
    n_by_chance = ordered.n_by_chance
    chance = f" With so many annotators about {n_by_chance} would by chance alone." if n_by_chance else ""
    return f"{who}: an open alert, or an interval below {mean}.{chance}"
