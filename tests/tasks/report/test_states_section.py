"""The report begins with how each question stands, the most urgent first."""

import re
from datetime import UTC, datetime

import polars as pl

from tasks.report import ReportData, render

START = datetime(2026, 2, 2, tzinfo=UTC)


def test_the_most_urgent_question_comes_first_with_its_rule() -> None:
    rows = [
        {"question": name, "scope": "humans", "period": "all", "coefficient": "krippendorff_alpha", "estimate": value,
         "low": value - 0.05, "high": value + 0.05, "confidence": 0.95, "n_items": 100, "n_ratings": 300}
        for name, value in (("calm", 0.9), ("doubtful", 0.65), ("<b>poor</b>", 0.2))
    ]  # fmt: skip
    alerts = [{"kind": "new_label", "detail": "A label is new.", "question": "calm", "severity": "warning"}]
    page = render(ReportData("title", START, "1", agreement=pl.DataFrame(rows), alerts=pl.DataFrame(alerts)))
    table = page[page.index('id="states"') : page.index('class="summary"')]
    assert re.findall(r'badge \w+">(\w+)<', table) == ["act", "watch", "watch"]
    assert re.findall(r"<bdi>(.*?)</bdi>", table) == ["&lt;b&gt;poor&lt;/b&gt;", "doubtful", "calm"]
    assert "the interval of agreement holds 0.667" in table
    assert "Act: a critical alert is open" in table
