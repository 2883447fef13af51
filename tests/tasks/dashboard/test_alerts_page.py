"""The page of an alert: its title, and what it draws for a limit of agreement."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from tasks.dashboard.alerts_page import AlertForms, alert_page
from tasks.dashboard.page_filters import PageFilters
from tasks.dashboard.page_parts import LivePage
from tasks.dashboard.page_reading import PageReading

START = date(2026, 3, 2)
ALERT: dict[str, Any] = {
    "alert_id": "a", "kind": "low_agreement", "question": "tone", "subject": None, "severity": "critical",
    "detail": "The annotators of 'tone' agree less than the threshold set for it.", "state": "open",
    "evidence": "krippendorff_alpha 0.606 [0.581, 0.632], threshold 0.65", "owner": None,
    "opened_at": datetime(2026, 3, 30, tzinfo=UTC),
    "changed_on": None, "detected_on": None, "before": None, "acknowledged_at": None, "acknowledged_by": None,
    "closed_at": None, "muted_until": None,
}  # fmt: skip
FIGURE: dict[str, Any] = {
    "question": "tone", "coefficient": "krippendorff_alpha", "scope": "humans", "estimate": 0.606, "low": 0.581,
    "high": 0.632, "n_items": 900, "n_ratings": 2700, "n_raters": 3, "alert_below": 0.65, "confidence": 0.95,
    "period": "all", "period_start": None, "first_day": None,
}  # fmt: skip


class Frames:
    """A snapshot with these rows for the queries, and what it was asked for."""

    def __init__(self, n_weeks: int, **alert: str | None) -> None:
        self.queries: list[tuple[str, Any]] = []
        weeks = [
            FIGURE | {"period": "week", "first_day": START + timedelta(weeks=week),
                      "period_start": datetime(2026, 3, 2, tzinfo=UTC) + timedelta(weeks=week)}
            for week in range(n_weeks)
        ]  # fmt: skip
        self._frames = {"alert": [ALERT | alert], "agreement": [FIGURE], "trend": weeks}

    def read(self, name: str, values: Mapping[str, Any]) -> pl.DataFrame:
        self.queries.append((name, values["question"]))
        return pl.DataFrame(self._frames.get(name, []))


def page_of(frames: Frames) -> LivePage:
    page = alert_page(PageReading(frames, PageFilters(alert_id="a")), AlertForms({}, {}))
    assert page is not None
    return page


def test_a_limit_of_agreement_is_drawn_beside_the_figures_by_week() -> None:
    frames = Frames(n_weeks=4)
    page = page_of(frames)
    text = str(page.sections[0].sentences[0])
    assert text.endswith("set for it: Krippendorff&#39;s alpha 0.606 [0.581, 0.632], threshold 0.65.</bdi>")
    assert not any("Figures" in str(sentence) for sentence in page.sections[0].sentences)
    chart = page.sections[-1]
    assert "limit 0.65" in str(chart.chart)
    assert str(chart.note).startswith("By week. Dotted: over all ratings. Dashed: limit 0.65.")
    assert {query for query in frames.queries if query[0] != "alert"} == {("agreement", "tone"), ("trend", "tone")}
    assert chart.filters == PageFilters(question="tone")  # so that its SQL and downloads are those of the question


def test_without_two_windows_the_page_says_that_there_is_no_chart() -> None:
    section = page_of(Frames(n_weeks=1)).sections[-1]
    assert not section.chart
    assert section.empty == "A rule found it: it has no chart."


@pytest.mark.parametrize(
    ("kind", "subject", "title"),
    [
        ("low_agreement", None, "Alert: low agreement, question tone"),
        ("agreement", None, "Alert: agreement, question tone"),
        ("rater", "3", "Alert: annotator 3, question tone"),
        ("rater_labels", "3", "Alert: labels of annotator 3, question tone"),
        ("version", "judge {}", "Alert: new version of system judge {}, question tone"),
        ("rater_missing", "ann", "Alert: rater missing: ann, question tone"),
        ("labels", None, "Alert: labels, question tone"),
    ],
)
def test_the_title_says_who_or_what_it_is_about(kind: str, subject: str | None, title: str) -> None:
    assert page_of(Frames(1, kind=kind, subject=subject)).title == title
