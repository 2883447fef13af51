"""The figures of a project, as the published snapshot has them."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tasks.audit.take_audit import AUDIT
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.question_config import QuestionConfig
from tasks.gate.check_figures import check_figures
from tasks.gate.gate_figures import ALPHA, OpenAlert, RowCounts
from tasks.gate.gate_rules import FigureLimits, GateRules
from tasks.gate.project_figures import project_figures
from tasks.summary.published_views import overall, read_views
from tasks.worklist.answers_file import take_answers
from tests.gate_project import CONFIGS, NOW, OPTIONS, make_project, rating_rows
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.errors import WarehouseError


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> InboxProject:
    """Not to be changed by a test."""
    return make_project(tmp_path_factory.mktemp("gate") / "project")


def test_the_figures_are_those_of_the_views(project: InboxProject) -> None:
    figures = project_figures(project.db, "here")
    views = read_views(project.db, "latest_agreement", "latest_system_accuracy")
    alpha = overall(views["latest_agreement"]).filter(question="tone", coefficient=ALPHA).row(0, named=True)
    found = figures.agreement["tone", ALPHA]
    assert (found.estimate, found.low, found.high, found.n_items) == (
        alpha["estimate"], alpha["low"], alpha["high"], 200,
    )  # fmt: skip
    gpt = views["latest_system_accuracy"].filter(pl.col("method") == "average").row(0, named=True)
    found = figures.accuracy["tone", "gpt"]
    assert (found.estimate, found.low, found.high, found.method) == (
        gpt["accuracy"],
        gpt["outer_low"],
        gpt["outer_high"],
        "average",
    )
    assert found.warnings == tuple(gpt["warnings"])
    assert (figures.place, figures.questions, figures.systems) == ("here", ("alone", "tone"), {"tone": ("gpt",)})


def test_rows_and_open_alerts_are_counted(project: InboxProject) -> None:
    figures = project_figures(project.db, "here")
    assert figures.rows == RowCounts(n_rows=822, n_rejected=2, n_unreadable=0)
    assert figures.alerts == (OpenAlert("tone", "low_agreement", "critical"),)


def test_answers_that_come_from_no_source_are_not_counted(tmp_path: Path) -> None:
    """An audit file with a wrong label says nothing of the exports."""
    project = make_project(tmp_path / "project")
    before = project_figures(project.db, "here").rows
    answers = tmp_path / "answers.csv"
    answers.write_text("item,label\n1,a\n2,no such label\n3,\n")
    items = pl.DataFrame(
        {"item": ["1", "2", "3"], "source_ref": [None] * 3}, schema_overrides={"source_ref": pl.String}
    )
    with connect(project.db) as con:
        taken = take_answers(
            con, project.db, answers, "tone", AUDIT, items, items_are="Three.", labels=("a", "b"), now=NOW
        )
    assert taken.counts.n_rejected == 1
    assert project_figures(project.db, "here").rows == before


def test_a_question_with_one_person_has_a_reason(project: InboxProject) -> None:
    result = check_figures(GateRules(FigureLimits(0.5), questions=("alone",)), project_figures(project.db, "here"))
    assert (result.verdict, result.rules[0].reason) == ("unjudged", "too_few_raters")


def test_new_ratings_make_the_figures_outdated_until_they_are_evaluated(tmp_path: Path) -> None:
    project, rules = make_project(tmp_path / "project"), GateRules(FigureLimits(0.1, {}, {"gpt": 0.5}))
    more = [row for row in rating_rows(300, seed=2) if int(row.split(",")[0]) >= 200]
    rows = [f"{row},tone" for row in more]
    (project.inbox / "tone-2.csv").write_text("\n".join(["item,rater,label,question", *rows]))
    (project.inbox / "new.csv").write_text("item,rater,label\n1,ann,a\n1,bob,b\n")
    (project.inbox / "broken.json").write_text("{")
    project.ingest()
    figures = project_figures(project.db, "here")
    found = {(rule.rule, rule.question): rule for rule in check_figures(rules, figures).rules}
    assert found["min_alpha", "tone"].reason == found["min_accuracy", "tone"].reason == "outdated"
    assert found["min_alpha", "tone"].verdict == "unjudged"
    assert found["min_alpha", "tone"].estimate is not None
    assert found["min_alpha", "alone"].reason == "too_few_raters"
    assert found["min_alpha", "new"].reason == "not_evaluated"
    assert figures.rows.n_unreadable == 1
    project.work("evaluate", CONFIGS, OPTIONS)
    found = {(rule.rule, rule.question): rule for rule in check_figures(rules, project_figures(project.db, "")).rules}
    assert (found["min_alpha", "tone"].verdict, found["min_alpha", "tone"].n_items) == ("pass", 300)


def test_other_settings_make_the_figures_outdated(project: InboxProject) -> None:
    """Figures of an ordered scale say nothing about the same labels without an order, for example."""
    rules = GateRules(FigureLimits(0.1, {}, {"gpt": 0.5}), questions=("tone",))

    def verdicts(configs: QuestionConfigs, options: EvaluationOptions) -> set[tuple[str, str | None]]:
        found = check_figures(rules, project_figures(project.db, "here", (configs, options))).rules
        return {(rule.verdict, rule.reason) for rule in found}

    assert verdicts(CONFIGS, OPTIONS) == {("pass", None)}
    without_gpt = QuestionConfigs({"tone": replace(CONFIGS.of("tone"), systems=frozenset())})
    assert verdicts(without_gpt, OPTIONS) == {("unjudged", "outdated")}
    assert verdicts(CONFIGS, replace(OPTIONS, confidence=0.9)) == {("unjudged", "outdated")}
    assert verdicts(without_gpt, replace(OPTIONS, code_version="2")) == {("pass", None)}  # cannot be compared
    other = QuestionConfigs({**CONFIGS.questions, "alone": QuestionConfig(alert_below=0.2)})
    assert verdicts(other, OPTIONS) == {("pass", None)}  # settings of another question


def test_a_snapshot_that_is_not_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "snapshot.duckdb").write_text("nothing")
    with pytest.raises(WarehouseError):
        project_figures(tmp_path / "snapshot.duckdb", "here")
