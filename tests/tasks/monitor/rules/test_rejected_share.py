"""Which batch of a source is held to the limit on rejected rows."""

from datetime import UTC, datetime, timedelta

from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tests.tasks.monitor.conftest import Project, ratings_of
from warehouse.connect import connect

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def findings(project: Project, *questions: str, limit: float = 0.1) -> list[tuple[str, str, str]]:
    """Question, source and file of the open alerts."""
    settings = QuestionMonitoring(rules={"rejected_rows": limit})
    configs = MonitoringConfigs(dict.fromkeys(questions, settings))
    check_rules(project.db, configs, coefficient="krippendorff_alpha", now=NOW)
    with connect(project.db, read_only=True) as con:
        rows = con.execute(
            "select question, subject, evidence from alerts where closed_at is null order by all"
        ).fetchall()
    return [(question, source, evidence.split(" rows of ")[1].split(" ")[0]) for question, source, evidence in rows]


def change(project: Project, batch: str, source: str, n_rejected: int, n_rows: int, at: datetime) -> None:
    with connect(project.db) as con:
        con.execute(
            "update batches set source = ?, n_rejected = ?, n_rows = ?, ingested_at = ? where batch_id = ?",
            [source, n_rejected, n_rows, at, batch],
        )


def add(project: Project, name: str, source: str, n_rejected: int, n_rows: int, at: datetime) -> None:
    """Add a batch without any rating."""
    with connect(project.db) as con:
        con.execute(
            "insert into batches by name select * replace (? as batch_id, ? as file_name, ? as source, ? as n_rejected,"
            " ? as n_rows, ? as ingested_at) from batches where batch_id = 'b1'",
            [name, f"{name}.csv", source, n_rejected, n_rows, at],
        )


def test_the_worst_of_the_last_day_of_each_source_counts(project: Project) -> None:
    for question in ("p", "q", "r"):
        project.store(ratings_of([0], n_items=2), question=question)
    change(project, "b1", "here", 0, 10, NOW)  # p
    change(project, "b2", "here", 0, 10, NOW)  # q
    change(project, "b3", "there", 0, 10, NOW)  # r
    assert findings(project, "p", "q", "r") == []
    add(project, "day", "here", 2, 10, NOW - DAY)
    add(project, "older", "here", 9, 10, NOW - DAY - timedelta(seconds=1))
    add(project, "empty", "here", 0, 0, NOW + DAY)  # nothing in it: the last batch is another one
    add(project, "elsewhere", "nowhere", 9, 10, NOW)  # of a source without any question
    assert findings(project, "p", "q", "r") == [("p", "here", "day.csv"), ("q", "here", "day.csv")]
    add(project, "worse", "here", 3, 10, NOW - DAY)
    assert findings(project, "q") == [("q", "here", "worse.csv")]
    assert findings(project, "q", limit=0.3) == []
    change(project, "b2", "here", 10, 10, NOW)  # with ratings of q, it is of q alone
    assert findings(project, "p", "q", "r") == [("p", "here", "worse.csv"), ("q", "here", "2.csv")]
