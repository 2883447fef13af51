"""The rules: what each finds and does not find, and the alerts that a run opens and closes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.audit.take_audit import AUDIT
from tasks.monitor.check_rules import RuleCheck, check_rules
from tasks.monitor.monitoring_configs import AlertConfig, MonitoringConfigs, QuestionMonitoring
from tasks.monitor.rules import RULES
from tasks.monitor.rules.alert_rule import RuleContext
from tasks.worklist.answers_file import take_answers
from tasks.worklist.take_worklist import take_worklist
from tests.gate_project import make_project
from tests.tasks.inbox import InboxProject
from tests.tasks.monitor.conftest import START, Project, ratings_of
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alert_figures import figures_query
from warehouse.connect import connect
from warehouse.publication.snapshot import query

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CONTEXT = RuleContext(NOW, "krippendorff_alpha", "krippendorff_alpha")
DAY = 86_400.0


def check(db: Path, question: str = "q", now: datetime = NOW, **rules: float) -> list[RuleCheck]:
    settings = QuestionMonitoring(rules=rules, alerts=AlertConfig({"new_label": "critical"}, "eve"))
    configs = MonitoringConfigs({question: settings})
    return check_rules(db, configs, coefficient="krippendorff_alpha", now=now)


def changes(checks: Sequence[RuleCheck]) -> list[tuple[str, str, str | None]]:
    return sorted((change.event, change.kind, change.subject) for result in checks for change in result.changes)


def rows(db: Path, text: str) -> list[Any]:
    with connect(db, read_only=True) as con:
        return con.execute(text).fetchall()


def findings(kind: str, *rows: dict[str, Any]) -> list[Any]:
    """The findings of a rule among rows of its query."""
    return list(
        RULES[kind].judge([{"question": "q", "coefficient": "krippendorff_alpha", **row} for row in rows], CONTEXT)
    )


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> InboxProject:
    return make_project(tmp_path_factory.mktemp("evaluated"))


def test_a_date_in_the_future_makes_nobody_missing_and_hides_no_recent_item(project: Project) -> None:
    days = ratings_of(range(20))
    project.store(days)
    item, rater, kind, label, day, *rest = days[0]
    project.store([(item, rater, kind, label, day.replace(year=2031), *rest)])
    with connect(project.db) as con:  # what came after the first batch counts up to the last one
        con.execute("update batches set ingested_at = '2026-01-06' where batch_id = 'b1'")
    assert check(project.db, rater_missing=7 * DAY) == []
    assert changes(check(project.db, ratings_per_item=4.5)) == [("opened", "ratings_per_item", None)]
    assert check(project.db, new_label=1 * DAY, ratings_per_item=4.5) == []
    project.store([("x", "r1", "human", "Q", START + timedelta(days=19), None, None)])
    assert changes(check(project.db, new_label=1 * DAY, ratings_per_item=4.5)) == [("opened", "new_label", "Q")]


def test_without_limits_no_rule_says_anything(project: Project) -> None:
    project.store(ratings_of(range(3)))
    assert check(project.db) == []


@pytest.mark.parametrize(("n_items", "high", "severity"), [(2, 0.553, "warning"), (20, -0.722, "critical")])
def test_items_without_any_agreement_are_low_for_sure_if_they_are_not_few(
    n_items: int, high: float, severity: str
) -> None:
    figures = {"estimate": -1.0, "low": -1.0, "high": -1.0, "observed": 0.0, "expected": 0.5, "confidence": 0.95}
    row = figures | {"threshold": 0.5, "n_items": n_items}
    (finding,) = findings("low_agreement", row)
    assert (finding.severity, f"[-1.000, {high:.3f}]" in finding.evidence) == (severity, True)
    recent = findings("recent_agreement", row)
    assert [f"[-1.000, {high:.3f}]" in finding.evidence for finding in recent] == [True] * (severity == "critical")


@pytest.mark.parametrize(("high", "severity"), [(0.45, "critical"), (0.55, "warning"), (None, "warning")])
def test_low_agreement_is_critical_where_the_whole_interval_is_below(high: float | None, severity: str) -> None:
    row = {"threshold": 0.5, "estimate": 0.4, "low": None if high is None else 0.35, "high": high, "n_items": 90}
    (finding,) = findings("low_agreement", row)
    assert (finding.severity, finding.value, finding.n_items) == (severity, 0.4, 90)
    assert findings("low_agreement", row | {"estimate": 0.5}) == []
    assert findings("low_agreement", row | {"estimate": 0.5 - 1e-16}) == []  # but for rounding


@pytest.mark.parametrize(
    ("kind", "row", "text"),
    [
        ("low_agreement", {"estimate": 0.5996}, "0.5996 [0.550, 0.59998]"),
        ("recent_agreement", {"estimate": 0.59}, "0.590 [0.550, 0.59998]"),
        ("gold_score", {"rater": "ann", "accuracy": 0.59996, "n_gold": 20}, "accuracy 0.59996 [0.550, 0.59998]"),
        ("ratings_per_item", {"n_annotators": 5996, "sum_of_squares": 3597.6}, "0.5996 [0.599"),
    ],
)
def test_a_figure_close_to_its_limit_does_not_read_as_if_it_met_it(kind: str, row: dict[str, Any], text: str) -> None:
    figures = {"threshold": 0.6, "low": 0.55, "high": 0.59998, "n_items": 10_000}
    (finding,) = findings(kind, figures | row)
    assert text in finding.evidence
    assert finding.evidence.endswith(" 0.6")


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("recent_agreement", {"estimate": 0.4, "low": 0.3, "n_items": 500}),
        ("gold_score", {"rater": "ann", "accuracy": 0.4, "low": 0.3, "n_gold": 20}),
    ],
)
def test_a_figure_is_held_to_its_limit_by_its_interval(kind: str, row: dict[str, Any]) -> None:
    assert len(findings(kind, row | {"threshold": 0.5, "high": 0.49})) == 1
    assert findings(kind, row | {"threshold": 0.5, "high": 0.51}) == []


def test_agreement_of_all_and_of_the_last_items_is_that_of_the_last_run(evaluated: InboxProject) -> None:
    db = evaluated.db
    opened = changes(check(db, "tone", low_agreement=0.9, recent_agreement=0.95))
    assert opened == [("opened", "recent_agreement", None)]  # the other was open already
    stored = rows(db, "select kind, after, n_items, owner, evidence from alerts order by kind")
    assert [row[0] for row in stored] == ["low_agreement", "recent_agreement"]
    ((estimate, n_items),) = rows(
        db,
        "select estimate, n_items from latest_agreement where question = 'tone' and scope = 'humans' and"
        " coefficient = 'krippendorff_alpha' and period = 'last_n'",
    )
    assert stored[1][1:4] == (estimate, n_items, "eve")
    assert f"{estimate:.3f}" in stored[1][4]
    assert changes(check(db, "tone", low_agreement=0.9)) == [("closed", "recent_agreement", None)]
    assert rows(db, "select closed_because from alerts where kind = 'recent_agreement'") == [("no limit",)]
    assert changes(check(db, "alone", recent_agreement=0.99))[0][:2] == ("closed", "low_agreement")


def test_a_batch_is_late_after_the_limit_and_not_before(project: Project) -> None:
    project.store(ratings_of(range(2)))  # stored on 1 June, a minute after midnight
    assert check(project.db, batch_late=13 * 3600) == []
    assert changes(check(project.db, batch_late=11 * 3600)) == [("opened", "batch_late", None)]
    ((detail, evidence),) = rows(project.db, "select detail, evidence from alerts")
    assert detail == "No new ratings of 'q' came for more than 11 hours."
    assert evidence == "last batch 1.csv of inbox at 2026-06-01 00:01 UTC"
    project.store(ratings_of([2]))
    assert changes(check(project.db, now=NOW - timedelta(hours=6), batch_late=11 * 3600)) == [
        ("closed", "batch_late", None)
    ]


def test_a_batch_that_was_late_did_not_come_because_the_last_one_is_gone(project: Project) -> None:
    project.store(ratings_of(range(2)))
    check(project.db, batch_late=3600)
    with connect(project.db) as con:
        con.execute("delete from internal.batch_questions")
    assert changes(check(project.db, batch_late=3600)) == [("closed", "batch_late", None)]
    assert rows(project.db, "select closed_because from alerts") == [("no figure",)]


def test_a_rater_is_missing_while_others_go_on(project: Project) -> None:
    project.store(ratings_of(range(5)))
    project.store(ratings_of(range(5, 15), raters=("r1", "r2", "r3")))
    assert changes(check(project.db, rater_missing=9 * DAY)) == [("opened", "rater_missing", "r4")]
    assert check(project.db, rater_missing=9 * DAY) == []
    assert changes(check(project.db, rater_missing=10 * DAY)) == [("closed", "rater_missing", "r4")]


def test_a_rater_is_missing_also_where_others_rate_the_same_items_later(project: Project) -> None:
    first = ratings_of(range(5), raters=("r1", "r4"))
    project.store(first)
    later = [
        (item, "r1b" if rater == "r1" else rater, kind, label, day + timedelta(days=10), *rest)
        for item, rater, kind, label, day, *rest in first
        if rater == "r1"
    ]
    project.store(later)
    assert changes(check(project.db, rater_missing=8 * DAY)) == [
        ("opened", "rater_missing", "r1"), ("opened", "rater_missing", "r4"),
    ]  # fmt: skip
    ((evidence,),) = rows(project.db, "select evidence from alerts where subject = 'r4'")
    assert evidence.startswith("last rating 2026-01-09, newest rating of the question 2026-01-19")


def test_further_readings_are_days_of_their_annotator(project: Project) -> None:
    project.store(ratings_of(range(5), raters=("r1", "r2", "r2 #2", "r3", "x #2")))
    project.store(ratings_of(range(5, 20), raters=("r1", "r2", "r3 #2")))
    assert changes(check(project.db, rater_missing=9 * DAY)) == [("opened", "rater_missing", "x #2")]  # there is no x


def test_a_label_is_new_for_a_time_and_not_in_the_first_days(project: Project) -> None:
    project.store(ratings_of(range(5)))
    assert check(project.db, new_label=7 * DAY) == []
    project.store([("x", "r1", "human", "Q", START + timedelta(days=6), None, None)])
    assert changes(check(project.db, new_label=7 * DAY)) == [("opened", "new_label", "Q")]
    assert rows(project.db, "select severity, n_items from alerts") == [("critical", 1)]
    project.store(ratings_of([13]))
    assert changes(check(project.db, new_label=7 * DAY)) == [("closed", "new_label", "Q")]


def test_a_label_is_not_new_because_its_items_are_rated_again(project: Project) -> None:
    project.store([("x", "r1", "human", "Q", START, None, None), *ratings_of(range(30))])
    project.store([("x", "r2", "human", "X", START + timedelta(days=29), None, None)])  # now it is an item of that day
    assert check(project.db, new_label=7 * DAY) == []
    project.store([("y", "bot", "system", "S", START, None, None), ("z", "r1", "human", "N", START, None, None)])
    assert check(project.db, new_label=7 * DAY) == []
    project.store([(item, "r2", "human", "X", START + timedelta(days=28), None, None) for item in ("y", "z")])
    assert changes(check(project.db, new_label=7 * DAY)) == [("opened", "new_label", "S")]  # of a system: by its item
    assert rows(project.db, "select evidence from alerts") == [
        ("first on 2026-02-02, 1 item so far; the question began on 2026-01-05",)
    ]


def test_ratings_per_item_leave_out_items_that_may_get_more(project: Project) -> None:
    project.store(ratings_of(range(8)))  # four raters
    assert check(project.db, ratings_per_item=4) == []
    assert changes(check(project.db, ratings_per_item=4.5)) == [("opened", "ratings_per_item", None)]
    project.store(ratings_of([8, 9], raters=("r1",)))
    assert changes(check(project.db, ratings_per_item=4)) == [("closed", "ratings_per_item", None)]
    assert (
        findings("ratings_per_item", {"threshold": 3, "n_items": 29, "n_annotators": 29, "sum_of_squares": 29.0}) == []
    )
    row = {"threshold": 2.0, "n_items": 100, "n_annotators": 190, "sum_of_squares": 460.0}  # 1.9, sd 1: reaches 2
    assert findings("ratings_per_item", row) == []


def test_further_readings_are_of_their_annotator_in_ratings_per_item(project: Project) -> None:
    project.store(ratings_of(range(8), raters=("r1", "r1 #2", "r1 #3", "r2", "x #2", "x #3")))  # there is no x
    assert check(project.db, ratings_per_item=4) == []
    assert changes(check(project.db, ratings_per_item=4.5)) == [("opened", "ratings_per_item", None)]
    ((evidence, alert),) = rows(project.db, "select evidence, alert_id from alerts")
    assert evidence == "4.00 [4.00, 4.00] annotators per item, of 120 items, limit 4.5"
    text = figures_query("ratings_per_item", alert)
    assert text is not None
    assert query(project.db, text)["n_annotators"].unique().to_list() == [4]


@pytest.mark.parametrize(
    ("n_rejected", "n_rows", "limit", "text"),
    [
        (1, 3000, 0.0001, "(0.0333%), limit 0.01%"),
        (504, 10_000, 0.05, "(5.04%), limit 5%"),
        (1001, 10_000, 0.1, "(10.01%), limit 10%"),
        (7, 100, 0.0699, "(7%), limit 6.99%"),
    ],
)
def test_a_share_above_its_limit_does_not_read_as_if_it_met_it(
    n_rejected: int, n_rows: int, limit: float, text: str
) -> None:
    row = {"source": "inbox", "file_name": "a.csv", "n_rows": n_rows, "n_rejected": n_rejected}
    (finding,) = findings("rejected_rows", row | {"share": n_rejected / n_rows, "threshold": limit})
    assert finding.evidence.endswith(text)


def test_the_share_of_the_latest_batch_of_a_source_counts(project: Project) -> None:
    project.store(ratings_of(range(2)))
    with connect(project.db) as con:
        con.execute("update batches set n_rejected = 5, n_rows = 100")
    assert check(project.db, rejected_rows=0.05) == []
    assert changes(check(project.db, rejected_rows=0.04)) == [("opened", "rejected_rows", "inbox")]
    assert rows(project.db, "select evidence from alerts") == [("5 of 100 rows of 1.csv (5%), limit 4%",)]
    with connect(project.db) as con:  # a batch of the same day without one good row, then a sound one of another day
        con.execute(
            "insert into batches by name select * exclude (batch_id, file_name, n_rejected, ingested_at),"
            " 'y' as batch_id, 'y.csv' as file_name, 100 as n_rejected, ingested_at - interval 1 hour as ingested_at"
            " from batches"
        )
    assert check(project.db, rejected_rows=0.04) == []
    assert rows(project.db, "select evidence from alerts") == [("100 of 100 rows of y.csv (100%), limit 4%",)]
    with connect(project.db) as con:
        con.execute("update batches set ingested_at = ingested_at - interval 2 day")
    project.store(ratings_of([2]))
    assert changes(check(project.db, rejected_rows=0.04)) == [("closed", "rejected_rows", "inbox")]


@pytest.mark.parametrize("taken_by", ["audit", "worklist", "annotator"])
def test_answers_that_people_take_in_are_no_batch_of_a_source(project: Project, tmp_path: Path, taken_by: str) -> None:
    project.store(ratings_of(range(2)))
    answers = tmp_path / "answers.csv"
    answers.write_text("item,label\nd0-0,X\nelsewhere,X\n", encoding="utf-8")
    if taken_by == "audit":
        items = pl.DataFrame({"item": ["d0-0"], "source_ref": ["a1"]})
        with connect(project.db) as con:
            take_answers(con, project.db, answers, "q", AUDIT, items, items_are="One.", labels=None, now=NOW)
    else:
        rater = "eve" if taken_by == "annotator" else None
        take_worklist(project.db, answers, "q", rater, labels=None, now=NOW)
    sentence = "select n_rows, n_ratings, n_rejected from batches order by ingested_at desc limit 1"
    assert rows(project.db, sentence) == [(2, 1, 1)]
    checks = check(project.db, batch_late=11 * 3600, rejected_rows=0.05)
    assert changes(checks) == [("opened", "batch_late", None)]
    ((evidence, alert),) = rows(project.db, "select evidence, alert_id from alerts")
    assert evidence == "last batch 1.csv of inbox at 2026-06-01 00:01 UTC"
    text = figures_query("batch_late", alert)
    assert text is not None
    assert query(project.db, text)["source"].to_list() == ["inbox"]


def test_messages_are_written_with_the_alerts(project: Project) -> None:
    project.store(ratings_of(range(2)))
    told: list[AlertChange] = []
    configs = MonitoringConfigs({}, QuestionMonitoring(rules={"batch_late": 60.0}))
    for _ in range(2):
        check_rules(
            project.db, configs, coefficient="gwet_ac1", now=NOW, tell=lambda _con, changes: told.extend(changes)
        )
    assert [(change.event, change.kind) for change in told] == [("opened", "batch_late")]


@pytest.mark.parametrize("kind", ["agreement", "version", *RULES])
def test_the_query_behind_each_kind_runs(evaluated: InboxProject, kind: str) -> None:
    text = figures_query(kind, "a1")
    assert text is not None
    assert query(evaluated.db, text).width > 1


def test_a_gold_score_comes_from_the_last_run(evaluated: InboxProject) -> None:
    with connect(evaluated.db) as con:
        con.execute("update rater_quality set n_gold = 30, high = .7, low = .5, accuracy = .6 where rater <> 'bob'")
        con.execute("update rater_quality set n_gold = 0, high = .7, low = .5, accuracy = .6 where rater = 'bob'")
        con.execute("update rater_quality set rater_kind = 'system' where rater = 'cem'")
    opened = changes(check(evaluated.db, "tone", gold_score=0.8))
    assert [change for change in opened if change[1] == "gold_score"] == [("opened", "gold_score", "ann")]
    assert changes(check(evaluated.db, "tone", gold_score=0.7)) == [("closed", "gold_score", "ann")]


def test_an_alert_whose_figure_is_gone_does_not_say_that_its_limit_is_met(tmp_path: Path) -> None:
    db = make_project(tmp_path).db
    limits = {"low_agreement": 0.9, "gold_score": 0.8}
    with connect(db) as con:
        con.execute("update rater_quality set n_gold = 30, high = .7, low = .5, accuracy = .6 where rater = 'ann'")
    check(db, "tone", **limits)
    with connect(db) as con:
        con.execute("update agreement set estimate = null")
        con.execute("update rater_quality set n_gold = 0")
    check(db, "tone", **limits)
    text = "select kind, closed_because from alerts where question = 'tone' order by kind"
    assert rows(db, text) == [("gold_score", "no figure"), ("low_agreement", "no figure")]


def test_a_closed_alert_is_not_over_while_there_is_no_figure(project: Project) -> None:
    def figures_of(n_days: int) -> None:
        with connect(project.db) as con:
            con.execute("delete from internal.pattern_counts where day >= ?", [START + timedelta(days=n_days)])

    project.store(ratings_of(range(8), raters=("r1",)))
    check(project.db, ratings_per_item=2)
    with connect(project.db) as con:
        con.execute("update alerts set closed_at = now(), closed_by = 'eve', closed_because = 'we know'")
    figures_of(3)  # of 20 items that are old enough: too few
    assert check(project.db, ratings_per_item=2) == []
    assert rows(project.db, "select recovered_at from alerts") == [(None,)]
    project.store(ratings_of(range(10, 18), raters=("r1",)))
    assert check(project.db, ratings_per_item=2) == []  # still the cause that eve knows
    assert check(project.db) == []  # without the limit it is over
    assert changes(check(project.db, ratings_per_item=2)) == [("opened", "ratings_per_item", None)]


def test_an_alert_without_a_figure_opens_again_with_the_figure(project: Project) -> None:
    project.store(ratings_of(range(8), raters=("r1",)))
    assert changes(check(project.db, ratings_per_item=2)) == [("opened", "ratings_per_item", None)]
    assert changes(check(project.db)) == [("closed", "ratings_per_item", None)]
    assert changes(check(project.db, ratings_per_item=2)) == [("opened", "ratings_per_item", None)]
    assert rows(project.db, "select closed_because from alerts order by closed_at nulls last") == [
        ("no limit",),
        (None,),
    ]
