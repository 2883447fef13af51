"""Show how a new version of a system compares with the one before, and the accuracy over time with both intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from stats.special_functions import ndtri
from tasks.report.chart_range import Size, earlier_note, windows_shown
from tasks.report.charts import Mark, Point, trend_chart, trend_domain
from tasks.report.formatting import count, counted, day, foreign, interval, number, shortened, undefined
from tasks.report.html_table import HtmlTable, cells_of, number_column, range_column, text_column
from tasks.report.report_data import Row
from tasks.summary.finite import finite

_MAX_CHARTS, _MAX_ROWS = 4, 40
_CONFIDENCE = 0.95
NOTE = (
    "The versions answered different items. The figures use the model of the days before, and hold if people err"
    " independently. The comparison looks at each day, so a verdict needs more evidence than the interval."
)
_ITEMS: Size = ("n_items", "item")
CHART_NOTE = "Accuracy by week. Dark band: inner interval, light band: outer."


@dataclass(frozen=True)
class VersionChart:
    """The accuracy of one system by week, with the days on which its versions began."""

    system: str
    chart: Markup
    note: str


@dataclass(frozen=True)
class VersionsSection:
    """The comparisons of the versions of a question's systems, and a chart for each of the first systems."""

    table: HtmlTable
    charts: Sequence[VersionChart]


def versions_section(versions: pl.DataFrame, weeks: pl.DataFrame) -> VersionsSection | None:
    """Build the section from rows of `version_comparisons` and of the page query version_weeks; None without any."""
    rows = sorted(versions.to_dicts(), key=lambda row: (str(row["system"]), str(row["first_day"])))
    if not rows:
        return None
    systems = list(dict.fromkeys(row["system"] for row in rows))[:_MAX_CHARTS]
    charts = [
        _chart(str(system), weeks.filter(system=system).to_dicts(), [row for row in rows if row["system"] == system])
        for system in systems
    ]
    return VersionsSection(_table(rows), [chart for chart in charts if chart])


def _table(rows: Sequence[Row]) -> HtmlTable:
    columns = (
        text_column("System", lambda row: foreign(row["system"], 60)),
        range_column("Version", lambda row: foreign(row["version"], 40)),
        range_column("Before it", lambda row: foreign(row["old_version"], 40)),
        range_column("First day", lambda row: Markup("<time>{}</time>").format(day(row["first_day"]))),
        number_column("Before", lambda row: number(row["before"])),
        number_column(
            "After",
            lambda row: number(row["after"]) if row["reason"] is None else undefined(row["reason"], row["detail"]),
        ),
        number_column("Difference", lambda row: number(row["difference"])),
        range_column(f"{100 * _CONFIDENCE:g}\u00a0% interval", _interval),
        number_column("Items before", lambda row: count(row["n_before"])),
        number_column("Items after", lambda row: count(row["n_after"])),
        text_column("Verdict", _verdict),
    )
    more = len(rows) - _MAX_ROWS
    note = f"{NOTE} {counted(more, 'further comparison')} left out." if more > 0 else NOTE
    return HtmlTable(columns, cells_of(columns, rows[:_MAX_ROWS]), note)


def _interval(row: Row) -> str:
    difference, se = finite(row["difference"]), finite(row["se"])
    if difference is None or se is None:
        return interval(None, None)
    half = float(ndtri((1 + _CONFIDENCE) / 2)) * se
    return interval(difference - half, difference + half)


def _verdict(row: Row) -> Markup:
    if finite(row["difference"]) is None:
        return Markup()
    if not row["verdict"]:
        return Markup("not sure yet")
    return Markup("{}, sure since <time>{}</time>").format(row["verdict"], day(row["decided_on"]))


def _chart(system: str, weeks: Sequence[Row], versions: Sequence[Row]) -> VersionChart | None:
    """Draw the weeks of one system; None with fewer than two."""
    points = [_point(row) for row in windows_shown(weeks, _ITEMS, "first_day")]
    if sum(point.estimate is not None for point in points) < 2:
        return None
    first, last = points[0].x, points[-1].x
    marks = [
        Mark(
            min(max(float(row["first_day"].toordinal()), first), last),
            shortened(row["version"], 20),
            f"Version {shortened(row['version'], 40)} begins on {day(row['first_day'])}",
        )
        for row in versions
        if row["first_day"] is not None
    ]
    label = f"Accuracy of {shortened(system, 60)} by week"
    chart = trend_chart(
        points, overall=None, domain=trend_domain(points), label=label, marks=marks, title="accuracy"
    )  # fmt: skip
    n_faint = sum(point.is_faint for point in points)
    earlier = earlier_note(weeks, _ITEMS, "first_day")
    faint = f"Faint: {n_faint} of {counted(len(points), 'week')} with too few items." if n_faint else ""
    note = " ".join(filter(None, (CHART_NOTE, faint, earlier and f"{earlier[0].upper()}{earlier[1:]}.")))
    return VersionChart(shortened(system, 60), chart, note)


def _point(row: Row) -> Point:
    start = row["first_day"]
    value, *ends = (finite(row[key]) for key in ("accuracy", "low", "high", "outer_low", "outer_high"))
    tip = (
        f"{day(start)}: {number(value)} ({interval(*ends[:2])}; outer {interval(*ends[2:])}),"
        f" {counted(row['n_items'] or 0, 'item')}"
    )
    is_faint = bool(row["too_few"]) and value is not None
    low, high, outer_low, outer_high = (None,) * 4 if is_faint else ends
    return Point(
        float(start.toordinal()), f"{start.day} {start:%b}", tip, value, low, high, is_faint, outer_low, outer_high
    )
