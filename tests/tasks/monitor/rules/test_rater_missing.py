"""Who counts as an annotator who is missing, and by which of their ratings."""

from datetime import UTC, date, datetime

from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tests.tasks.monitor.conftest import Project, ratings_of
from warehouse.connect import connect

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = 86_400.0


def missing(project: Project, days: int) -> dict[str, str]:
    """Those who gave no ratings of q for more than so many days, and on how many ratings that rests."""
    configs = MonitoringConfigs({"q": QuestionMonitoring(rules={"rater_missing": days * DAY})})
    check_rules(project.db, configs, coefficient="krippendorff_alpha", now=NOW)
    with connect(project.db, read_only=True) as con:
        rows = con.execute("select subject, evidence from alerts where closed_at is null order by all").fetchall()
    return {subject: evidence.split(", ")[-1] for subject, evidence in rows}


def test_who_rated_on_three_days_and_was_a_person_is_missing(project: Project) -> None:
    project.store(ratings_of(range(2), raters=("two_days", "two_days #2"), n_items=4))
    project.store(ratings_of(range(3), raters=("three_days", "judge", "gold"), n_items=4, seed=1))
    project.store([row for row in ratings_of(range(3), raters=(), n_items=4, seed=2) if row[2] == "system"])
    project.store([row for row in ratings_of(range(20), raters=("ann",), n_items=4, seed=3) if row[2] == "human"])
    with connect(project.db) as con:
        con.execute(
            "update batches set ingested_at = '2026-01-06' where batch_id = 'b1'"
        )  # what came later counts, too
        con.execute(
            "insert into internal.declared_kinds select question_id, rater_id, if(rater = 'gold', 'gold', 'system')"
            " from internal.questions cross join internal.raters where rater in ('gold', 'judge')"
        )
    assert missing(project, 16) == {"three_days": "12 ratings in all"}
    assert missing(project, 17) == {}  # the last of their days is 17 days older than the newest


def test_ratings_that_are_not_in_force_are_no_days(project: Project) -> None:
    project.store(ratings_of(range(12), raters=("ann", "bob", "cem"), n_items=4))
    with connect(project.db) as con:
        for rater, column in (("bob", "deleted_at"), ("cem", "superseded_at")):
            con.execute(
                f"update internal.ratings set {column} = now() where rated_at > '2026-01-10' and rater_id in"
                " (select rater_id from internal.raters where rater = ?)",
                [rater],
            )
    assert missing(project, 5) == dict.fromkeys(("bob", "cem"), "20 ratings in all")


def test_a_further_reading_is_of_the_annotator_of_its_own_question(project: Project) -> None:
    project.store(ratings_of(range(10), raters=("ann",), n_items=4))
    project.store(ratings_of(range(3), raters=("bob #2",), n_items=4))
    project.store(ratings_of(range(10), raters=("bob",), n_items=4), question="other")
    assert missing(project, 5) == {"bob #2": "12 ratings in all"}  # nobody in q is called bob
    project.store(ratings_of([8, 9], raters=("bob",), n_items=4))
    assert missing(project, 5) == {}
    project.store(ratings_of([20], raters=("ann",), n_items=4))
    assert missing(project, 5) == {"bob": "20 ratings in all"}  # each counts once


def test_days_after_the_last_arrival_are_wrong_dates(project: Project) -> None:
    project.store(ratings_of(range(10), raters=("ann", "bob"), n_items=4))
    project.store([("new", "ann", "human", "X", date(2031, 1, 1), None, None)])
    assert missing(project, 5) == {}
    project.store([("newer", "ann", "human", "X", date(2026, 6, 1), None, None)])  # the day on which it arrives
    assert missing(project, 5) == {"bob": "40 ratings in all"}
