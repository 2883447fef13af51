"""Show one question's agreement by day, week, month and batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

import polars as pl
from markupsafe import Markup

from tasks.glossary import PERIODS
from tasks.report.chart_range import Size, earlier_note, windows_shown
from tasks.report.charts import Limit, Mark, Point, trend_chart, trend_domain
from tasks.report.formatting import MARK, count, counted, day, humanised, interval, number, percent, undefined
from tasks.report.html_table import Cell, HtmlTable, cells_of, number_column, range_column, text_column
from tasks.report.report_data import UNDATED, Row
from tasks.report.sections.agreement_section import full_name
from tasks.report.svg import sparkline
from tasks.summary.finite import finite
from tasks.summary.interval_width import width_note
from tasks.summary.label_weights import is_plain

_MAX_POINTS = 60
RATINGS: Size = ("n_ratings", "rating")


@dataclass(frozen=True)
class Trend:
    """One coefficient by day, week, month or batch. `estimates` has None for windows with too few items."""

    title: str
    chart: Markup
    note: Markup
    table: HtmlTable
    estimates: tuple[float | None, ...]


def trends(trend: pl.DataFrame, main: Row | None, alerts: pl.DataFrame) -> list[Trend]:
    """Draw one chart of the question's main coefficient for each period with two points or more.

    The days since when open alerts say that the annotators agree less are marked.
    """
    if main is None or not trend.height:
        return []
    scoped = [row for row in trend.to_dicts() if row["scope"] == main["scope"]]
    plain = [row for row in scoped if all(row[key] == main[key] for key in ("coefficient", "scale", "weights"))]
    equal = (row for row in scoped if row["coefficient"] == "percent_agreement" and is_plain(row["weights"]))
    raw = {_period_key(row): row for row in equal}
    by_period = {name: [row for row in plain if row["period"] == name] for name in PERIODS}
    drawn = {name: points_of(name, rows) for name, rows in by_period.items()}
    every = {name: points for name, points in drawn.items() if len(points) > 1}
    limit = limit_of(main)
    domain = trend_domain([point for points in every.values() for point in points], limit)
    falls = alert_marks(alerts.filter(pl.col("kind") == "agreement"))
    return [
        _trend(name, by_period[name], points, raw, main, limit, domain, () if name in UNDATED else falls)
        for name, points in every.items()
    ]


def course(of_periods: Sequence[Trend]) -> Markup:
    """Draw a small line of one kind of windows: the shortest kind in which at least half have enough items.

    It is empty if there is no such kind.
    """
    for trend in of_periods:
        if 2 * sum(estimate is not None for estimate in trend.estimates) >= len(trend.estimates):
            return sparkline(trend.estimates)
    return Markup()


def limit_of(figure: Row) -> Limit | None:
    """Return the limit that the settings put on a row of `latest_agreement`; None without one."""
    limit = finite(figure.get("alert_below"))
    return None if limit is None else Limit(limit, f"limit {limit:g}")


def limit_note(figure: Row) -> str:
    """Explain the dashed line of a chart, if there is one."""
    limit = limit_of(figure)
    return f"Dashed: {limit.name}. An alert is open while the figure over all ratings is below it." if limit else ""


def alert_marks(alerts: pl.DataFrame) -> list[Mark]:
    """Return the days of change that the alerts estimate, to mark them on a chart over time."""
    days = alerts.select("changed_on").drop_nulls().unique().sort("changed_on")["changed_on"]
    return [
        Mark(_seconds(start), f"alert, {_date_name('day', start, False)}", f"An alert: changed about {day(start)}")
        for start in days
    ]


def _trend(
    period: str,
    rows: list[Row],
    points: list[Point],
    raw: dict[Any, Row],
    main: Row,
    limit: Limit | None,
    domain: tuple[float, float],
    marks: Sequence[Mark],
) -> Trend:
    title = PERIODS[period]
    earlier, rows = earlier_note(in_time(rows), RATINGS), latest_in_time(rows)
    overall = finite(main["estimate"])
    label = f"{full_name(main)} {title.lower()}"
    chart = trend_chart(
        points, overall=overall, domain=domain, label=label, marks=marks, limit=limit, title=full_name(main)
    )
    windows = [
        {**row, "point": point, "equal": raw.get(_period_key(row))} for row, point in zip(rows, points, strict=True)
    ]
    columns = (
        text_column("Batch" if period == "batch" else "From", _start),
        number_column("Percent agreement", lambda row: percent(row["equal"]["estimate"]) if row["equal"] else MARK),
        number_column(full_name(main), lambda row: faint(number(row["estimate"]), row["point"])),
        range_column("Interval", _limits),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
    )
    table = HtmlTable(columns, cells_of(columns, windows), note=width_note(windows))
    return Trend(title, chart, trend_note(period, rows, earlier), table, estimates_of(points))


def _start(row: Row) -> Markup:
    start = Markup("<time>{}</time>").format(day(row["period_start"]))
    return Markup("{} · {}").format(row["point"].name, start) if row["period"] == "batch" else start


def _limits(row: Row) -> Cell:
    if row["point"].estimate is None:
        return undefined(row["reason"], row["detail"])
    return interval(row["low"], row["high"])


def faint(figure: Cell, point: Point) -> Cell:
    """Write the figure of a window in pale where it has too few items."""
    return Markup("<span class='few'>{}</span>").format(figure) if point.is_faint else figure


def estimates_of(points: Sequence[Point]) -> tuple[float | None, ...]:
    """Return the estimates of windows, None for those with too few items."""
    return tuple(None if point.is_faint else point.estimate for point in points)


def trend_note(period: str, rows: Sequence[Row], earlier: str) -> Markup:
    """Say what is left out (`earlier`), undefined and faint. `rows` are those drawn."""
    texts = ["in the order of their ratings" if period == "batch" else "", earlier]
    if len(rows) == _MAX_POINTS:
        texts.append(f"the latest {_MAX_POINTS}")
    reasons = sorted({humanised(row["reason"]) for row in rows if finite(row["estimate"]) is None})
    missing = sum(finite(row["estimate"]) is None for row in rows)
    if missing:
        texts.append(f"{missing} of {len(rows)} undefined ({'; '.join(reasons)})")
    faint = sum(bool(row["too_few"]) and finite(row["estimate"]) is not None for row in rows)
    if faint:
        texts.append(f"faint: {faint} of {len(rows)} have too few items")
    return Markup("; ").join(part for part in texts if part)


def points_of(period: str, rows: Sequence[Row], size: Size = RATINGS) -> list[Point]:
    """Return a point per window, the latest ones, in time."""
    rows = latest_in_time(rows, size)
    years = {row["period_start"].year for row in rows if isinstance(row["period_start"], date)}
    return [_point(period, place, row, size, many_years=len(years) > 1) for place, row in enumerate(rows)]


def _point(period: str, place: int, row: Row, size: Size, *, many_years: bool) -> Point:
    start = row["period_start"]
    dated = isinstance(start, date) and period not in UNDATED
    name = _date_name(period, start, many_years) if dated else str(place + 1)
    value, low, high = (finite(row[key]) for key in ("estimate", "low", "high"))
    tip = f"{day(start)}: {number(value)} ({interval(low, high)}), {counted(row[size[0]] or 0, size[1])}"
    is_faint = bool(row["too_few"]) and value is not None
    if is_faint:
        low, high, tip = None, None, f"{tip}: too few items"
    return Point(_seconds(start) if dated else float(place), name, tip, value, low, high, is_faint)


def _date_name(period: str, start: date, many_years: bool) -> str:
    if period == "month":
        return f"{start:%b %Y}" if many_years else f"{start:%b}"
    return f"{start.day} {start:%b}" + (f" {start:%y}" if many_years else "")


def _seconds(start: date) -> float:
    moment = start if isinstance(start, datetime) else datetime.combine(start, time())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def latest_in_time(rows: Sequence[Row], size: Size = RATINGS) -> list[Row]:
    """Return the latest windows that a chart shows, in time."""
    return windows_shown(in_time(rows), size)[-_MAX_POINTS:]


def in_time(rows: Sequence[Row]) -> list[Row]:
    """Sort windows by time."""
    return sorted(
        rows, key=lambda row: (str(row["period_start"] or ""), str(row["period_end"] or ""), str(row["run_id"]))
    )


def _period_key(row: Row) -> tuple[Any, ...]:
    return row["period"], row["period_start"], row["period_end"]
