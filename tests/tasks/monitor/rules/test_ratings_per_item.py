"""Which items count for the annotators per item, and the interval of their mean."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.monitor.rules import RULES
from tasks.monitor.rules.alert_rule import RuleContext
from tests.tasks.monitor.conftest import Project, ratings_of
from warehouse.connect import connect

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def findings(project: Project, limit: float) -> list[tuple[float, int]]:
    """The mean and the number of items of the open alert, if there is one."""
    configs = MonitoringConfigs({"q": QuestionMonitoring(rules={"ratings_per_item": limit})})
    check_rules(project.db, configs, coefficient="krippendorff_alpha", now=NOW)
    with connect(project.db, read_only=True) as con:
        return con.execute("select after, n_items from alerts where closed_at is null").fetchall()


def test_items_of_two_to_thirty_days_before_the_newest_count(project: Project) -> None:
    for day, n_items in enumerate((1, 40, 20, 3)):
        number = (0, 1, 29, 30)[day]  # 31, 30, 2 and 1 days before the last one
        project.store(ratings_of([number], raters=("ann", "bob"), n_items=n_items))
    project.store(ratings_of([31], raters=("ann",), n_items=5))
    project.store(ratings_of([60], raters=("ann",), n_items=5), question="other")
    with connect(project.db) as con:  # what came after the first batch counts up to the last one
        con.execute("update batches set ingested_at = '2026-01-06' where batch_id = 'b1'")
    assert findings(project, 3.0) == [(2.0, 60)]


def test_only_people_are_annotators(project: Project) -> None:
    project.store(ratings_of([0], raters=("ann", "judge", "gold"), n_items=40))  # and a system
    project.store(ratings_of([9], raters=("ann",), n_items=1))
    assert findings(project, 3.5) == [(3.0, 40)]
    with connect(project.db) as con:
        con.execute(
            "insert into internal.declared_kinds select question_id, rater_id, if(rater = 'gold', 'gold', 'system')"
            " from internal.questions cross join internal.raters where rater in ('gold', 'judge')"
        )
    assert findings(project, 3.5) == [(1.0, 40)]


def test_days_after_the_last_arrival_are_wrong_dates(project: Project) -> None:
    project.store(ratings_of([0], raters=("ann", "bob"), n_items=40))
    project.store(ratings_of([5], raters=("ann",), n_items=1))
    project.store([("new", "ann", "human", "X", date(2031, 1, 1), None, None)])
    assert findings(project, 3.0) == [(2.0, 40)]
    project.store([("newer", "ann", "human", "X", date(2026, 6, 1), None, None)])  # the day on which it arrives
    assert findings(project, 3.0) == []  # those are long ago


@pytest.mark.parametrize(("limit", "is_found"), [(2.7278, False), (2.7280, True)])
def test_the_interval_is_that_of_a_mean(limit: float, is_found: bool) -> None:
    """30 items, mean 2, variance 4: 1.96 x sqrt(4 / 29) = .7279."""
    row: dict[str, Any] = {"question": "q", "n_items": 30, "n_annotators": 60, "sum_of_squares": 240.0}
    context = RuleContext(NOW, "krippendorff_alpha", "krippendorff_alpha")
    findings = list(RULES["ratings_per_item"].judge([row | {"threshold": limit}], context))
    assert len(findings) == is_found
    if is_found:
        assert findings[0].evidence == "2.00 [1.27, 2.7279] annotators per item, of 30 items, limit 2.728"
