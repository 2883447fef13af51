"""The figures of a project, as the published snapshot has them."""

import random
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
from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.summary.published_views import overall, read_views
from tasks.worklist.answers_file import take_answers
from tests.answers_project import publish_answers
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
    result = figures.agreement["tone", ALPHA]
    assert (result.estimate, result.low, result.high, result.n_items) == (
        alpha["estimate"], alpha["low"], alpha["high"], 200,
    )  # fmt: skip
    gpt = views["latest_system_accuracy"].filter(pl.col("method") == "average").row(0, named=True)
    result = figures.accuracy["tone", "gpt"]
    assert (result.estimate, result.low, result.high, result.method) == (
        gpt["accuracy"],
        gpt["outer_low"],
        gpt["outer_high"],
        "average",
    )
    assert result.warnings == tuple(gpt["warnings"])
    assert not [text for result in figures.agreement.values() for text in result.warnings if "takes no weights" in text]
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
        result = take_answers(
            con, project.db, answers, "tone", AUDIT, items, items_are="Three.", labels=("a", "b"), now=NOW
        )
    assert result.counts.n_rejected == 1
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
    second = [f"{row},alone" for row in rating_rows(20, {"bob": 0.9})]  # no figure yet: it had one person
    (project.inbox / "alone-2.csv").write_text("\n".join(["item,rater,label,question", *second]))
    project.ingest()
    figures = project_figures(project.db, "here")
    results = {(rule.rule, rule.question): rule for rule in check_figures(rules, figures).rules}
    assert results["min_alpha", "tone"].reason == results["min_accuracy", "tone"].reason == "outdated"
    assert results["min_alpha", "tone"].verdict == "unjudged"
    assert results["min_alpha", "tone"].estimate is not None
    assert (results["min_alpha", "alone"].verdict, results["min_alpha", "alone"].reason) == ("unjudged", "outdated")
    assert results["min_alpha", "alone"].detail.endswith("`kappaflow run` makes a new one.")
    assert results["min_alpha", "new"].reason == "not_evaluated"
    assert figures.rows.n_unreadable == 1
    project.work("evaluate", CONFIGS, OPTIONS)
    results = {(rule.rule, rule.question): rule for rule in check_figures(rules, project_figures(project.db, "")).rules}
    assert (results["min_alpha", "tone"].verdict, results["min_alpha", "tone"].n_items) == ("pass", 300)
    assert (results["min_alpha", "alone"].reason, results["min_alpha", "alone"].n_items) == (None, 20)


@pytest.fixture(scope="module")
def weighted(tmp_path_factory: pytest.TempPathFactory) -> InboxProject:
    """A question whose coefficients have weights. Not to be changed by a test, but for alerts."""
    project = InboxProject(tmp_path_factory.mktemp("weighted"))
    draw = random.Random(3)
    rows = ["item,rater,label"]
    for item in range(120):
        middle = draw.randint(1, 5)
        rows += [f"{item},{rater},{min(max(middle + draw.choice([0, 0, 1]), 1), 5)}" for rater in ("ann", "bob", "cem")]
    (project.inbox / "stars.csv").write_text("\n".join(rows))
    project.ingest()
    config = QuestionConfig(labels=tuple("12345"), scale="ordinal", weights="quadratic")
    for stage in ("evaluate", "monitor"):
        project.work(stage, QuestionConfigs({"stars": config}), OPTIONS)
    return project


@pytest.mark.parametrize(("plain", "form"), [("gwet_ac1", "gwet_ac2"), ("shah_kappa_s", "conger_kappa")])
def test_a_coefficient_without_weights_is_judged_by_its_weighted_form(
    weighted: InboxProject, plain: str, form: str
) -> None:
    limits = {plain: 0.5, form: 0.5, "bangdiwala_b": 0.5}
    result = check_figures(GateRules(FigureLimits(None, limits)), project_figures(weighted.db, ""))
    judged = {rule.coefficient: rule for rule in result.rules}
    assert judged[plain].estimate == judged[form].estimate
    assert judged[plain].verdict == judged[form].verdict == "pass"
    assert judged[plain].warnings[0] == (
        f"{plain} takes no weights, and the question has quadratic ones: {form}, its weighted form, counts."
    )
    assert (judged["bangdiwala_b"].verdict, judged["bangdiwala_b"].reason) == ("unjudged", "not_applicable")
    assert project_figures(weighted.db, "").agreement["stars", "gwet_ac2"].warnings == (
        "The figure has quadratic weights: near misses count in part.",
    )


@pytest.mark.parametrize(("kind", "text"), [("low_agreement", "gwet_ac2"), ("recent_agreement", ALPHA)])
def test_an_alert_on_a_coefficient_without_weights_opens_by_another_one(
    weighted: InboxProject, kind: str, text: str
) -> None:
    """Undefined, it would never open."""
    rules = MonitoringConfigs({"stars": QuestionMonitoring(rules={kind: 0.999})})
    check_rules(weighted.db, rules, coefficient="gwet_ac1", now=NOW)
    with connect(weighted.db, read_only=True) as con:
        ((evidence,),) = con.execute("select evidence from alerts where kind = $kind", {"kind": kind}).fetchall()
    assert evidence.startswith(f"{text} 0.")


def test_other_settings_make_the_figures_outdated(project: InboxProject) -> None:
    """Figures of an ordered scale say nothing about the same labels without an order, for example."""
    rules = GateRules(FigureLimits(0.1, {}, {"gpt": 0.5}), questions=("tone",))

    def verdicts(configs: QuestionConfigs, options: EvaluationOptions) -> set[tuple[str, str | None]]:
        result = check_figures(rules, project_figures(project.db, "here", (configs, options))).rules
        return {(rule.verdict, rule.reason) for rule in result}

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


def test_spans_have_their_own_figures_and_votes_have_none(tmp_path: Path) -> None:
    project = publish_answers(tmp_path / "project", with_labels=True)
    figures = project_figures(project.db, "here")
    of_view = read_views(project.db, "latest_region_agreement")["latest_region_agreement"].filter(
        pl.col("rater_a").is_null(), pl.col("label").is_null(), coefficient="f1_partial"
    )
    result = figures.agreement["names", "f1_partial"]
    assert (result.estimate, result.low, result.high, result.n_items) == of_view.select(
        "estimate", "low", "high", "n_items"
    ).row(0)
    assert result.warnings[0].startswith("The intervals rest on 14 texts (fewer than 20) and are too narrow")
    assert figures.without_labels == {"names", "votes"}
    limits = FigureLimits(0.1, {"f1_exact": 0.9})
    judged = [(rule.question, rule.rule) for rule in check_figures(GateRules(limits), figures).rules]
    assert judged == [("tone", "min_alpha"), ("names", "min_agreement")]
