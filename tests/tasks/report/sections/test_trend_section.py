"""Alerts on the charts of agreement over time, and the small line of the overview."""

from datetime import UTC, date, datetime

import polars as pl
from markupsafe import Markup

from tasks.report.html_table import HtmlTable
from tasks.report.report_data import ReportData, completed
from tasks.report.sections.trend_section import Trend, course, limit_note, trends

DAYS = [date(2026, 3, day) for day in (2, 9, 16)]
MAIN = {"scope": "humans", "coefficient": "gwet_ac1", "scale": None, "weights": None, "estimate": 0.5}


def charts(*alerts: tuple[str, date | None], **main: object) -> dict[str, str]:
    rows = [
        {
            "question": "q", "coefficient": "gwet_ac1", "estimate": 0.5, "low": 0.4, "high": 0.6, "period": period,
            "period_start": day, "scope": "humans", "n_items": 50, "n_ratings": 100, "too_few": False,
        }
        for day in DAYS
        for period in ("week", "batch")
    ]  # fmt: skip
    opened = pl.DataFrame(
        [{"question": "q", "kind": kind, "detail": "It fell.", "changed_on": changed} for kind, changed in alerts],
        schema_overrides={"changed_on": pl.Date},
    )
    data = completed(ReportData("t", datetime(2026, 4, 1, tzinfo=UTC), "1", trend=pl.DataFrame(rows), alerts=opened))
    return {trend.title: str(trend.chart) for trend in trends(data.trend, MAIN | main, data.alerts)}


def test_the_day_of_a_fall_is_marked_where_days_are_drawn() -> None:
    drawn = charts(("agreement", date(2026, 3, 11)))
    assert [("alert, 11 Mar" in chart, "changed about 2026-03-11" in chart) for chart in drawn.values()] == [
        (True, True),
        (False, False),
    ]


def test_windows_that_begin_after_the_day_of_the_report_are_not_drawn() -> None:
    """One wrong date would squeeze all others into a corner of the chart."""
    columns = {
        "question": "q",
        "period": ["week", "week", "week", "batch", None],
        "period_start": [*DAYS, DAYS[2], None],
    }
    rates = pl.DataFrame(columns | {"system": "s", "label": "a", "method": "raw", "estimate": 0.5})
    weeks = pl.DataFrame({"question": "q", "system": "s", "first_day": DAYS, "accuracy": 0.5})
    frames = {"rate_windows": rates, "version_weeks": weeks}
    data = completed(ReportData("t", datetime(2026, 3, 15, tzinfo=UTC), "1", **frames))
    assert data.rate_windows["period_start"].to_list() == [*DAYS[:2], DAYS[2], None]  # batches have an order, no date
    assert data.version_weeks["first_day"].to_list() == DAYS[:2]


def drawn_years(*sizes: tuple[int, int]) -> tuple[str, str]:
    """The note and the table of a chart by month whose windows have these years and numbers of ratings."""
    rows = [
        {
            "question": "q", "coefficient": "gwet_ac1", "estimate": 0.5, "low": 0.4, "high": 0.6, "period": period,
            "period_start": date(year, month, 1), "scope": "humans", "n_items": 50, "n_ratings": n, "too_few": False,
        }
        for year, n in sizes
        for month in (1, 2)
        for period in ("month", "batch")
    ]  # fmt: skip
    data = completed(ReportData("t", datetime(2026, 4, 1, tzinfo=UTC), "1", trend=pl.DataFrame(rows)))
    by_month, by_batch = trends(data.trend, MAIN, data.alerts)
    assert len(by_batch.estimates) == 2 * len(sizes), "batches stand in their order, and are not squeezed"
    return str(by_month.note), f"{[row[0] for row in by_month.table.rows]}"


def test_a_few_ratings_of_long_ago_do_not_squeeze_the_chart() -> None:
    note, table = drawn_years((1970, 2), (1999, 3), (2026, 100))
    assert note == "10 earlier ratings before 2026-01-01 left out"
    assert "1970" not in table
    assert "1999" not in table


def test_a_chart_begins_where_more_ratings_follow_than_lie_before() -> None:
    """A long history stays, with a pause in it; what is dated still earlier is left out."""
    note, table = drawn_years((1970, 2), (2010, 100), (2026, 50))
    assert note == "4 earlier ratings before 2010-01-01 left out"
    assert "2010" in table
    assert drawn_years((2022, 2), (2026, 100))[0] == "", "four years are no gap"


def test_alerts_of_others_and_days_outside_the_chart_are_not_marked() -> None:
    drawn = charts(("rater", date(2026, 3, 11)), ("agreement", date(2026, 1, 5)), ("agreement", None))
    assert not any("changed about" in chart for chart in drawn.values())


def test_the_limit_of_the_settings_is_a_line_with_its_name() -> None:
    """Also where no window comes near it."""
    for drawn in charts(alert_below=0.85).values():
        assert "limit 0.85" in drawn
        assert drawn.count("stroke-dasharray") == 2  # and the figure over all ratings
    assert "limit" not in "".join(charts().values())
    assert limit_note(MAIN | {"alert_below": 0.85}).startswith("Dashed: limit 0.85.")
    assert limit_note(MAIN) == ""


def test_the_small_line_shows_the_shortest_windows_most_of_which_have_enough_items() -> None:
    days, weeks, months = (0.1, None, None), (0.7, None, 0.6), (0.65, 0.64)
    by_period = [Trend(title, Markup(), Markup(), HtmlTable((), []), estimates)
                 for title, estimates in (("By day", days), ("By week", weeks), ("By month", months))]  # fmt: skip
    assert "from 0.700 to 0.600" in course(by_period)
    assert "from 0.650 to 0.640" in course(by_period[::2])
    assert course(by_period[:1]) == course([]) == Markup()
