"""Control charts: the figure by day, and the evidence beside its threshold."""

from datetime import date, timedelta
from typing import Any

from tasks.dashboard.control_charts import chart_note, control_charts
from tasks.report.charts import Limit, Mark

START = date(2026, 3, 2)


def rows(*statistics: float | None) -> list[dict[str, Any]]:
    """The latest day first, as the view has them."""
    results = [
        {"day": START + timedelta(days=place), "value": 0.1 * place, "low": 0.1 * place - 0.2,
         "high": 0.1 * place + 0.2, "statistic": statistic, "threshold": 8000.0, "n_items": 10}
        for place, statistic in enumerate(statistics)
    ]  # fmt: skip
    return results[::-1]


def test_the_evidence_is_drawn_beside_its_threshold() -> None:
    drawn = str(control_charts(rows(0.0, 12.0, 1e6), before=0.0))
    assert drawn.count("<svg") == 2
    assert "evidence, power of ten" in drawn
    assert "2026-03-04: 1,000,000, threshold 8,000" in drawn
    assert drawn.count("stroke-dasharray") == 2  # what it was before, and the threshold


def test_days_without_evidence_have_the_figure_alone_and_one_day_nothing() -> None:
    assert str(control_charts(rows(None, None), before=None)).count("<svg") == 1
    assert control_charts(rows(1.0), before=None) == ""


def test_the_limit_of_the_user_stands_beside_the_control_limit() -> None:
    drawn = str(control_charts(rows(0.0, 12.0, 1e6), before=0.0, limit=Limit(0.9, "limit 0.9")))
    assert "limit 0.9" in drawn
    assert drawn.count("stroke-dasharray") == 3  # that of the figure only
    assert "0.9" not in str(control_charts(rows(0.0, 12.0, 1e6), before=0.0))


def test_a_day_of_long_ago_is_left_out_and_said() -> None:
    lately = rows(0.0, 12.0, 1e6)
    long_ago = {**lately[-1], "day": date(1970, 1, 1), "n_items": 4}
    marks = [Mark(float(date(1970, 1, 1).toordinal()), "changed", "changed 1970-01-01")]
    drawn = str(control_charts([*lately, long_ago], before=0.0, marks=marks))
    assert drawn == str(control_charts(lately, before=0.0))
    assert chart_note([*lately, long_ago]).endswith(" 4 earlier items before 2026-03-02 left out.".replace(" ", " "))
    assert "left out" not in chart_note(lately)
    many = {**long_ago, "n_items": 400}  # most of the items lie there
    assert "1970" in str(control_charts([*lately, many], before=0.0))
