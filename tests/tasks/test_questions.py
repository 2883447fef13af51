"""Ingest and evaluation put together as the flows do, but without Prefect: what is due, and what is not."""

import os
from pathlib import Path

import pytest

from tasks.errors import InputError
from tasks.evaluate import Declared
from tasks.formats import ReadOptions
from tasks.ingest import ingest
from tasks.questions import Asked, Declarations, pending, work_through
from tasks.results import read_views
from tasks.sweep import Folder, sweep
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.patterns import rebuild

ASKED = Asked(confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1")
TABLE = "item,rater,label\n" + "".join(
    f"{item},{rater},{'yes' if (item * place) % 3 else 'no'}\n"
    for item in range(12)
    for place, rater in enumerate(("ann", "bob", "bot"), 1)
)


class Project(InboxProject):
    def evaluate(self, declared: Declarations | None = None, asked: Asked = ASKED) -> list[str]:
        """Evaluate what is due; the names of it."""
        done = self.work("evaluate", declared or Declarations({}), asked, everything=False)
        return [one.question for one in done if not one.error]


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
    assert project.evaluate(Declarations({"mood": Declared(labels=("yes", "no"))})) == ["mood"]
    assert project.evaluate(asked=Asked(0.9, 0, "krippendorff_alpha", "1")) == ["mood", "tone"]
    assert project.evaluate(asked=Asked(0.9, 0, "krippendorff_alpha", "2")) == ["mood", "tone"]


def test_without_people_nothing_is_said_of_the_items_any_more(project: Project) -> None:
    (project.inbox / "tone.csv").write_text(TABLE)
    project.ingest()
    project.evaluate()
    with connect(project.db, read_only=True) as con:
        people = {rater for (rater,) in con.execute("select distinct rater from current_ratings").fetchall()}
        assert con.execute("select count(*) > 0 from item_consensus").fetchone() == (True,)
    assert project.evaluate(Declarations({"tone": Declared(systems=frozenset(people))})) == ["tone"]
    with connect(project.db, read_only=True) as con:
        assert con.execute("select count(*) from item_consensus").fetchone() == (0,)
        assert con.execute("select count(*) from rater_leaderboard").fetchone() == (0,)


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
    due = pending(project.db, "monitor", Declarations({}), ASKED, everything=False)
    assert [done.error for done in work_through(project.db, "monitor", due, Declarations({}), ASKED)] == [None]
    with connect(project.db, read_only=True) as con:
        assert con.execute("select count(*) from item_consensus").fetchone() == (0,)
        assert con.execute("select count(*) from latest_agreement").fetchone() == (0,)


def test_a_system_that_is_declared_after_its_ratings_came_in(project: Project) -> None:
    (project.inbox / "tone.csv").write_text(TABLE)
    project.ingest()
    project.evaluate()
    declared = Declarations({"tone": Declared(systems=frozenset({"bot"}))})
    assert project.evaluate(declared) == ["tone"]
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
    assert [done.file_name for done in project.ingest()] == ["n\\xff.csv", "z.csv"]
    assert project.evaluate() == ["n\\xff", "z"]


def test_the_same_bytes_are_one_batch_whatever_the_file_is_called(project: Project) -> None:
    (project.inbox / "a.csv").write_text(TABLE)
    assert [done.counts.n_ratings for done in project.ingest()] == [36]
    for name in ("b.csv", "c.csv"):
        (project.inbox / name).write_text(TABLE)
    assert project.ingest() == []
    for name in ("d.csv", "e.csv"):
        (project.inbox / name).write_text(TABLE + "99,ann,no\n")
    assert [done.file_name for done in project.ingest()] == ["d.csv"]
    assert read_views(project.db, "batches")["batches"]["file_name"].sort().to_list() == ["a.csv", "d.csv"]


def test_the_same_bytes_in_two_subfolders_answer_two_questions(project: Project) -> None:
    for question in ("style", "tone"):
        (project.inbox / question).mkdir()
        (project.inbox / question / "x.csv").write_text(TABLE)
    assert len(project.ingest()) == 2
    assert project.ingest() == []
    assert project.evaluate() == ["style", "tone"]


def test_a_file_that_can_be_read_at_last_takes_the_place_of_its_refusal(project: Project) -> None:
    (project.inbox / "odd.csv").write_text(TABLE.replace("item,rater,label", "alpha,beta,gamma"))
    assert [done.status for done in project.ingest()] == ["rejected"]
    columns = {"item": "alpha", "rater": "beta", "label": "gamma"}
    assert [done.status for done in project.ingest(ReadOptions(columns=columns))] == ["stored"]
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
    assert [done.file_name for done in project.ingest()] == ["tone/monday.csv"]
    # The subfolder names the question.
    assert project.evaluate() == ["tone"]


def test_a_file_that_cannot_be_read_is_a_batch_and_the_others_go_on(project: Project) -> None:
    (project.inbox / "a-broken.json").write_text('[{"id": 1, "annotations"')
    (project.inbox / "b-binary.csv").write_bytes(bytes(range(256)) * 8)
    (project.inbox / "c.csv").write_text(TABLE)
    found = {done.file_name: done.status for done in project.ingest()}
    assert found == {"a-broken.json": "rejected", "b-binary.csv": "rejected", "c.csv": "stored"}
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
    folders = [Folder(n, p, options=ReadOptions(prefix=n)) for n, p in (("here", project.inbox), ("there", other))]
    list(ingest(project.db, sweep(folders)))
    assert project.evaluate() == ["here/tone", "there/tone"]


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        sweep([Folder("inbox", tmp_path / "nowhere")])
