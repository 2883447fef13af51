"""From counts by day to alarms."""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from stats.monitoring import (
    AlarmBudget,
    DailyCounts,
    QuestionCharts,
    QuestionSums,
    ReferenceSettings,
    add_day_sums,
    charts_from_sums,
    day_sums,
    fit_reference,
    question_charts,
    reference_period,
    version_sums,
)

Rows = Callable[..., list[dict[str, Any]]]
Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]
LABELS = ["A", "B", "C"]


def spoiled(rows: list[dict[str, Any]], start: int) -> list[dict[str, Any]]:
    """Let dee click at random, in no time, from a day on."""
    rng, first = np.random.default_rng(1), rows[0]["day"] + timedelta(days=start)
    return [
        row | {"label": LABELS[int(rng.integers(3))], "duration": row["duration"] / 4}
        if row["rater"] == "dee" and row["day"] >= first
        else row
        for row in rows
    ]


@pytest.fixture(scope="module")
def charts(simulated_rows: Rows, count_days: Count) -> QuestionCharts:
    rows = simulated_rows(seed=1, n_days=80, new_version=50)
    return question_charts(count_days(spoiled(rows, 40), LABELS))


def test_one_incident_names_the_rater(charts: QuestionCharts) -> None:
    people = [incident for incident in charts.incidents if incident.raters]
    assert len(people) == 1
    assert people[0].raters == ("dee",)
    assert {alarm.chart for alarm in people[0].alarms} >= {"rater", "rater_speed"}
    start = charts.histories[0].group.days.astype(object)[40]
    assert abs((people[0].alarms[0].changed_on - start).days) <= 3


def test_an_equal_version_gets_no_verdict(charts: QuestionCharts) -> None:
    assert [(version.version, version.verdict) for version in charts.versions] == [("v2", None)]


def test_json(charts: QuestionCharts) -> None:
    text = json.dumps(charts.to_json(), allow_nan=False)
    assert set(json.loads(text)) == {"reference", "charts", "versions", "incidents", "missing"}


def test_a_healthy_project_is_quiet(simulated_rows: Rows, count_days: Count) -> None:
    assert question_charts(count_days(simulated_rows(seed=2, n_days=80), LABELS)).alarms == ()


def test_order_changes_nothing(charts: QuestionCharts, simulated_rows: Rows, count_days: Count) -> None:
    rows = spoiled(simulated_rows(seed=1, n_days=80, new_version=50), 40)
    order = np.random.default_rng(3).permutation(len(rows))
    assert question_charts(count_days([rows[i] for i in order], LABELS)).to_json() == charts.to_json()


def test_stored_sums_with_an_update_equal_a_rebuild(
    charts: QuestionCharts, simulated_rows: Rows, count_days: Count
) -> None:
    rows = spoiled(simulated_rows(seed=1, n_days=80, new_version=50), 40)
    early = [row for row in rows if int(row["item"][1:]) < 1111]
    late = [row for row in rows if int(row["item"][1:]) >= 1111]
    counts = count_days(early, LABELS)
    period = reference_period(counts.items)
    assert period is not None
    reference = fit_reference(counts, period=period)
    parts = [day_sums(part, reference=reference) for part in (counts, count_days(late, LABELS))]
    versions = version_sums(count_days(rows, LABELS), reference=reference)
    updated = charts_from_sums([QuestionSums(add_day_sums(*parts), versions, reference)])[0]
    assert updated.to_json() == charts.to_json()


def test_several_questions_at_once(charts: QuestionCharts, simulated_rows: Rows, count_days: Count) -> None:
    questions = []
    for rows in (spoiled(simulated_rows(seed=1, n_days=80, new_version=50), 40), simulated_rows(seed=2, n_days=60)):
        counts = count_days(rows, LABELS)
        period = reference_period(counts.items)
        assert period is not None
        reference = fit_reference(counts, period=period)
        sums, versions = day_sums(counts, reference=reference), version_sums(counts, reference=reference)
        questions.append(QuestionSums(sums, versions, reference))
    together = charts_from_sums(questions)
    assert together[0].to_json() == charts.to_json()
    assert together[1].to_json() == charts_from_sums(questions[1:])[0].to_json()
    assert charts_from_sums([]) == ()


def test_more_accepted_false_alarms_lower_the_thresholds(
    charts: QuestionCharts, simulated_rows: Rows, count_days: Count
) -> None:
    rows = spoiled(simulated_rows(seed=1, n_days=80, new_version=50), 40)
    loud = question_charts(count_days(rows, LABELS), budget=AlarmBudget(false_alarms_per_year=4))
    for result, other in zip(charts.histories, loud.histories, strict=True):
        assert result.group.threshold == 4 * other.group.threshold
        assert (result.group.chart, result.group.subject) == (other.group.chart, other.group.subject)


def test_too_few_items(simulated_rows: Rows, count_days: Count) -> None:
    result = question_charts(count_days(simulated_rows(n_days=10), LABELS))
    assert result.reference is None
    assert result.histories == ()
    assert result.missing[0].reason == "too_few_items"
    assert "so far there are 200 on 10." in result.missing[0].detail
    json.dumps(result.to_json(), allow_nan=False)


def test_a_named_reference(simulated_rows: Rows, count_days: Count) -> None:
    counts = count_days(simulated_rows(seed=2, n_days=80), LABELS)
    days = counts.items["day"].unique().sort()
    result = question_charts(counts, settings=ReferenceSettings(first=days[10], last=days[39]))
    assert result.reference is not None
    assert result.reference.period.n_days == 30
    group = result.histories[0].group
    assert group.days.astype(object)[0] == days[10]
    assert group.n_reference == 30
    later = days[-1] + timedelta(days=9)
    empty = question_charts(counts, settings=ReferenceSettings(first=later, last=later))
    assert "no items between" in empty.missing[0].detail
