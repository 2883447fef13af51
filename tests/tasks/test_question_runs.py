"""Ingest and evaluation put together as the flows do, but without Prefect: what is due, and what is not."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks import question_runs
from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.gold.unused_probabilities import UNUSED_PROBABILITIES
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.ingest.ingest_files import ingest
from tasks.question_runs import process_questions
from tasks.sources.folder import FolderSource, find_files
from tasks.summary.published_views import read_views
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect, kept_open
from warehouse.patterns import rebuild

OPTIONS = EvaluationOptions(confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1")
TABLE = "item,rater,label\n" + "".join(
    f"{item},{rater},{'yes' if (item * place) % 3 else 'no'}\n"
    for item in range(12)
    for place, rater in enumerate(("ann", "bob", "bot"), 1)
)


class Project(InboxProject):
    def evaluate(self, config: QuestionConfigs | None = None, options: EvaluationOptions = OPTIONS) -> list[str]:
        """Evaluate what is due; the names of it."""
        result = self.work("evaluate", config or QuestionConfigs({}), options, everything=False)
        return [outcome.question for outcome in result if not outcome.error]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_only_what_changed_is_evaluated_again(project: Project) -> None:
    (project.inbox / "tone.csv").write_text(TABLE)
    (project.inbox / "mood.csv").write_text(TABLE + "99,ann,no\n")
    project.ingest()
    assert project.evaluate() == ["mood", "tone"]
    assert project.evaluate() == []
    (project.inbox / "tone-2.csv").write_text("item,rater,label,question\n1,ann,no,tone\n")
    project.ingest()
    assert project.evaluate() == ["tone"]
    # The settings of a question and those of every question count as well.
    assert project.evaluate(QuestionConfigs({"mood": QuestionConfig(labels=("yes", "no"))})) == ["mood"]
    assert project.evaluate(options=EvaluationOptions(0.9, 0, "krippendorff_alpha", "1")) == ["mood", "tone"]
    assert project.evaluate(options=EvaluationOptions(0.9, 0, "krippendorff_alpha", "2")) == ["mood", "tone"]


def test_without_people_nothing_is_said_of_the_items_any_more(project: Project) -> None:
    (project.inbox / "tone.csv").write_text(TABLE)
    project.ingest()
    project.evaluate()
    with connect(project.db, read_only=True) as con:
        people = {rater for (rater,) in con.execute("select distinct rater from current_ratings").fetchall()}
        assert con.execute("select count(*) > 0 from item_consensus").fetchone() == (True,)
    assert project.evaluate(QuestionConfigs({"tone": QuestionConfig(systems=frozenset(people))})) == ["tone"]
    with connect(project.db, read_only=True) as con:
        assert con.execute("select count(*) from item_consensus").fetchone() == (0,)
        assert con.execute("select count(*) from rater_leaderboard").fetchone() == (0,)


def test_probabilities_of_gold_that_a_project_does_not_use_are_said(project: Project) -> None:
    """They count in `accuracy --gold`. The figures were those of gold that counts alike, without a word."""
    gold = "".join(f"{item},lead,yes,{0.2 + item / 20}\n" for item in range(6))
    (project.inbox / "tone.csv").write_text(TABLE)
    (project.inbox / "tone-gold.csv").write_text("item,rater,label,Inclusion_Probability\n" + gold)
    reading = ReadOptions(systems=frozenset({"bot"}), gold=frozenset({"lead"}), question="tone")
    project.ingest(reading)
    (result,) = project.work("evaluate", QuestionConfigs({}), OPTIONS)
    assert f"tone: {UNUSED_PROBABILITIES}" in result.notes


def test_raters_without_an_answer_are_named(project: Project) -> None:
    (project.inbox / "tone.csv").write_text(TABLE + "1,cleo,\n2,cleo,[]\n3,ann,\n")
    (result,) = project.ingest()
    assert "All rows of these raters were rejected, and none counts: 'cleo'." in result.warnings


def test_a_question_that_lost_all_its_ratings_is_done(project: Project) -> None:
    (project.inbox / "tone.csv").write_text(TABLE)
    project.ingest()
    project.evaluate()
    with connect(project.db) as con:
        con.execute("update internal.ratings set deleted_at = now()")
        con.execute("update internal.questions set revision = revision + 1")
        rebuild(con)
    assert project.evaluate() == ["tone"]
    assert project.evaluate() == []
    due = pending_questions(project.db, "monitor", QuestionConfigs({}), OPTIONS, everything=False)
    assert [result.error for result in process_questions(project.db, "monitor", due, QuestionConfigs({}), OPTIONS)] == [
        None
    ]
    with connect(project.db, read_only=True) as con:
        assert con.execute("select count(*) from item_consensus").fetchone() == (0,)
        assert con.execute("select count(*) from latest_agreement").fetchone() == (0,)


def test_a_system_that_is_declared_after_its_ratings_came_in(project: Project) -> None:
    (project.inbox / "tone.csv").write_text(TABLE)
    project.ingest()
    project.evaluate()
    configs = QuestionConfigs({"tone": QuestionConfig(systems=frozenset({"bot"}))})
    assert project.evaluate(configs) == ["tone"]
    views = read_views(project.db, "current_ratings", "latest_system_accuracy", "rater_leaderboard")
    kinds = dict(views["current_ratings"].select("rater", "rater_kind").unique().iter_rows())
    assert kinds == {"ann": "human", "bob": "human", "bot": "system"}
    assert views["latest_system_accuracy"]["system"].unique().to_list() == ["bot"]
    assert sorted(views["rater_leaderboard"]["rater"]) == ["ann", "bob"]
    # And it can be taken back.
    assert project.evaluate() == ["tone"]
    views = read_views(project.db, "current_ratings", "rater_leaderboard")
    assert views["current_ratings"]["rater_kind"].unique().to_list() == ["human"]
    assert sorted(views["rater_leaderboard"]["rater"]) == ["ann", "bob", "bot"]


def test_a_file_whose_name_is_not_utf8_is_taken_in_and_the_others_go_on(project: Project) -> None:
    (project.inbox / os.fsdecode(b"n\xff.csv")).write_text(TABLE)
    (project.inbox / "z.csv").write_text(TABLE + "99,ann,no\n")
    assert [result.file_name for result in project.ingest()] == ["n\\xff.csv", "z.csv"]
    assert project.evaluate() == ["n\\xff", "z"]


def test_the_same_bytes_are_one_batch_whatever_the_file_is_called(project: Project) -> None:
    folder = project.inbox / "tone"  # it names the question; without it the file's own name would
    folder.mkdir()
    (folder / "a.csv").write_text(TABLE)
    assert [result.counts.n_ratings for result in project.ingest()] == [36]
    for name in ("b.csv", "c.csv"):
        (folder / name).write_text(TABLE)
    assert project.ingest() == []
    for name in ("d.csv", "e.csv"):
        (folder / name).write_text(TABLE + "99,ann,no\n")
    assert [result.file_name for result in project.ingest()] == ["tone/d.csv"]
    assert read_views(project.db, "batches")["batches"]["file_name"].sort().to_list() == ["tone/a.csv", "tone/d.csv"]


def test_the_same_bytes_in_two_subfolders_answer_two_questions(project: Project) -> None:
    for question in ("style", "tone"):
        (project.inbox / question).mkdir()
        (project.inbox / question / "x.csv").write_text(TABLE)
    assert len(project.ingest()) == 2
    assert project.ingest() == []
    assert project.evaluate() == ["style", "tone"]


def test_a_file_that_can_be_read_at_last_takes_the_place_of_its_refusal(project: Project) -> None:
    (project.inbox / "odd.csv").write_text(TABLE.replace("item,rater,label", "alpha,beta,gamma"))
    assert [result.status for result in project.ingest()] == ["rejected"]
    columns = {"item": "alpha", "rater": "beta", "label": "gamma"}
    assert [result.status for result in project.ingest(ReadOptions(columns=columns))] == ["stored"]
    batches = read_views(project.db, "batches")["batches"]
    assert batches.select("status", "attempt").rows() == [("stored", 2)]


def test_unfinished_hidden_and_linked_files_are_left(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text(TABLE)
    (project.inbox / "link.csv").symlink_to(outside)
    for name in (".hidden.csv", "coming.csv.part", "~$sheet.csv"):
        (project.inbox / name).write_text(TABLE)
    (project.inbox / "tone").mkdir()
    (project.inbox / "tone" / "monday.csv").write_text(TABLE)
    assert [result.file_name for result in project.ingest()] == ["tone/monday.csv"]
    # The subfolder names the question.
    assert project.evaluate() == ["tone"]


def test_a_file_that_cannot_be_read_is_a_batch_and_the_others_go_on(project: Project) -> None:
    (project.inbox / "a-broken.json").write_text('[{"id": 1, "annotations"')
    (project.inbox / "b-binary.csv").write_bytes(bytes(range(256)) * 8)
    (project.inbox / "c.csv").write_text(TABLE)
    results = {result.file_name: result.status for result in project.ingest()}
    assert results == {"a-broken.json": "rejected", "b-binary.csv": "rejected", "c.csv": "stored"}
    batches = read_views(project.db, "batches")["batches"].filter(status="rejected")
    assert batches["reason"].to_list() == ["unreadable"] * 2
    assert all(batches["detail"].str.len_chars() > 20)
    assert project.ingest() == []


def test_two_sources_with_prefixes_never_merge(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (project.inbox / "tone.csv").write_text(TABLE)
    other = tmp_path / "other"
    other.mkdir()
    (other / "tone.csv").write_text(TABLE + "99,ann,no\n")
    folders = [
        FolderSource(n, p, options=ReadOptions(prefix=n)) for n, p in (("here", project.inbox), ("there", other))
    ]
    list(ingest(project.db, find_files(folders).readable))
    assert project.evaluate() == ["here/tone", "there/tone"]


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        find_files([FolderSource("inbox", tmp_path / "nowhere")])


def test_a_table_that_breaks_its_contract_is_a_failed_run_and_the_others_go_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.inbox / "tone.csv").write_text(TABLE)
    (project.inbox / "mood.csv").write_text(TABLE + "99,ann,no\n")
    project.ingest()
    evaluate = question_runs.KINDS["evaluate"]

    def broken(question: str, *inputs: Any) -> question_runs.ComputedTables:
        computed = evaluate(question, *inputs)
        if question == "mood":
            return computed
        agreement = computed.tables["agreement"].with_columns(n_items=-pl.col("n_items"))
        return question_runs.ComputedTables({**computed.tables, "agreement": agreement})

    monkeypatch.setattr(question_runs, "KINDS", {"evaluate": broken})
    assert project.evaluate() == ["mood"]
    with connect(project.db, read_only=True) as con:
        runs = con.execute(
            "select question, status, detail from runs where question is not null order by question"
        ).fetchall()
        assert con.execute("select distinct question from agreement").fetchall() == [("mood",)]
    assert [run[:2] for run in runs] == [("mood", "succeeded"), ("tone", "failed")]
    assert runs[1][2].startswith("The agreement table breaks its contract ")
    assert project.evaluate() == []  # tone is still due, and fails again


def test_the_warehouse_is_opened_once_to_store_some_questions_and_to_read_the_next(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        (project.inbox / f"q{number}.csv").write_text(TABLE)
    project.ingest()
    steps: list[str] = []

    @contextmanager
    def watched(db: Path) -> Iterator[None]:
        steps.append("open")
        with kept_open(db):
            yield
        steps.append("close")

    def compute(job: question_runs.QuestionJob) -> question_runs.JobResult:
        steps.append(job.stored_question.question)
        return question_runs.JobResult(question_runs.ComputedTables({}), None, job.started_at)

    monkeypatch.setattr(question_runs, "kept_open", watched)
    monkeypatch.setattr(question_runs, "compute_question", compute)
    monkeypatch.setitem(question_runs.TOGETHER, "monitor", 2)
    due = pending_questions(project.db, "monitor", QuestionConfigs({}), OPTIONS, everything=False)
    results = [
        result.question for result in process_questions(project.db, "monitor", due, QuestionConfigs({}), OPTIONS)
    ]
    assert results == ["q0", "q1", "q2"]
    assert " ".join(steps) == "open close q0 q1 open close q2 open close"
    steps.clear()
    monkeypatch.setattr(question_runs, "MAX_PATTERN_RATINGS", 1)  # large questions are read one by one
    assert len(list(process_questions(project.db, "monitor", due, QuestionConfigs({}), OPTIONS))) == 3
    assert " ".join(steps) == "open close q0 open close q1 open close q2 open close"
