"""Past runs: shown, computed again, and agreement as of any moment."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.raters.forget_rater import forget_rater
from tasks.runs.history import agreement_as_of, past_run, reproduce
from tasks.summary.published_views import read_views
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect

ASKED = EvaluationOptions(confidence=0.95, seed=3, alert_coefficient="krippendorff_alpha", code_version="1")
DECLARED = QuestionConfigs({"tone": QuestionConfig(systems=frozenset({"bot", "rules"}))})


def table(shift: int) -> str:
    """20 items, three raters and two systems; each with its own errors."""
    return "item,rater,label\n" + "".join(
        f"{item},{rater},{'yes' if (item + (item * (place + shift)) % 7 // 6) % 2 else 'no'}\n"
        for item in range(20)
        for place, rater in enumerate(("ann", "bob", "cyd", "bot", "rules"), 1)
    )


class Project(InboxProject):
    def take_in(self, name: str, text: str) -> None:
        (self.inbox / name).write_text(text)
        self.ingest(ReadOptions(question="tone"))

    def evaluate(self, kind: str = "evaluate") -> str:
        assert [done.error for done in self.work(kind, DECLARED, ASKED)] == [None]
        runs = self.view("runs").sort("started_at")
        return str(runs.filter(runs["kind"] == kind)["run_id"][-1])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize("kind", ["evaluate", "monitor"])
def test_a_run_is_computed_again_after_its_ratings_have_changed(project: Project, kind: str) -> None:
    project.take_in("monday.csv", table(0))
    run_id = project.evaluate(kind)
    project.take_in("tuesday.csv", table(2))
    assert project.evaluate(kind) != run_id
    again = reproduce(project.db, run_id[:10])
    assert again.differences == ()
    assert again.compared["agreement"] > 5
    if kind == "evaluate":
        assert {"system_accuracy", "system_differences", "assumption_checks", "rater_quality"} <= set(again.compared)


def test_a_figure_that_was_tampered_with_is_named(project: Project) -> None:
    project.take_in("monday.csv", table(0))
    run_id = project.evaluate()
    with connect(project.db) as con:
        con.execute("update agreement set estimate = .123 where coefficient = 'fleiss_kappa' and scope = 'humans'")
        con.execute("delete from rater_quality where rater = 'ann'")
    found = reproduce(project.db, run_id).differences
    assert {(row["table"], row["column"]) for row in found} == {("agreement", "estimate"), ("rater_quality", "rows")}
    assert next(row for row in found if row["table"] == "agreement")["stored"] == 0.123


def test_agreement_as_of_equals_what_was_stored(project: Project) -> None:
    project.take_in("monday.csv", table(0))
    run_id = project.evaluate()
    moment = datetime.now(UTC)
    project.take_in("tuesday.csv", table(2))
    stored = past_run(project.db, run_id).tables["agreement"]
    stored = stored.filter(stored["scope"] == "humans").sort("coefficient")
    found = agreement_as_of(project.db, "tone", moment, DECLARED.of("tone"), 0.95).sort("coefficient")
    assert (
        found.select("coefficient", "estimate", "low").rows() == stored.select("coefficient", "estimate", "low").rows()
    )
    later = agreement_as_of(project.db, "tone", datetime.now(UTC), DECLARED.of("tone"), 0.95).sort("coefficient")
    assert later["estimate"].to_list() != found["estimate"].to_list()
    with pytest.raises(InputError, match="had no ratings at"):
        agreement_as_of(project.db, "tone", moment - timedelta(days=9), DECLARED.of("tone"), 0.95)


def test_what_is_no_run_is_said(project: Project) -> None:
    project.take_in("monday.csv", table(0))
    ids = [project.evaluate(), project.evaluate()]
    for wrong in ("", "nothing"):
        with pytest.raises(InputError, match="is not a run"):
            past_run(project.db, wrong)
    runs = read_views(project.db, "runs")["runs"]
    whole = str(runs.filter(runs["question"].is_null())["run_id"][0])
    with pytest.raises(InputError, match="no results to compare"):
        reproduce(project.db, whole)
    assert past_run(project.db, ids[0]).run["question"] == "tone"


def test_a_run_from_before_the_outer_intervals_does_not_differ(project: Project) -> None:
    project.take_in("monday.csv", table(0))
    run_id = project.evaluate()
    assert (project.view("latest_system_accuracy").filter(method="average")["outer_low"].null_count()) == 0
    with connect(project.db) as con:
        con.execute("update system_accuracy set outer_low = null, outer_high = null")
    assert {row["column"] for row in reproduce(project.db, run_id).differences} == {"outer_low", "outer_high"}
    with connect(project.db) as con:  # a run of an older version, whose settings have no outer_error
        con.execute(
            """update runs set settings = replace(settings, '"outer_error"', '"alert_below"') where run_id = ?""",
            [run_id],
        )
    assert reproduce(project.db, run_id).differences == ()


def test_a_run_from_before_the_position_bias_of_judges_does_not_differ(project: Project) -> None:
    votes = "item,judge,model_a,model_b,winner,rater_kind\n" + "".join(
        f"{item},{judge},{first},{second},{'model_a' if (item + place) % 3 else 'model_b'},{kind}\n"
        for item in range(12)
        for place, (judge, kind) in enumerate([("ann", "human"), ("bob", "human"), ("bot", "system")])
        for first, second in [("x", "y") if item % 2 else ("y", "x")]
    )
    project.take_in("votes.csv", votes)
    run_id = project.evaluate()
    again = reproduce(project.db, run_id)
    assert again.differences == ()
    with connect(project.db) as con:
        con.execute("delete from preference_figures where figure = 'first_wins' and rater = 'bot'")
    older = reproduce(project.db, run_id)
    assert older.differences == ()
    assert older.compared["preference_figures"] == again.compared["preference_figures"] - 1
    with connect(project.db) as con:
        con.execute("delete from preference_figures where figure = 'first_wins' and rater = 'ann'")
    assert [row["column"] for row in reproduce(project.db, run_id).differences] == ["rows"]


def test_a_run_from_before_kappa_by_the_scale_does_not_differ(project: Project) -> None:
    project.take_in("monday.csv", table(0))
    ordered = QuestionConfigs({"tone": QuestionConfig(labels=("no", "maybe", "yes"), scale="ordinal")})
    assert [done.error for done in project.work("evaluate", ordered, ASKED)] == [None]
    with connect(project.db) as con:
        ((run_id, n),) = con.execute(
            "select run_id, count(weighted_kappa) from pairwise_agreement group by 1"
        ).fetchall()
    assert n > 0
    assert reproduce(project.db, run_id).differences == ()
    with connect(project.db) as con:
        con.execute("update pairwise_agreement set weighted_kappa = null, weighted_low = null, weighted_high = null")
    assert reproduce(project.db, run_id).differences == ()


def test_a_run_does_not_differ_after_a_rater_was_forgotten(project: Project, tmp_path: Path) -> None:
    project.take_in("monday.csv", table(0))
    run_id = project.evaluate()
    forget_rater(project.db, tmp_path / "published", "ann", {}, pseudonym="nobody-1")
    pairs = past_run(project.db, run_id).tables["pairwise_agreement"]
    assert "nobody-1" in pairs["rater_b"]
    assert (pairs["rater_a"] < pairs["rater_b"]).all()
    assert reproduce(project.db, run_id).differences == ()
    with connect(project.db) as con:  # as an older kappaflow left it
        con.execute("update pairwise_agreement set rater_a = rater_b, rater_b = rater_a where rater_b = 'nobody-1'")
    assert reproduce(project.db, run_id).differences == ()


def test_a_run_does_not_differ_after_its_system_was_declared_a_person(project: Project) -> None:
    rows = table(0).splitlines()
    with_versions = [f"{rows[0]},system_version"]
    with_versions += [
        f"{row},{'v2' if n > 40 else 'v1'}" if ",bot," in row else f"{row}," for n, row in enumerate(rows[1:])
    ]
    project.take_in("monday.csv", "\n".join(with_versions) + "\n")
    run_id = project.evaluate()
    first = past_run(project.db, run_id).tables
    assert "v2" in first["label_rates"]["system_version"].to_list()
    people = QuestionConfigs({"tone": QuestionConfig(systems=frozenset({"rules"}))})
    assert [done.error for done in project.work("evaluate", people, ASKED)] == [None]
    assert reproduce(project.db, run_id).differences == ()


def test_sentences_and_the_last_bits_of_figures_are_no_difference(project: Project) -> None:
    project.take_in("monday.csv", dated_table())
    evaluated, monitored = project.evaluate(), project.evaluate("monitor")
    stored = past_run(project.db, monitored).tables["agreement"]
    same = stored.group_by("coefficient", "period", "estimate").len().filter(pl.col("len") > 1, period="day")
    assert same.height, "days with equal figures, which only their last bits tell apart"
    with connect(project.db) as con:
        con.execute("update system_accuracy set warnings = ['Said otherwise.']")
        con.execute(
            "update agreement set estimate = estimate * (1 + epoch(period_start) % 7 * 1e-15) where period = 'day'"
        )
    assert reproduce(project.db, evaluated).differences == ()
    assert reproduce(project.db, monitored).differences == ()


def dated_table() -> str:
    """On each of five days the same twenty items' worth of ratings."""
    rows = [row.split(",") for row in table(0).splitlines()[1:]]
    dated = (f"{day}-{item},{rater},{label},2026-01-{day:02}" for day in range(1, 6) for item, rater, label in rows)
    return "item,rater,label,time\n" + "\n".join(dated) + "\n"
