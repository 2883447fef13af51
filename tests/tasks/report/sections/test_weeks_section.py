"""The report's tables of figures by week."""

from datetime import UTC, date, datetime

import polars as pl

from tasks.report.report_data import ReportData, completed
from tasks.report.sections.trend_section import trends
from tasks.report.sections.weeks_section import week_tables

FIRST, SECOND, THIRD = date(2026, 3, 2), date(2026, 3, 9), date(2026, 3, 16)


def week(kind: str, subject: str, first: date, estimate: float | None, *, few: bool = False) -> dict[str, object]:
    end = {"low": None, "high": None} if estimate is None else {"low": estimate - 0.1, "high": estimate + 0.1}
    return {
        "question": "q", "kind": kind, "subject": subject, "first_day": first, "n_items": 7 if few else 70,
        "estimate": estimate, **end, "reason": None, "confidence": 0.95, "too_few": few,
    }  # fmt: skip


def test_a_row_has_a_figure_with_its_interval_for_each_week() -> None:
    rows = [
        week("system", "<b>judge", FIRST, 0.8),
        week("system", "<b>judge", SECOND, 0.6, few=True),
        week("system", "<b>judge", THIRD, 0.7),
        week("system", "other", SECOND, None),
        week("label", "yes", FIRST, 0.5),
    ]
    tables = week_tables(pl.DataFrame(rows, infer_schema_length=None))
    assert tables["rater"] is None
    assert tables["label"] is None  # one week is no course
    table = tables["system"]
    assert table is not None
    assert [column.title for column in table.columns] == ["System", "", str(FIRST), str(SECOND), str(THIRD)]
    judge, other = ([str(cell) for cell in row] for row in table.rows)
    assert "&lt;b&gt;judge" in judge[0]
    assert "0.800" in judge[2]
    assert "0.700\xa0–\xa00.900" in judge[2]
    assert ["few" in cell for cell in judge[2:]] == [False, True, False]
    assert "from 0.800 to 0.700" in judge[1]  # the faint week is not in the course
    assert [cell[:1] for cell in other[2:]] == ["—"] * 3
    assert table.note.startswith("Weeks by their first day: the figure, its 95 % interval")
    assert "too few items" in table.note


def test_without_figures_there_is_no_table() -> None:
    assert week_tables(pl.DataFrame(schema={"kind": pl.String, "subject": pl.String})) == dict.fromkeys(
        ("system", "rater", "label")
    )


def test_a_window_with_too_few_items_is_faint_in_the_course_of_agreement() -> None:
    rows = [
        {
            "question": "q", "coefficient": "gwet_ac1", "estimate": 0.5, "low": 0.4, "high": 0.6, "period": "week",
            "period_start": day, "scope": "humans", "n_items": 9, "n_ratings": 20, "too_few": few,
        }
        for day, few in ((FIRST, False), (SECOND, True), (THIRD, False))
    ]  # fmt: skip
    data = completed(ReportData("t", datetime(2026, 4, 1, tzinfo=UTC), "1", trend=pl.DataFrame(rows)))
    main = {"scope": "humans", "coefficient": "gwet_ac1", "scale": None, "weights": None, "estimate": 0.5}
    (trend,) = trends(data.trend, main, data.alerts)
    assert "faint: 1 of 3 have too few items" in trend.note
    assert ["few" in str(row[2]) for row in trend.table.rows] == [False, True, False]
    assert "0.400\xa0–\xa00.600" in str(trend.table.rows[1][3])
