"""The agreement chart of spans and of rankings in a project: its alerts, and when it is drawn."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tasks.evaluate.evaluation_options import QuestionConfigs
from tasks.monitor.chart_check import charts_finding
from tasks.monitor.chart_updates import ChartUpdate, update_charts
from tasks.monitor.monitor_config import MonitorConfig
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tests.answers_project import publish_answers
from tests.gate_project import OPTIONS
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect

FIRST, TEXT = date(2026, 3, 2), "Bob met Ann in Rome and then Carl in Paris"
SPANS = ((0, 3), (8, 11), (15, 19), (29, 33), (37, 42))
CONFIGS = MonitoringConfigs({}, QuestionMonitoring(charts=MonitorConfig(reference_items=100, reference_days=10)))
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
N_DAYS, CHANGE, PER_DAY = 34, 20, 10


def marked_days(days: range, seed: int = 1, bad: Sequence[int] = range(CHANGE, 1000)) -> list[dict[str, Any]]:
    """Tasks of some days. On bad days rater 3 overlooks more than half of the spans, else each a tenth."""
    tasks = []
    for day in days:
        rng = np.random.default_rng([seed, day])
        for number in range(PER_DAY):
            annotations = []
            for rater in (1, 2, 3):
                share = 0.4 if rater == 3 and day in bad else 0.9
                marks = [
                    {"from_name": "names", "to_name": "t", "type": "labels",
                     "value": {"start": start, "end": end, "text": TEXT[start:end], "labels": ["NAME"]}}
                    for start, end in SPANS if rng.random() < share
                ]  # fmt: skip
                at = f"{FIRST + timedelta(days=day)}T10:00:00Z"
                annotations.append({"completed_by": rater, "created_at": at, "result": marks})
            tasks.append({"id": 1000 * day + number, "data": {"text": TEXT}, "annotations": annotations})
    return tasks


def f1_of(tasks: list[dict[str, Any]]) -> float:
    """The F1 of identical spans over all pairs of raters, counted from the export."""
    both = all_marks = 0
    for task in tasks:
        sets = [{mark["value"]["start"] for mark in each["result"]} for each in task["annotations"]]
        for i, j in ((0, 1), (0, 2), (1, 2)):
            both += 2 * len(sets[i] & sets[j])
            all_marks += len(sets[i]) + len(sets[j])
    return both / all_marks


def take_in(project: InboxProject, name: str, tasks: list[dict[str, Any]]) -> None:
    (project.inbox / name).write_text(json.dumps(tasks), encoding="utf-8")
    project.ingest()
    project.work("evaluate", QuestionConfigs({}), OPTIONS, everything=False)


def update(project: InboxProject, today: date = FIRST + timedelta(days=70), **monitor: Any) -> list[ChartUpdate]:
    charts = replace(CONFIGS.default.charts, **monitor)
    return update_charts(project.db, MonitoringConfigs({}, QuestionMonitoring(charts=charts)), now=NOW, today=today)


def rows(project: InboxProject, text: str) -> list[Any]:
    with connect(project.db, read_only=True) as con:
        return con.execute(text).fetchall()


@pytest.fixture
def project(tmp_path: Path) -> InboxProject:
    return InboxProject(tmp_path)


def test_a_drop_of_agreement_on_spans_opens_an_alert_with_the_figures_before_and_since(project: InboxProject) -> None:
    tasks = marked_days(range(N_DAYS))
    take_in(project, "spans.json", tasks)
    (outcome,) = update(project)
    assert [(change.event, change.kind) for change in outcome.changes] == [("opened", "agreement")]
    ((changed, low, high, detected, evidence, detail),) = rows(
        project, "select changed_on, changed_low, changed_high, detected_on, evidence, detail from alerts"
    )
    assert low <= FIRST + timedelta(days=CHANGE) <= high
    day = (changed - FIRST).days
    before, since = tasks[: PER_DAY * day], tasks[PER_DAY * day : PER_DAY * ((detected - FIRST).days + 1)]
    figures = f"f1_exact {f1_of(before):.3f} ["
    assert figures in evidence
    assert f"before, {f1_of(since):.3f} [" in evidence
    assert f"the annotators agree less: F1 (exact) fell from {f1_of(before):.3f} [" in detail
    assert "Look at the pairs of annotators that agree least since then" in detail
    points = rows(project, "select day, n_items, value, is_reference from charts where question = 'names' order by day")
    assert len(points) == N_DAYS
    assert [point[3] for point in points] == [True] * 10 + [False] * (N_DAYS - 10)
    assert {point[1] for point in points} == {PER_DAY}
    assert points[0][2] == pytest.approx(np.mean([f1_of([task]) for task in tasks[:PER_DAY]]), abs=1e-5)
    assert update(project) == []
    assert [finding.ok for finding in charts_finding(project.db, CONFIGS)] == [True]


def test_a_day_is_charted_once_it_is_closed_without_any_new_file(project: InboxProject) -> None:
    take_in(project, "spans.json", marked_days(range(15)))
    last = FIRST + timedelta(days=14)
    assert len(update(project, last)) == 1
    assert rows(project, "select max(day) from charts") == [(last - timedelta(days=2),)]
    assert update(project, last) == []
    assert len(update(project, last + timedelta(days=2))) == 1
    assert rows(project, "select max(day) from charts") == [(last,)]


def test_an_accepted_change_begins_a_new_reference(project: InboxProject) -> None:
    take_in(project, "spans.json", marked_days(range(N_DAYS)))
    update(project)
    with connect(project.db) as con:
        con.execute(
            "insert into accepted_changes select question, kind, subject, changed_on, now(), 'eve', alert_id"
            " from alerts"
        )
        con.execute("update alerts set closed_at = now(), closed_because = 'accepted'")
        ((changed,),) = con.execute("select changed_on from alerts").fetchall()
    (outcome,) = update(project)
    assert outcome.changes == ()
    assert rows(project, "select min(day), max(day) from charts") == [(changed, FIRST + timedelta(days=N_DAYS - 1))]
    take_in(project, "more.json", marked_days(range(N_DAYS, N_DAYS + 10)))  # as bad as the days before
    (outcome,) = update(project)
    assert outcome.changes == ()


def test_too_few_items_are_a_reason_and_no_chart(project: InboxProject) -> None:
    take_in(project, "spans.json", marked_days(range(3)))
    update(project)
    ((reason, detail),) = rows(project, "select reason, detail from missing_charts where question = 'names'")
    assert reason == "too_few_items"
    assert detail == "The reference needs 100 items on 10 days, and so far there are 30 on 3."
    assert rows(project, "select count(*) from charts") == [(0,)]


def test_votes_on_models_have_no_chart_and_no_reason_in_items(tmp_path: Path) -> None:
    project = publish_answers(tmp_path / "project", with_labels=False)
    update(project)
    assert rows(project, "select distinct question from missing_charts") == [("names",)]
    assert update(project) == []


def test_each_evaluation_draws_the_chart_anew(project: InboxProject) -> None:
    take_in(project, "spans.json", marked_days(range(15)))
    update(project)
    assert update(project) == []
    project.work("evaluate", QuestionConfigs({}), OPTIONS)  # a rater may have become a system
    assert len(update(project)) == 1


def test_items_that_are_no_longer_compared_change_no_alert(project: InboxProject) -> None:
    take_in(project, "spans.json", marked_days(range(N_DAYS)))
    update(project)
    with connect(project.db) as con:
        con.execute("delete from item_distances")
    assert update(project, closing_lag_days=3) == []
    assert rows(project, "select closed_at from alerts") == [(None,)]
    assert rows(project, "select count(*) from charts") == [(N_DAYS,)]
    ((detail,),) = rows(project, "select detail from missing_charts")
    assert detail.startswith("No item up to the last closed day is compared")


def test_the_figures_before_a_change_leave_out_an_earlier_one_that_is_over(project: InboxProject) -> None:
    tasks = marked_days(range(60), bad=[*range(20, 32), *range(45, 60)])
    take_in(project, "spans.json", tasks)
    update(project)
    first, second = rows(project, "select changed_on, closed_because, evidence from alerts order by changed_on")
    assert (first[1], second[1]) == ("recovered", None)
    day = (second[0] - FIRST).days
    steady = f1_of([*tasks[: PER_DAY * 20], *tasks[PER_DAY * 32 : PER_DAY * day]])
    before = float(second[2].split("; f1_exact ")[1].split()[0])
    assert before == pytest.approx(steady, abs=0.03)
    assert before > f1_of(tasks[: PER_DAY * day]) + 0.02


@pytest.mark.parametrize(
    ("monitor", "first", "last"),
    [
        ({"reference_from": date(2026, 3, 5), "reference_until": date(2026, 3, 15)}, 3, 13),
        ({"reference_batches": ("later.json",)}, 8, 14),
    ],
)
def test_a_reference_that_the_settings_name(
    project: InboxProject, monitor: dict[str, Any], first: int, last: int
) -> None:
    take_in(project, "spans.json", marked_days(range(8)))
    take_in(project, "later.json", marked_days(range(8, 15)))
    take_in(project, "last.json", marked_days(range(15, 18)))
    update(project, **monitor)
    days = rows(project, "select min(day), max(day) from charts where is_reference")
    assert days == [(FIRST + timedelta(days=first), FIRST + timedelta(days=last))]
