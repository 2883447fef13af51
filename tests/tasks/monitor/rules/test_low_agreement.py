"""The limits of agreement on spans, boxes, rankings and texts, and of who works on their items."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tasks.evaluate.evaluation_options import QuestionConfigs
from tasks.monitor.alert_findings import rule_finding
from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.monitor.rules import RULES_OF_OTHER_ANSWERS
from tasks.monitor.rules.alert_rule import RuleContext
from tests.answers_project import publish_answers
from tests.gate_project import OPTIONS, rating_rows, write_table
from tests.tasks.inbox import InboxProject
from warehouse.alerting.alert_figures import figures_query
from warehouse.connect import connect
from warehouse.sql import fetch_named

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CONTEXT = RuleContext(NOW, "krippendorff_alpha", "krippendorff_alpha")
DAY = 86_400.0


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> InboxProject:
    return publish_answers(tmp_path_factory.mktemp("answers") / "project", with_labels=True)


def opened(project: InboxProject, *, own: bool = True, **limits: float) -> dict[str, tuple[Any, ...]]:
    """The open alerts of `names`, whose answers are spans, with these limits: kind -> subject, severity, figures."""
    settings = QuestionMonitoring(rules=limits, own_rules=frozenset(limits) if own else frozenset())
    configs = MonitoringConfigs({"names": settings})
    check_rules(project.db, configs, coefficient="krippendorff_alpha", now=NOW)
    with connect(project.db, read_only=True) as con:
        rows = con.execute(
            "select kind, subject, severity, after, n_items, evidence, detail, alert_id from alerts"
            " where closed_at is null"
        ).fetchall()
    return {row[0]: row[1:] for row in rows}


def behind(project: InboxProject, kind: str, alert: str) -> list[dict[str, Any]]:
    """The rows of the query that people may copy from an alert."""
    text = figures_query(kind, alert)
    assert text is not None
    with connect(project.db, read_only=True) as con:
        return fetch_named(con.execute(text))


def finding(kind: str, **row: Any) -> Any:
    figures = {"question": "q", "coefficient": "f1_exact", "threshold": 0.5, "observed": None, "expected": None}
    results = list(RULES_OF_OTHER_ANSWERS[kind].judge([figures | {"confidence": 0.95} | row], CONTEXT))
    return results[0] if results else None


@pytest.mark.parametrize(
    ("coefficient", "n_items", "severity"),
    [("f1_exact", 19, "warning"), ("f1_exact", 20, "critical"), ("kendall_w", 19, "warning"),
     ("text_similarity", 19, "critical")],
)  # fmt: skip
def test_intervals_that_are_too_narrow_are_not_sure(coefficient: str, n_items: int, severity: str) -> None:
    row = {"coefficient": coefficient, "estimate": 0.4, "low": 0.35, "high": 0.45, "n_items": n_items}
    low, recent = finding("low_agreement", **row), finding("recent_agreement", **row)
    assert low.severity == severity
    assert ("but intervals of 19 items are too narrow to be sure" in low.detail) is (severity == "warning")
    assert (recent is None) is (severity == "warning")
    assert finding("low_agreement", **row | {"estimate": 0.5}) is None


def test_agreement_on_spans_is_held_to_the_limit_of_its_question(project: InboxProject) -> None:
    with connect(project.db, read_only=True) as con:
        ((estimate, low, high, n_items),) = con.execute(
            "select estimate, low, high, n_items from latest_region_agreement"
            " where question = 'names' and coefficient = 'f1_exact' and rater_a is null and label is null"
        ).fetchall()
    assert opened(project, low_agreement=estimate - 0.01) == {}
    alerts = opened(project, low_agreement=0.9)
    (subject, severity, after, of, evidence, detail, alert) = alerts["low_agreement"]
    assert (subject, severity, after, of) == (None, "warning", estimate, n_items)
    assert rule_finding(detail, evidence) == (
        f"The annotators of 'names' seem to agree less than the threshold set for it, but intervals of {n_items} items"
        f" are too narrow to be sure: F1 (exact) {estimate:.3f} [{low:.3f}, {high:.3f}], threshold 0.9."
    )
    rows = behind(project, "low_agreement", alert)
    assert [row["estimate"] for row in rows if (row["scope"], row["coefficient"]) == ("all", "f1_exact")] == [estimate]
    assert opened(project) == {}  # no limit, no alert


def test_a_limit_for_all_questions_is_one_of_labels(project: InboxProject) -> None:
    assert opened(project, own=False, low_agreement=0.9, recent_agreement=0.99) == {}


def test_who_works_on_spans_no_longer_and_how_many_do(project: InboxProject) -> None:
    with connect(project.db) as con:  # each text three times: the rule wants 30 items or more
        con.execute(
            "insert into internal.region_work by name select * exclude (copy) replace (item || '-' || copy as item,"
            " work_id + 1000 * copy as work_id) from internal.region_work cross join (select unnest([1, 2]) as copy)"
        )
    alerts = opened(project, own=False, rater_missing=DAY, ratings_per_item=2.9)
    assert "rater_missing" not in alerts  # rater 3 marked every other text, the last one among them
    (_, severity, after, n_items, evidence, _, alert) = alerts["ratings_per_item"]
    assert (severity, n_items) == ("warning", 36)  # not those of the last two days
    assert after == pytest.approx(2.5)
    assert evidence.startswith("2.50 [")
    assert sorted(row["n_annotators"] for row in behind(project, "ratings_per_item", alert)) == [2] * 21 + [3] * 21
    with connect(project.db) as con:
        con.execute(
            "update internal.region_work set deleted_at = now() where rater_id in (select rater_id from internal.raters"
            " where rater = '3') and rated_at > '2026-03-10'"
        )
    alerts = opened(project, own=False, rater_missing=3 * DAY)
    assert alerts["rater_missing"][0] == "3"
    assert alerts["rater_missing"][4].startswith("last rating 2026-03-08, newest rating of the question 2026-03-14")
    days = behind(project, "rater_missing", alerts["rater_missing"][-1])
    last = {row["rater"]: f"{row['last_at']:%d}" for row in days}
    assert last == {"1": "14", "2": "14", "3": "08"}
    with connect(project.db) as con:
        con.execute(
            "insert into internal.declared_kinds select question_id, rater_id, 'system' from internal.questions"
            " cross join internal.raters where question = 'names' and rater = '3'"
        )
    assert "rater_missing" not in opened(project, own=False, rater_missing=3 * DAY)  # no annotator


def test_a_question_of_labels_and_spans_is_judged_by_its_labels(tmp_path: Path) -> None:
    project = publish_answers(tmp_path / "project", with_labels=False)
    write_table(project.inbox / "names.csv", rating_rows(30, {"ann": 0.9, "bob": 0.4}))
    project.ingest()
    project.work("evaluate", QuestionConfigs({}), OPTIONS)
    alerts = opened(project, low_agreement=0.9)
    assert list(alerts) == ["low_agreement"]
    assert alerts["low_agreement"][4].startswith("krippendorff_alpha ")
