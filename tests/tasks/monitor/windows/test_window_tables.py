"""All figures by window: their bounds, their sizes, and that they do not depend on the order in which ratings came."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from stats.special_functions import logit
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.patterns import WindowPatterns
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.monitor.windows.window_spans import WindowSettings, item_windows
from tasks.question_runs import process_questions
from tasks.runs.history import reproduce
from tests.tasks.monitor.conftest import START, Project, Rating, ratings_of
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.project_time import set_timezone

OPTIONS = EvaluationOptions(
    confidence=0.95,
    seed=0,
    alert_coefficient="krippendorff_alpha",
    code_version="1",
    last_items=50,
    rolling_days=7,
    window_items=30,
)
CONFIGS = QuestionConfigs({}, QuestionConfig(systems=frozenset({"bot"})))
TRENDS = ("agreement_trend", "label_trend", "label_confusion_trend", "rater_trend", "system_trend")


def monitor(project: Project, options: EvaluationOptions = OPTIONS) -> None:
    for kind in ("evaluate", "monitor"):
        due = pending_questions(project.db, kind, CONFIGS, options, everything=False)
        assert [result.error for result in process_questions(project.db, kind, due, CONFIGS, options)] == [None] * len(
            due
        )


def rows(project: Project, query: str) -> list[Any]:
    with connect(project.db, read_only=True) as con:
        return con.execute(query).fetchall()


def of_day(number: int, labels: Sequence[str]) -> list[Rating]:
    """One item a text of labels, given by r1, r2, ... on the day `number`."""
    day = START + timedelta(days=number)
    return [
        (f"d{number}-{i}", f"r{rater}", "human", label, day, None, None)
        for i, text in enumerate(labels)
        for rater, label in enumerate(text, start=1)
    ]


def test_label_shares_and_confusion_are_those_counted_by_hand(project: Project) -> None:
    project.store(of_day(0, ["XX", "XY", "X"]))
    project.store(of_day(1, ["YZ", "XYY", "YY"]))
    monitor(project)
    table = rows(project, "select first_day, label, n_items, n_ratings, share from label_trend where period = 'day'")
    assert table == [
        (START, "X", 3, 4, 2.5 / 3),
        (START + timedelta(days=1), "X", 3, 1, pytest.approx(1 / 9)),
        (START, "Y", 3, 1, 0.5 / 3),
        (START + timedelta(days=1), "Y", 3, 5, pytest.approx((0.5 + 2 / 3 + 1) / 3)),
        (START, "Z", 3, 0, 0),
        (START + timedelta(days=1), "Z", 3, 1, pytest.approx(0.5 / 3)),
    ]
    pairs = rows(project, "select label_a, label_b, n_items, n_pairs, share from label_confusion_trend"
                          " where period = 'week'")  # fmt: skip
    assert pairs == [("X", "Y", 5, 3, pytest.approx(3 / 7)), ("Y", "Z", 5, 1, pytest.approx(1 / 7))]
    macro = rows(project, "select label_a, label_b, n_pairs, share_of_pairs from label_confusion('q')")
    assert macro == [(a, b, n_pairs, share) for a, b, _, n_pairs, share in pairs]
    assert rows(project, "select bool_and(low < share or share = 0), bool_and(share < high) from label_trend") == [
        (True, True)
    ]


def test_windows_that_are_too_small_are_marked(project: Project) -> None:
    project.store(ratings_of(range(14), n_items=20))
    monitor(project)
    for trend in TRENDS:
        marked = "select distinct period, too_few from {} where period in ('day', 'week', 'month') order by all"
        assert rows(project, marked.format(trend)) == [("day", True), ("month", False), ("week", False)], trend
    # the first rolling windows hold less than 7 days
    few = "select distinct last_day, too_few, n_items from agreement_trend where period = 'rolling' order by all"
    sizes = [20, 40, 60, 80, 100, 120, *[140] * 8]
    assert rows(project, few) == [(START + timedelta(days=i), n < 30, n) for i, n in enumerate(sizes)]
    last = rows(project, "select distinct n_items, too_few from label_trend where period = 'last_n'")
    assert last == [(50, False)]


def test_updates_batch_by_batch_equal_a_run_over_all(
    project: Project, another_project: Callable[[str], Project]
) -> None:
    """Late items, an edit, a late day, a changed label and a new rater change what they must, in all windows."""
    at_once = another_project("at_once")
    batches = [
        ratings_of([*range(5), *range(6, 12)]),
        ratings_of([12, 13], careless="r2"),
        ratings_of([5]),  # a late day
        [("d3-3", "r1", "human", "Z", START + timedelta(days=16), 4.0, None)],  # the item moves to another day
        [*ratings_of([3], seed=1)][:15],  # labels that changed, at the same time as before
        ratings_of(range(20, 24), raters=("r1", "r2", "late"), version="v2", system_right=0.5),
    ]
    for batch in batches:
        project.store(batch)
        monitor(project)
        at_once.store(batch)
    monitor(at_once)
    for trend in TRENDS:
        query = f"select * exclude (run_id) from {trend} order by all"
        stored = rows(project, query)
        assert len(stored) >= 50
        assert stored == rows(at_once, query), trend
    with connect(project.db) as con:
        assert not {name for name, broken in run_checks(con).items() if broken.height} - {"runs_left_running"}


def test_raters_and_systems_are_followed_at_the_level_of_the_evaluation(project: Project) -> None:
    project.store(ratings_of(range(20), system_right=0.95))
    project.store(ratings_of(range(20, 40), system_right=0.65))
    monitor(project, EvaluationOptions(**{**vars(OPTIONS), "last_items": 10_000}))
    both = {
        "rater": "select t.rater, t.accuracy, t.agreement_with_others, q.accuracy, q.agreement_with_others, t.n_items,"
        " t.low, t.high from rater_trend as t inner join rater_leaderboard as q using (question, rater)"
        " where period = 'last_n'",
        "system": "select t.system, t.accuracy, null, q.accuracy, null, t.n_items, t.low, t.high from system_trend as t"
        " inner join latest_system_accuracy as q"
        " using (question, system, method) where period = 'last_n' and method = 'average'",
    }
    for subject, query in both.items():
        table = rows(project, query)
        assert [row[0] for row in table] == (["bot"] if subject == "system" else ["r1", "r2", "r3", "r4"])
        for _, accuracy, agreement, evaluated, evaluated_agreement, n_items, low, high in table:
            assert accuracy == pytest.approx(evaluated, abs=1e-9)
            assert agreement == pytest.approx(evaluated_agreement)
            assert (n_items, low < accuracy < high) == (800, True)
    weeks = rows(project, "select low, high from system_trend where period = 'week' order by period_start")
    assert weeks[0][0] < 0.95 < weeks[0][1]
    assert weeks[-1][0] < 0.65 < weeks[-1][1]
    assert weeks[-1][1] < weeks[0][0]


def test_a_window_has_as_much_more_outer_variance_as_the_evaluation(project: Project) -> None:
    def added(low: float, high: float, outer_low: float, outer_high: float) -> float:
        inner, outer = (logit(high) - logit(low) for low, high in ((low, high), (outer_low, outer_high)))
        return float(outer**2 - inner**2)

    project.store(ratings_of(range(20), system_right=0.9))
    monitor(project)
    ends = "low, high, outer_low, outer_high"
    ((*whole,),) = rows(project, f"select {ends} from latest_system_accuracy where method = 'average'")
    weeks = rows(project, f"select {ends} from system_trend where period = 'week' and outer_low < low")
    assert len(weeks) >= 2
    assert [added(*week) for week in weeks] == pytest.approx([added(*whole)] * len(weeks))
    with connect(project.db) as con:  # as if gold had audited it
        con.execute("update system_accuracy set n_gold = 5, outer_low = low, outer_high = high")
    audited = rows(project, f"select {ends} from system_trend where period = 'week'")
    assert [week[2:] for week in audited] == [week[:2] for week in audited]
    with connect(project.db) as con:  # or an older run had stored no outer interval
        con.execute("update system_accuracy set n_gold = 0, outer_low = null, outer_high = null")
    assert rows(project, "select distinct outer_low, outer_high from system_trend") == [(None, None)]


def test_an_accuracy_that_was_not_evaluated_has_a_reason(project: Project) -> None:
    project.store(of_day(0, ["XX", "XY", "YY"] * 20))
    monitor(project)
    table = rows(project, "select distinct period, accuracy, reason, agreement_with_others is null from rater_trend")
    assert {row[1:] for row in table} == {(None, "too_few_raters", False)}
    assert rows(project, "from system_trend") == []


def test_a_new_evaluation_makes_the_windows_due(project: Project) -> None:
    project.store(ratings_of(range(4)))
    monitor(project)
    assert pending_questions(project.db, "monitor", CONFIGS, OPTIONS, everything=False) == []
    every = pending_questions(project.db, "evaluate", CONFIGS, OPTIONS, everything=True)
    list(process_questions(project.db, "evaluate", every, CONFIGS, OPTIONS))
    due = pending_questions(project.db, "monitor", CONFIGS, OPTIONS, everything=False)
    assert [question.question for question in due] == ["q"]


def test_a_past_run_is_computed_again_in_its_time_zone(project: Project) -> None:
    with connect(project.db) as con:
        set_timezone(con, "Asia/Tokyo")
    tokyo = EvaluationOptions(**{**vars(OPTIONS), "timezone": "Asia/Tokyo"})
    project.store(ratings_of(range(4)), hour=14)
    project.store(ratings_of([4]), hour=16)  # in Tokyo it is the next day
    monitor(project, tokyo)
    ((run_id,),) = rows(project, "select run_id from runs where kind = 'monitor' and question = 'q'")
    project.store(ratings_of([1], seed=3))
    again = reproduce(project.db, run_id)
    assert again.compared["agreement"] > 40
    assert again.differences == ()
    bounds = "select first_day, period_start at time zone 'UTC' from agreement_trend where period = 'day'"
    assert rows(project, f"{bounds} order by all desc limit 1") == [(date(2026, 1, 10), datetime(2026, 1, 9, 15))]


@pytest.mark.parametrize(
    ("timezone", "day", "start", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), datetime(2026, 3, 28, 23), 23),
        ("Europe/Berlin", date(2026, 10, 25), datetime(2026, 10, 24, 22), 25),
        ("Africa/Cairo", date(2026, 4, 24), datetime(2026, 4, 23, 22), 23),  # clocks skip midnight
    ],
)
def test_a_day_is_from_midnight_to_midnight_there(timezone: str, day: date, start: datetime, hours: int) -> None:
    counts = pl.DataFrame({"day": [day], "item": ["0"], "n_items": [3]})
    windows = item_windows(WindowPatterns(days=counts), WindowSettings(("day",), 2, 0, timezone)).windows
    (result,) = windows.filter(period="day").select("period_start", "period_end").rows()
    assert result == (start.replace(tzinfo=UTC), start.replace(tzinfo=UTC) + timedelta(hours=hours))
    (rolling,) = windows.filter(period="rolling").select("period_start", "period_end").rows()
    assert rolling == (result[0] - timedelta(days=1), result[1])


def test_votes_without_names_are_of_no_annotator(project: Project) -> None:
    votes = [
        (item, rater.replace("r", "vote #"), kind, label, day, version, score)
        for item, rater, kind, label, day, version, score in of_day(0, ["XXY", "XYY", "XXX", "YYY"])
    ]
    project.store(votes + [(f"d0-{i}", "bot", "system", "X", START, "1", None) for i in range(4)])
    monitor(project)
    assert rows(project, "select count(*) from rater_windows") == [(0,)]
    assert rows(project, "select distinct system, n_items from system_windows where period = 'day'") == [("bot", 4)]
