"""Charts and alerts in the warehouse, updated batch by batch."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

from tasks.monitor.chart_updates import ChartUpdate, update_charts
from tasks.monitor.monitor_config import MonitorConfig
from tasks.monitor.monitoring_configs import AlertConfig, MonitoringConfigs, QuestionMonitoring
from tests.tasks.monitor.conftest import START, Project, ratings_of
from warehouse.alerting.alert_changes import AlertChange
from warehouse.charts import read_progress
from warehouse.connect import connect
from warehouse.project_time import set_timezone

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CHARTS = "from charts order by all"
SUMS = "select * exclude (question_id) from internal.chart_sums order by all"
VERSION_SUMS = "select * exclude (question_id) from internal.version_sums order by all"


def update(
    project: Project, config: MonitorConfig | None = None, today: date | None = None, now: datetime = NOW
) -> list[ChartUpdate]:
    settings = QuestionMonitoring(charts=config or MonitorConfig(), alerts=AlertConfig({"system": "critical"}, "eve"))
    return update_charts(project.db, MonitoringConfigs({}, settings), now=now, today=today)


def rows(project: Project, query: str) -> list[Any]:
    with connect(project.db, read_only=True) as con:
        return con.execute(query).fetchall()


def open_alerts(project: Project) -> list[Any]:
    return rows(project, "select kind, subject from alerts where closed_at is null order by kind")


def test_too_few_items_have_no_chart_and_a_reason(project: Project) -> None:
    project.store(ratings_of(range(10)))
    assert update(project) == [ChartUpdate("q")]
    assert rows(project, "from charts") == []
    assert rows(project, "select chart, reason, detail from missing_charts") == [
        (
            "agreement",
            "too_few_items",
            "The reference needs 300 items on 20 days, and closed days have 200 so far.",
        )
    ]


def test_dates_in_the_future_are_named(project: Project) -> None:
    project.store(ratings_of(range(10)))
    update(project, now=datetime(START.year, START.month, START.day, 12, tzinfo=UTC))
    ((detail,),) = rows(project, "select detail from missing_charts")
    assert "But 180 items have dates in the future: look at the dates of the exports" in detail


def test_a_careless_rater_is_named_and_nobody_else(project: Project) -> None:
    project.store(ratings_of(range(25)))
    assert update(project) == [ChartUpdate("q")]
    project.store(ratings_of(range(25, 45), careless="r3"))
    (result,) = update(project)
    assert {(change.event, change.kind, change.subject) for change in result.changes} >= {("opened", "rater", "r3")}
    subjects = {subject for kind, subject in open_alerts(project) if kind.startswith("rater")}
    assert subjects == {"r3"}
    (alert,) = rows(
        project,
        "select changed_low, changed_high, detected_on, before, after, n_items, severity, owner, detail, evidence,"
        " opened_at, incident_id is not null from alerts where kind = 'rater'",
    )
    assert alert[0] <= START + timedelta(days=25) <= alert[1] < alert[2]
    assert alert[3] - alert[4] > 0.2
    assert alert[5] >= 20
    assert alert[6:8] == ("warning", "eve")
    assert "r3 agrees with the others" in alert[8]
    assert "raise about 1 such alarm a year" in alert[8]
    assert alert[9].startswith("before ")
    assert alert[10:] == (NOW, True)
    assert update(project) == []  # nothing changed


def test_overlapping_alarms_of_raters_and_agreement_are_one_incident(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 60), careless="r3"))
    update(project)
    kinds = dict(rows(project, "select kind, incident_id from alerts where kind in ('agreement', 'rater')"))
    assert kinds.keys() == {"agreement", "rater"}
    assert len(set(kinds.values())) == 1
    ((advice, evidence),) = rows(project, "select detail, evidence from alerts where kind = 'agreement'")
    assert "Look at annotator r3 first." in advice
    windows = re.search(r"; fleiss_kappa (0\.\d+) \[0\.\d+, 0\.\d+\] before, (0\.\d+) \[.*\] since 2026-0", evidence)
    assert windows is not None
    assert float(windows[1]) - float(windows[2]) > 0.15


def test_the_alert_of_a_system_says_that_the_annotators_may_be_the_cause(project: Project) -> None:
    """All annotators get worse, and the system is as before."""
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 60), people_right=0.3))
    update(project)
    results = dict(rows(project, "select kind, detail from alerts where kind in ('agreement', 'system')"))
    assert results.keys() == {"agreement", "system"}
    assert re.search(r"The annotators agree less since about \d+ \w+ 2026, but the model assumes", results["system"])
    project.store(ratings_of(range(80), people_right=0.85), question="ok")
    project.store(ratings_of(range(80, 100), system_right=0.5), question="ok")
    update(project)
    ((detail,),) = rows(project, "select detail from alerts where question = 'ok' and kind = 'system'")
    assert "may be the cause" not in detail


@pytest.mark.parametrize(("worse_from", "cause"), [(25, True), (40, True), (None, False)])
def test_the_alert_of_a_version_says_that_the_annotators_may_be_the_cause(
    project: Project, worse_from: int | None, cause: bool
) -> None:
    """All annotators get worse when the new version begins, or while the old one still answers; or only the version is
    worse."""
    project.store(ratings_of(range(worse_from or 25)))
    if worse_from == 40:
        project.store(ratings_of(range(40, 45), people_right=0.3))
    right = {"system_right": 0.5} if worse_from is None else {"people_right": 0.3, "system_right": 0.8}
    project.store(ratings_of(range(45 if worse_from == 40 else 25, 75), version="v2", **right))
    update(project)
    ((detail,),) = rows(project, "select detail from alerts where kind = 'version' and subject = 'bot'")
    assert detail.startswith("Version v2 of system bot is right less often than version v1")
    assert ("The annotators agree less since about" in detail) == cause
    assert detail == detail.strip()


FOUR = ("r1", "r2", "r3", "r4")


def agreement_alert(project: Project) -> tuple[str, str]:
    update(project)
    ((detail, evidence),) = rows(project, "select detail, evidence from alerts where kind = 'agreement'")
    return detail, evidence


def test_a_newcomer_whose_ratings_the_fall_comes_with_is_named(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 40), raters=(*FOUR, "late"), careless="late"))
    detail, evidence = agreement_alert(project)
    assert "newcomer late from 2026-01-30, pairs that agree: 0." in evidence
    assert "Annotator late began to rate on 30 January 2026: pairs of ratings with this annotator agree in 0." in detail
    assert "Without this annotator, Fleiss' kappa is 0." in detail
    assert "Look first at the items on which late and the others differ." in detail
    assert "No annotator's own chart" not in detail


def test_the_day_of_a_newcomer_is_that_of_the_first_rating(project: Project) -> None:
    """The others rate each item two days later, on which the item counts."""
    project.store(ratings_of(range(25)))
    together = ratings_of(range(27, 42), raters=(*FOUR, "late"), careless="late")
    project.store([(*row[:4], row[4] - timedelta(days=2 * (row[1] == "late")), *row[5:]) for row in together])
    detail, _ = agreement_alert(project)
    assert "Annotator late began to rate on 30 January 2026" in detail


def test_a_newcomer_is_named_with_two_ratings_an_item_too(project: Project) -> None:
    """The pairs of the others are then of other items."""
    pairs = list(combinations(FOUR, 2))
    with_late = list(combinations((*FOUR, "late"), 2))
    project.store([row for n in range(75) for row in ratings_of([n], raters=pairs[n % 6], n_items=30)])
    project.store(
        [row for n in range(75, 125) for row in ratings_of([n], raters=with_late[n % 10], careless="late", n_items=30)]
    )
    detail, _ = agreement_alert(project)
    assert "Annotator late began to rate on" in detail


@pytest.mark.parametrize(
    ("first", "careless"),
    [
        (25, None),  # as good as the others: the fall has another cause
        (10, "late"),  # began before, without harm
    ],
)
def test_a_newcomer_is_not_named_without_need(project: Project, first: int, careless: str | None) -> None:
    project.store(ratings_of(range(first)))
    if first < 25:
        project.store(ratings_of(range(first, 25), raters=(*FOUR, "late")))
    fallen = ratings_of(range(25, 50), raters=(*FOUR, "late"), careless=careless)
    rng = np.random.default_rng(5)
    project.store(
        [(*row[:3], rng.choice(["X", "Y", "Z"]) if rng.random() < 0.5 else row[3], *row[4:]) for row in fallen]
    )
    detail, evidence = agreement_alert(project)
    assert "began to rate on" not in detail
    assert "newcomer" not in evidence


@pytest.mark.parametrize("config", [MonitorConfig(), MonitorConfig(coefficient="krippendorff_alpha")])
def test_updates_batch_by_batch_equal_one_of_all(
    project: Project, another_project: Callable[[str], Project], config: MonitorConfig
) -> None:
    """Late items in the reference, an edit, a late day, a new version and a new rater change what they must."""
    at_once = another_project("at_once")
    batches = [
        ratings_of([*range(14), *range(15, 24)]),
        ratings_of([24]),
        ratings_of([14]),  # a late day within the reference
        ratings_of(range(25, 32), careless="r2"),
        [("d26-3", "r1", "human", "Z", START + timedelta(days=33), 4.0, None)],  # the item moves to another day
        ratings_of(range(34, 50), version="v2", system_right=0.6),
        ratings_of(range(50, 80), raters=("r1", "r2", "r3", "r4", "late")),
    ]
    for batch in batches:
        project.store(batch)
        update(project, config)
        at_once.store(batch)
    update(at_once, config)
    for query in (CHARTS, SUMS, VERSION_SUMS, "from missing_charts order by all", "from version_comparisons"):
        assert rows(project, query) == rows(at_once, query), query
    with connect(project.db, read_only=True) as con, connect(at_once.db, read_only=True) as other:
        assert read_progress(con, ["q"])["q"].state == read_progress(other, ["q"])["q"].state
    assert {subject for (subject,) in rows(project, "select distinct subject from charts where chart = 'rater'")} == {
        *("r1", "r2", "r3", "r4", "late")
    }


def test_a_day_is_charted_when_it_is_closed(project: Project) -> None:
    project.store(ratings_of(range(30)))
    day = START + timedelta(days=24)
    update(project, today=day)
    assert rows(project, "select max(day) from charts") == [(day - timedelta(days=2),)]
    update(project, today=day + timedelta(days=1))
    assert rows(project, "select max(day) from charts") == [(day - timedelta(days=1),)]
    update(project, MonitorConfig(closing_lag_days=0), today=day + timedelta(days=1))
    assert rows(project, "select max(day) from charts") == [(day + timedelta(days=1),)]


def test_an_alert_closes_when_the_old_level_is_back(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 40), careless="r3"))
    update(project)
    project.store(ratings_of(range(40, 80)))
    update(project, now=NOW + timedelta(days=1))
    closed = rows(project, "select closed_because, closed_at from alerts where kind = 'rater' and subject = 'r3'")
    assert closed == [("recovered", NOW + timedelta(days=1))]


def test_corrected_data_close_an_alert_as_revised(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 40), careless="r3"))
    update(project)
    assert ("rater", "r3") in open_alerts(project)
    project.store(ratings_of(range(25, 40), seed=3), hour=20)  # all labels were entered again, with care
    update(project)
    assert open_alerts(project) == []
    assert set(rows(project, "select closed_because from alerts")) == {("revised",)}


def test_an_accepted_change_is_the_new_normal(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 60), careless="r3"))
    update(project)
    others = [kind for kind in open_alerts(project) if kind != ("rater", "r3")]
    with connect(project.db) as con:
        con.execute(
            "insert into accepted_changes select question, kind, subject, changed_on, now(), 'eve', alert_id"
            " from alerts where kind = 'rater'"
        )
        con.execute("update alerts set closed_at = now(), closed_because = 'accepted' where kind = 'rater'")
    update(project)
    assert open_alerts(project) == others
    project.store(ratings_of(range(60, 75), careless="r3"))
    update(project)
    assert open_alerts(project) == others
    first = rows(project, "select min(day) from charts where chart = 'rater' and subject = 'r3'")
    assert first[0][0] >= START + timedelta(days=20)


def test_a_worse_version_opens_an_alert_that_a_better_one_replaces(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 50), version="v2", system_right=0.55))
    update(project)
    assert ("version", "bot") in open_alerts(project)
    ((severity,),) = rows(project, "select severity from alerts where kind = 'system'")
    assert severity == "critical"
    assert rows(project, "select count(distinct incident_id) from alerts where subject = 'bot'") == [(1,)]
    project.store(ratings_of(range(50, 55), version="v3"))
    update(project)
    assert ("version", "bot") not in open_alerts(project)
    assert rows(project, "select closed_because from alerts where kind = 'version'") == [("replaced",)]
    verdicts = rows(project, "select old_version, version, verdict from version_comparisons order by first_day")
    assert verdicts[0] == ("v1", "v2", "worse")


def test_a_better_version_that_answers_old_items_again_is_not_reported_as_the_one_before(project: Project) -> None:
    project.store(ratings_of(range(45), system_right=0.55))
    later = START + timedelta(days=50)
    again = [row for row in ratings_of(range(25), version="v2", system_right=0.95) if row[1] == "bot"]
    project.store([(*row[:4], later, *row[5:]) for row in again])
    update(project, MonitorConfig(reference_items=300, reference_days=15))
    compared = rows(project, "select old_version, version, verdict from version_comparisons")
    assert compared == [("v1", "v2", None)]
    assert ("version", "bot") not in open_alerts(project)


def test_a_version_that_is_older_than_the_change_of_its_system_is_an_incident_of_its_own(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 45), version="v2", system_right=0.95))
    project.store(ratings_of(range(45, 75), version="v2", system_right=0.4))
    update(project)
    incidents = dict(rows(project, "select kind, incident_id from alerts where subject = 'bot'"))
    assert incidents.keys() == {"system", "version"}
    assert len(set(incidents.values())) == 2


def test_a_new_version_of_kappaflow_computes_the_charts_again(project: Project) -> None:
    project.store(ratings_of(range(25)))
    assert update(project, MonitorConfig(code_version="1")) == [ChartUpdate("q")]
    assert update(project, MonitorConfig(code_version="1")) == []
    with connect(project.db) as con:
        con.execute("update internal.chart_points set value = 0")
    assert update(project, MonitorConfig(code_version="2")) == [ChartUpdate("q")]
    assert rows(project, "select count(*) from charts where value = 0 and chart = 'agreement'") == [(0,)]


def test_messages_are_written_in_the_same_transaction(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 45), careless="r3"))
    told: list[AlertChange] = []

    def fail(con: Any, changes: Any) -> None:
        told.extend(changes)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update_charts(project.db, MonitoringConfigs({}), now=NOW, tell=fail)
    assert told
    assert rows(project, "from alerts") == []
    assert rows(project, "from charts") == []


def test_days_are_those_of_the_time_zone(project: Project) -> None:
    project.store(ratings_of(range(30)), hour=23)
    with connect(project.db) as con:
        assert set_timezone(con, "Asia/Tokyo")
        assert not set_timezone(con, "Asia/Tokyo")
    update(project)
    assert rows(project, "select min(day) from charts") == [(START + timedelta(days=1),)]


def test_labels_without_an_order_fail_one_question_only(project: Project) -> None:
    project.store(ratings_of(range(25)), question="sound")
    project.store(ratings_of(range(25)), question="broken")
    from tasks.evaluate.question_config import QuestionConfig

    configs = MonitoringConfigs({"broken": QuestionMonitoring(QuestionConfig(scale="ordinal"))})
    failed, drawn = update_charts(project.db, configs, now=NOW)
    assert drawn == ChartUpdate("sound")
    assert failed.question == "broken"
    assert "no declared order" in str(failed.error)
    assert rows(project, "select distinct question from charts") == [("sound",)]


def test_points_hold_the_means_and_their_intervals(project: Project) -> None:
    project.store(ratings_of(range(30)))
    update(project)
    with connect(project.db, read_only=True) as con:
        points = con.sql("from charts").pl()
    assert points.filter(pl.col("low") > pl.col("value")).is_empty()
    assert points.filter(pl.col("high") < pl.col("value")).is_empty()
    by_kind = {kind for (kind,) in points.select("chart").unique().iter_rows()}
    assert by_kind == {"agreement", "labels", "rater", "rater_labels", "rater_speed", "system"}
    agreement = points.filter(chart="agreement")
    assert agreement.filter("is_reference").height == 20
    assert agreement.filter(~pl.col("is_reference") & (pl.col("statistic") > 0)).height > 0
    assert points.filter(pl.col("low") < pl.min_horizontal("value", -1)).is_empty()
    assert points.filter(pl.col("high") > pl.max_horizontal("value", 1)).is_empty()
    assert points.filter(chart="labels")["low"].min() == 0.0
    shares = points.filter(chart="labels").group_by("day").agg(pl.col("value").sum())
    assert shares["value"].to_list() == pytest.approx([1.0] * shares.height)


def test_systems_with_other_spellings_are_left_out_as_in_the_figures(
    project: Project, another_project: Callable[[str], Project]
) -> None:
    """A judge that writes most labels in another case changes no chart: none of its answers counts."""
    known = ratings_of(range(30))
    spelt = [
        (item, "judge", kind, label.swapcase() if int(item.rpartition("-")[2]) % 3 else label, *rest)
        for item, rater, kind, label, *rest in known
        if rater == "bot"
    ]
    without = another_project("without")
    project.store([*known, *spelt])
    without.store(known)
    update(project)
    update(without)
    figures = "select chart, subject, label, day, value, low, high from charts order by all"
    assert rows(project, figures) == rows(without, figures)
    assert rows(project, "select distinct label from charts where chart = 'labels' order by 1") == [
        (label,) for label in sorted({str(row[3]) for row in known})
    ]
