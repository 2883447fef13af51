"""Draw what a control chart watches, day by day, and how strong the evidence of a change is beside its threshold."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from tasks.report.chart_range import earlier_note, windows_shown
from tasks.report.charts import Limit, Mark, Point, trend_chart
from tasks.report.formatting import day, interval, number
from tasks.report.report_data import Row
from tasks.summary.finite import finite

_LEAST = 0.1  # evidence below it is drawn as this: powers of ten end nowhere
_ITEMS = ("n_items", "item")
_TITLES = {
    "agreement": "agreement",
    "labels": "share of the label",
    "rater": "agreement, less the others'",
    "rater_labels": "share, less the others'",
    "rater_speed": "share of fast ratings",
    "system": "accuracy",
}
_AT_MOST_ONE = ("agreement", "rater", "system")  # whose intervals end there, too
_NOTE = (
    " The band is the interval of each day. Below: the evidence of a change, in powers of ten; dotted: the threshold,"
    " at which an alert opens."
)


def control_charts(
    rows: Sequence[Row], before: float | None, marks: Sequence[Mark] = (), limit: Limit | None = None
) -> Markup:
    """Draw both charts of one series, `rows` of the view `charts`, the latest first. With one day they are empty.

    Days before a gap of more than five years are left out, as in the report (`tasks.report.chart_range`).
    `before` is the figure that the days are held against, `limit` what the user does not want it to fall below.
    """
    all_days = sorted(rows, key=lambda row: row["day"])
    rows = windows_shown(all_days, _ITEMS, "day")
    if len(rows) < 2:
        return Markup()
    if len(rows) < len(all_days):
        marks = [mark for mark in marks if mark.x >= rows[0]["day"].toordinal()]
    figures = [_figure(row) for row in rows]
    low, high = _domain(figures, before, limit.value if limit else None)
    if rows[0].get("chart") in _AT_MOST_ONE:
        high = min(high, 1.0)
    shown = trend_chart(
        figures, overall=before, domain=(low, high), label="The figure by day", marks=marks, limit=limit,
        title=_TITLES.get(str(rows[0].get("chart")), "figure"),
    )  # fmt: skip
    threshold = next((_power(row["threshold"]) for row in reversed(rows) if finite(row["threshold"])), None)
    evidence = [_evidence(row) for row in rows if finite(row["statistic"]) is not None]
    if threshold is None or len(evidence) < 2:
        return shown
    below = trend_chart(
        evidence, overall=threshold, domain=_domain(evidence, threshold), label="The evidence of a change by day",
        marks=marks, title="evidence, power of ten",
    )  # fmt: skip
    return shown + below


def chart_note(rows: Sequence[Row]) -> str:
    """Explain both charts, and say what they leave out of these rows."""
    earlier = earlier_note(sorted(rows, key=lambda row: row["day"]), _ITEMS, "day")
    return f"{_NOTE} {earlier[:1].upper()}{earlier[1:]}." if earlier else _NOTE


def change_marks(alert: Row) -> list[Mark]:
    """Mark the day of the change, and the day on which it was sure enough."""
    days = (("changed", alert["changed_on"]), ("detected", alert["detected_on"]))
    return [Mark(float(at.toordinal()), word, f"{word} {day(at)}") for word, at in days if at is not None]


def _figure(row: Row) -> Point:
    value, low, high = (finite(row[key]) for key in ("value", "low", "high"))
    tip = f"{day(row['day'])}: {number(value)} ({interval(low, high)})"
    return Point(float(row["day"].toordinal()), f"{row['day'].day} {row['day']:%b}", tip, value, low, high)


def _evidence(row: Row) -> Point:
    tip = f"{day(row['day'])}: {evidence_text(row['statistic'])}, threshold {evidence_text(row['threshold'])}"
    return Point(
        float(row["day"].toordinal()), f"{row['day'].day} {row['day']:%b}", tip, _power(row["statistic"]), None, None
    )


def evidence_text(value: float | None) -> str:
    """Write evidence: without decimals where it is large.

    >>> evidence_text(1567458.02), evidence_text(0.56), evidence_text(None)
    ('1,567,458', '0.56', '—')
    """
    figure = finite(value)
    return number(figure, 0 if figure is not None and figure >= 100 else 2)


def _power(value: float) -> float:
    return math.log10(max(value, _LEAST))


def _domain(points: Sequence[Point], *lines: float | None) -> tuple[float, float]:
    values = [v for point in points for v in (point.estimate, point.low, point.high, *lines) if v is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
