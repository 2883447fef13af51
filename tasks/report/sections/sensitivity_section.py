"""Show what the accuracy of each system without gold would be if raters share errors."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from stats.accuracy.shared_errors import SHARES, accuracy_if_shared
from tasks.report.formatting import NBSP, foreign, interval, number, shortened
from tasks.report.html_table import Column, HtmlTable, cells_of, number_column, text_column
from tasks.report.report_data import Row
from tasks.report.sections.warnings_section import system_name
from tasks.report.sensitivity_chart import SensitivityPanel, SensitivityPoint, sensitivity_chart
from tasks.summary.finite import finite

_MAX_PANELS = 4
_SHARES = (0.0, *SHARES)
_MEANING = (
    "What the accuracy would be if raters agree on a wrong label on a share of the items. The upright line at 0 is the"
    " outer interval. On 20 public sets with gold the median of this share was 4 %, and most lay between 0.5 and 23 %."
    " Only gold shows the share."
)


@dataclass(frozen=True)
class SensitivitySection:
    """The chart of the first systems, and the figures of all."""

    chart: Markup
    table: HtmlTable


def sensitivity_section(systems: Sequence[Row], n_labels: int | None) -> SensitivitySection | None:
    """Show accuracy by share of shared errors; None without a system that `average` estimates without gold.

    `systems` are the main rows of the systems, best first.
    """
    rows = [row for row in systems if finite(row["accuracy"]) is not None and not finite(row["n_gold"])]
    rows = [row for row in rows if row["method"] == "average"]
    if not n_labels or n_labels < 2 or not rows:
        return None
    panels = [_panel(row, n_labels) for row in rows[:_MAX_PANELS]]
    label = f"Accuracy if raters share errors: {'; '.join(_in_words(panel) for panel in panels)}"
    columns = (
        text_column("System", lambda row: foreign(system_name(row), 80)),
        *(_share_column(n_labels, share) for share in _SHARES),
    )
    note = f"Drawn: the first {_MAX_PANELS}." if len(rows) > _MAX_PANELS else ""
    table = HtmlTable(columns, cells_of(columns, rows), note, aside=("What this means", _MEANING))
    return SensitivitySection(sensitivity_chart(panels, label=label), table)


def _share_column(n_labels: int, share: float) -> Column:
    return number_column(
        _whole_percent(share), lambda row: number(accuracy_if_shared(float(row["accuracy"]), n_labels, share))
    )


def _panel(row: Row, n_labels: int) -> SensitivityPanel:
    """Make the points of one system, the first one with the outer interval."""
    low, high = finite(row["outer_low"]), finite(row["outer_high"])
    ends = f" ({interval(low, high)})" if low is not None else ""
    name = shortened(system_name(row), 30)
    accuracies = [accuracy_if_shared(float(row["accuracy"]), n_labels, share) for share in _SHARES]
    points = tuple(
        SensitivityPoint(share, value, f"{name}, {_whole_percent(share)}: {number(value)}{'' if share else ends}",
                         *(() if share else (low, high)))
        for share, value in zip(_SHARES, accuracies, strict=True)
    )  # fmt: skip
    return SensitivityPanel(name, points)


def _whole_percent(share: float) -> str:
    return f"{100 * share:.0f}{NBSP}%"


def _in_words(panel: SensitivityPanel) -> str:
    """Say the first and the last point of a panel."""
    return f"{panel.points[0].tip}, {_whole_percent(panel.points[-1].share)}: {number(panel.points[-1].accuracy)}"
