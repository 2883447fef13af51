"""Versions of a system beside the one before, and the weeks with both intervals."""

from datetime import date
from typing import Any

import polars as pl

from tasks.report.sections.versions_section import VersionsSection, versions_section

MONDAYS = [date(2026, 3, day) for day in (2, 9, 16)]
COMPARISON: dict[str, Any] = {
    "question": "q", "system": "<b>judge", "old_version": "1", "version": "2", "first_day": date(2026, 3, 11),
    "decided_on": date(2026, 3, 20), "n_before": 1200, "n_after": 90, "verdict": "worse", "before": 0.8, "after": 0.7,
    "difference": -0.1, "se": 0.02, "reason": None, "detail": None,
}  # fmt: skip


def section(comparison: dict[str, Any] | None = None, n_weeks: int = 3, few: int = 0) -> VersionsSection:
    weeks = [
        {"question": "q", "system": "<b>judge", "first_day": monday, "n_items": 40, "accuracy": 0.8, "low": 0.7,
         "high": 0.85, "outer_low": 0.5, "outer_high": 0.95, "confidence": 0.95, "too_few": place < few}
        for place, monday in enumerate(MONDAYS[:n_weeks])
    ]  # fmt: skip
    schema = {"system": pl.String} if not weeks else None
    result = versions_section(pl.DataFrame([COMPARISON | (comparison or {})]), pl.DataFrame(weeks, schema=schema))
    assert result is not None
    return result


def cells(result: VersionsSection) -> dict[str, str]:
    titles = [column.title.replace("\u00a0", " ") for column in result.table.columns]
    return dict(zip(titles, (str(cell).replace("\u00a0", " ") for cell in result.table.rows[0]), strict=True))


def test_a_version_is_compared_with_the_one_before() -> None:
    row = cells(section())
    assert "&lt;b&gt;judge" in row["System"]
    assert row["95 % interval"] == "−0.139 – −0.061"  # -0.1 +- 1.96 * 0.02
    assert (row["Items before"], row["Items after"]) == ("1,200", "90")
    assert row["Verdict"] == "worse, sure since <time>2026-03-20</time>"


def test_without_a_verdict_no_day_says_that_there_is_one() -> None:
    assert cells(section({"verdict": None}))["Verdict"] == "not sure yet"
    row = cells(section({"verdict": None, "difference": None, "se": None, "reason": "too_few_items"}))
    assert row["Verdict"] == ""
    assert row["95 % interval"] == "—"
    assert row["After"].startswith('<span class="reason">')


def test_the_weeks_are_drawn_with_both_intervals_and_the_day_of_the_new_version() -> None:
    (chart,) = section().charts
    drawn = str(chart.chart).replace("\u00a0", " ")
    assert "2026-03-09: 0.800 (0.700 – 0.850; outer 0.500 – 0.950), 40 items" in drawn
    assert "Version 2 begins on 2026-03-11" in drawn
    assert "&lt;b&gt;judge" in drawn
    assert "<b>judge" not in drawn
    bands = [drawn.count(f'opacity="{shade}"') for shade in ("0.16", "0.09")]
    assert bands == [1, 1]
    assert "Faint" not in chart.note
    assert "Faint: 1 of 3\u00a0weeks" in section(few=1).charts[0].note


def test_one_week_is_no_course_and_no_comparison_no_section() -> None:
    assert section(n_weeks=1).charts == []
    assert section(n_weeks=0).charts == []
    none = pl.DataFrame(schema={"system": pl.String})
    assert versions_section(none, none) is None
