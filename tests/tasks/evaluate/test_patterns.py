"""Rating patterns: kept by the warehouse or counted from ratings, they are the same to the last bit."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.patterns import from_ratings, merged
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.question_inputs import QuestionInputs, inputs_from_ratings, read_question_inputs
from tasks.formats import ReadOptions
from tasks.monitor.windows.agreement_windows import agreement_rows, human_patterns
from tasks.monitor.windows.window_spans import WindowSettings, item_windows
from tasks.summary.published_views import read_views
from tests.tasks.inbox import NOW, InboxProject
from warehouse.connect import connect
from warehouse.questions import ratings_as_of, system_versions

OPTIONS = EvaluationOptions(
    confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1", last_items=7
)
CONFIGS = QuestionConfigs({"tone": QuestionConfig(systems=frozenset({"bot"}), gold=frozenset({"lead"}))})
RATERS = ("ann", "bob", "cyd", "bot", "lead")


class Project(InboxProject):
    def take_in(self, name: str, rows: list[str]) -> None:
        (self.inbox / name).write_text("item,rater,label,time,system_version\n" + "\n".join(rows) + "\n")
        self.ingest(ReadOptions(question="tone", systems=frozenset({"bot"}), gold=frozenset({"lead"})))

    def evaluate(self, *, recount: bool = False, kind: str = "evaluate") -> tuple[str, ...]:
        """The notes."""
        (result,) = self.work(kind, CONFIGS, OPTIONS, recount=recount)
        assert result.error is None
        return result.notes

    def results(self, *names: str) -> list[pl.DataFrame]:
        return [frame.drop("run_id", "evaluated_at", strict=False) for frame in read_views(self.db, *names).values()]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Four batches over some days: items seen again, answers changed, a system of two versions."""
    made, rng = Project(tmp_path), random.Random(6)
    for batch in range(4):
        rows = []
        for item in rng.sample(range(40), 25):
            for rater in rng.sample(RATERS, rng.randint(1, 5)):
                day = (NOW + timedelta(days=batch * 5 + rng.randint(0, 3), hours=rng.randint(0, 2))).isoformat()
                label = rng.choice(("A", "B", "C")) if rng.random() < 0.4 else "ABC"[item % 3]
                version = f"v{min(batch, 2)}" if rater == "bot" else ""
                rows.append(f"i{item},{rater},{label},{day if batch else ''},{version}")
        made.take_in(f"{batch}.csv", rows)
    return made


def _both(db: Path) -> tuple[QuestionInputs, QuestionInputs, QuestionInputs]:
    """As the warehouse keeps it (to evaluate, to monitor), and from the ratings."""
    with connect(db) as con:
        stored, watched = (read_question_inputs(con, kind, "tone", 7) for kind in ("evaluate", "monitor"))
        now = datetime.now(UTC)
        ratings, answers = ratings_as_of(con, "tone", now), system_versions(con, "tone", now)
    return stored, watched, inputs_from_ratings(ratings, answers, OPTIONS)


def test_the_warehouse_has_the_patterns_of_its_ratings(project: Project) -> None:
    stored, watched, counted = _both(project.db)
    assert stored.patterns.frame.height > 30
    assert stored.patterns.frame.equals(counted.patterns.frame)
    assert stored.versions.in_force.equals(counted.versions.in_force)
    assert stored.versions.answers["system_version"].n_unique() == 3
    assert stored.versions.answers.equals(counted.versions.answers)
    assert watched.windows.days.equals(counted.windows.days)
    assert watched.windows.last.equals(counted.windows.last)
    assert counted.windows.last["n_items"].sum() == 7
    times = ("first_at", "last_at")  # of what a batch brought, whatever became of it
    assert watched.windows.batches.drop(times).equals(counted.windows.batches.drop(times))


def test_without_people_items_count_on_the_day_of_the_latest_answer(tmp_path: Path) -> None:
    made, rng = Project(tmp_path), random.Random(7)
    for batch in range(3):
        days = [(NOW + timedelta(days=rng.randint(0, 9))).isoformat() if batch else "" for _ in range(20)]
        rows = [f"i{item},bot,{rng.choice('AB')},{day}," for item, day in enumerate(days, start=batch * 5)]
        made.take_in(f"{batch}.csv", [*rows, f"i{batch},lead,A,,"])
    _, watched, counted = _both(made.db)
    assert watched.windows.days["n_items"].sum() == 30
    assert watched.windows.days["day"].n_unique() > 5
    assert watched.windows.days.equals(counted.windows.days)
    assert watched.windows.batches.is_empty()
    assert watched.windows.last.is_empty()


def test_each_window_is_as_if_its_ratings_were_all(project: Project) -> None:
    """Day by day, the ratings of the items of that day evaluated alone."""
    with connect(project.db) as con:
        ratings = ratings_as_of(con, "tone", datetime.now(UTC)).filter(pl.col("rater_kind") == "human")
    _, watched, _ = _both(project.db)
    human, names, labels = human_patterns("tone", watched.patterns.frame, QuestionConfig())
    spans, settings = item_windows(watched.windows, WindowSettings()), WindowSettings()
    result = agreement_rows(human, names, labels, spans, QuestionConfig(), 0.9, settings)
    latest = ratings.with_columns(
        period_start=pl.coalesce("rated_at", "ingested_at").max().over("item").dt.truncate("1d")
    )
    days = result.filter(period="day", coefficient="krippendorff_alpha").sort("period_start")
    assert days["period_start"].to_list() == latest["period_start"].unique().sort().to_list()
    for day in days.to_dicts():
        of_day = latest.filter(pl.col("period_start") == day["period_start"])
        alone = from_ratings(of_day).frame
        several = alone.filter(pl.len().over("item") > 1)
        assert day["n_ratings"] in (alone["n_items"].sum(), several["n_items"].sum())
    weeks = result.filter(period="week", coefficient="percent_agreement")
    months = result.filter(period="month", coefficient="percent_agreement")
    assert weeks["n_ratings"].sum() == months["n_ratings"].sum() == days["n_ratings"].sum()


def test_the_order_depends_on_what_is_rated_and_on_nothing_else() -> None:
    rows = [("1", "b", "human", "A"), ("1", "a", "human", "B"), ("2", "a", "human", "A"), ("3", "a", "human", "A")]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row")
    expected = from_ratings(ratings).frame
    assert expected["n_items"].to_list() == [2, 1, 1]
    called = {"1": "z", "2": "k", "3": "b"}
    other = ratings.sample(fraction=1, shuffle=True, seed=1).with_columns(pl.col("item").replace_strict(called))
    assert from_ratings(other).frame.equals(expected)


def test_patterns_of_which_a_rater_is_left_out_merge() -> None:
    rows = [("1", "a", "human", "A"), ("1", "s", "system", "B"), ("2", "a", "human", "A"), ("3", "s", "system", "B")]
    patterns = from_ratings(pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row"))
    human = merged(patterns.frame.filter(rater_kind="human"))
    assert human.frame.rows() == [("0", "a", "human", "A", 2)]
    assert human.names["item"].to_list() == ["0", "0"]
    assert merged(patterns.frame.clear()).frame.is_empty()
    numbered = merged(patterns.frame.filter(rater_kind="human").with_columns(pl.col("item").cast(pl.UInt32)))
    assert numbered.frame["item"].to_list() == [0]
    assert numbered.names.rows() == [(0, 0), (1, 0)]


def test_evaluated_from_the_ratings_all_is_the_same(project: Project) -> None:
    names = ("agreement", "rater_quality", "system_accuracy", "pairwise_agreement", "item_consensus")
    assert not any("did not equal" in note for note in project.evaluate())
    before = project.results(*names)
    assert not any("did not equal" in note for note in project.evaluate(recount=True))
    for name, result, other in zip(names, before, project.results(*names), strict=True):
        new = other.tail(result.height) if name != "item_consensus" else other
        columns = [column for column in result.columns if result[column].dtype != pl.List]
        assert_frame_equal(new.sort(columns), result.sort(columns), check_exact=True)
    assert before[-1]["item"].n_unique() == before[-1].height > 35


DAMAGE = {
    "day": "update internal.pattern_counts set day = day + 1",
    "batch": "update internal.batch_patterns set n_items = n_items + 5 where batch_no = 1",
    "version": "delete from internal.version_counts where system_version = 'v1'",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_counts_that_differ_from_the_ratings_are_said_and_made_anew(
    project: Project, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    sound = _both(project.db)
    with duckdb.connect(project.db) as con:
        con.execute(DAMAGE[what])
    assert project.evaluate(kind="monitor") == ()  # which is quicker than "evaluate", and does not look either
    with caplog.at_level("WARNING", "kappaflow"):
        assert any("did not equal the ratings" in note for note in project.evaluate(kind="monitor", recount=True))
    assert "did not equal the ratings" in caplog.text
    assert project.evaluate(kind="monitor", recount=True) == ()
    for after, before in zip(_both(project.db), sound, strict=True):
        assert after.patterns.frame.equals(before.patterns.frame)
        assert after.versions.in_force.equals(before.versions.in_force)
        assert after.windows.days.equals(before.windows.days)
        assert after.windows.batches.equals(before.windows.batches)


def test_patterns_that_differ_from_the_ratings_are_said_and_made_anew(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    project.evaluate()
    (right,) = project.results("latest_agreement")
    with duckdb.connect(project.db) as con:
        con.execute("update internal.pattern_counts set n_items = n_items + 5 where pattern_id = 1")
    project.evaluate()
    (wrong,) = project.results("latest_agreement")
    assert not wrong.equals(right)
    with caplog.at_level("WARNING", "kappaflow"):
        notes = project.evaluate(recount=True)
    assert any("did not equal the ratings" in note for note in notes)
    assert "did not equal the ratings" in caplog.text
    (again,) = project.results("latest_agreement")
    assert again.equals(right)
    assert not any("did not equal" in note for note in project.evaluate(recount=True))
