"""A file that is withdrawn leaves everything as if it had never come, and may be taken in again."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.sources.folder import FolderSource, find_files
from tasks.sources.withdraw_file import FileName, Withdrawal, plan_withdrawal, undo_withdrawal, withdraw_files
from tasks.worklist.take_worklist import take_worklist
from tests.answers_project import VOTES, spans_of
from tests.gate_project import rating_rows, write_table
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.status import read_status

KINDS = ("labels", "spans", "votes")
IN_FORCE = """
    from (
        select question, item, rater, label as answer, rated_at from current_ratings
        union all
        select question, item, rater, regions::varchar, rated_at from region_work where is_current
        union all
        select question, item, rater, winner::varchar || model_a || model_b, null from current_preferences
    )
    order by all
"""
COUNTS = """
    select q.question, c.day, sum(c.n_items) as n_items, count(*) as n_patterns
    from internal.pattern_counts as c inner join internal.questions as q using (question_id)
    group by q.question, c.day
    order by all
"""
EDITS = "select question, rater, n_edits from rater_work order by all"


def withdraw(project: InboxProject, *names: str, **options: Any) -> list[Withdrawal]:
    return withdraw_files(project.db, [FileName(name) for name in names], by="ann", **options)


def undo(project: InboxProject, *names: str) -> None:
    undo_withdrawal(project.db, [FileName(name) for name in names])


def write(project: InboxProject, kind: str, *, wrong: bool) -> str:
    """Write the first file of a project, or the wrong one that follows it; return its name."""
    name = "wrong" if wrong else "right"
    if kind == "labels":
        rows = rating_rows(12, {"ann": 0.4, "bob": 0.4} if wrong else {"ann": 1.0, "eve": 0.7}, seed=2 if wrong else 1)
        return write_table(project.inbox / f"{name}.csv", rows).name
    if kind == "votes":
        text = VOTES.replace(",model_a,ann", ",model_b,ann").replace("ben", "kim") if wrong else VOTES
        (project.inbox / f"{name}.csv").write_text(text)
        return f"{name}.csv"
    tasks = [spans_of(task) for task in (range(8, 20) if wrong else range(14))]
    if wrong:  # a later answer of the same people
        tasks = json.loads(json.dumps(tasks).replace("2026-03", "2026-04").replace('"end": 3', '"end": 7'))
    (project.inbox / f"{name}.json").write_text(json.dumps(tasks), encoding="utf-8")
    return f"{name}.json"


def project_of(folder: Path) -> InboxProject:
    folder.mkdir()
    return InboxProject(folder)


def take_in(project: InboxProject) -> list[str]:
    """Take in what is new, into the question q; return the files."""
    return [result.file_name for result in project.ingest(ReadOptions(question="q"))]


def rows(project: InboxProject, text: str) -> list[tuple[object, ...]]:
    with connect(project.db) as con:
        assert {name: result for name, result in run_checks(con).items() if result.height} == {}
        return con.execute(text).fetchall()


@pytest.mark.parametrize("kind", KINDS)
def test_all_is_as_if_the_file_had_never_come(tmp_path: Path, kind: str) -> None:
    untouched, project = project_of(tmp_path / "untouched"), project_of(tmp_path / "withdrawn")
    for each in (untouched, project):
        write(each, kind, wrong=False)
        take_in(each)
    before, counts, edits = rows(untouched, IN_FORCE), rows(untouched, COUNTS), rows(untouched, EDITS)
    assert rows(project, IN_FORCE) == before
    wrong = write(project, kind, wrong=True)
    assert take_in(project) == [wrong]
    with_wrong = rows(project, IN_FORCE)
    assert with_wrong != before
    assert (rows(project, EDITS) != edits) is (kind == "labels")  # ann answered the same items again
    (planned,) = plan_withdrawal(project.db, [FileName(wrong, "inbox")])
    assert (planned.file_name, [*planned.questions]) == (wrong, ["names" if kind == "spans" else "q"])
    assert rows(project, IN_FORCE) == with_wrong
    ((revision,),) = rows(project, "select revision from internal.questions")
    assert withdraw(project, wrong, because="a test") == [planned]
    assert rows(project, IN_FORCE) == before
    assert rows(project, COUNTS) == counts
    assert rows(project, EDITS) == edits
    assert rows(project, "select revision > ? from internal.questions".replace("?", str(revision))) == [(True,)]
    assert rows(project, f"select n_rows, n_ratings, detail from batches where file_name = '{wrong}'") == [
        (0, 0, "Withdrawn by ann: a test")
    ]
    assert take_in(project) == []  # it stays in the inbox
    undo(project, planned.batch_id[:12])
    assert take_in(project) == [wrong]
    assert rows(project, IN_FORCE) == with_wrong


@pytest.mark.parametrize(("rule", "label"), [("latest", "y"), ("first", "z")])
def test_the_rule_of_the_question_chooses_among_the_other_versions(tmp_path: Path, rule: str, label: str) -> None:
    project = project_of(tmp_path / "p")
    rules = {"q": DuplicateRule(rule)}
    days = {"x": "22" if rule == "latest" else "02", "y": "14", "z": "07", "y2": "10"}
    for number, (answer, day) in enumerate(days.items()):  # the wrong one comes first, then older and older versions
        text = f"question,item,rater,label,rated_at\nq,1,ann,{answer},2026-01-{day}T10:00:00Z\n"
        (project.inbox / f"{number}.csv").write_text(text, encoding="utf-8")
        files = find_files([FolderSource("inbox", project.inbox)]).readable
        assert len(list(ingest(project.db, files, IngestRules(duplicates=rules)))) == 1
    assert rows(project, "select label from current_ratings") == [("x",)]
    withdraw(project, "0.csv", rules=rules)
    assert rows(project, "select label from current_ratings") == [(label,)]


def test_rows_that_were_refused_because_of_the_file_are_not_lost(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    rules = {"q": DuplicateRule("error")}
    for name, answer in (("first.csv", "x"), ("second.csv", "y")):
        (project.inbox / name).write_text(f"question,item,rater,label\nq,1,ann,{answer}\n", encoding="utf-8")
        files = find_files([FolderSource("inbox", project.inbox)]).readable
        list(ingest(project.db, files, IngestRules(duplicates=rules)))
    with pytest.raises(InputError, match=r"^second\.csv .* or were refused because of them\."):
        withdraw(project, "first.csv", rules=rules)


def test_what_is_wanted_again_but_gone_can_be_withdrawn_again(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    write(project, "labels", wrong=False)
    take_in(project)
    withdraw(project, "right.csv")
    with connect(project.db) as con:
        assert (read_status(con).n_files_rejected, read_status(con).n_files_withdrawn) == (0, 1)
    (project.inbox / "right.csv").unlink()
    undo(project, "right.csv")
    assert take_in(project) == []
    with connect(project.db) as con:
        assert (read_status(con).n_files_rejected, read_status(con).n_files_withdrawn) == (0, 0)
    withdraw(project, "right.csv", because="it is gone")
    assert rows(project, "select status, reason, detail from batches") == [
        ("stored", None, "Withdrawn by ann: it is gone")
    ]


def test_a_namesake_of_another_source_is_not_withdrawn(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    write(project, "labels", wrong=False)
    take_in(project)
    for name in ("other/right.csv", "../right.csv", "/nowhere/right.csv"):
        with pytest.raises(InputError, match="was taken in"):
            withdraw(project, name)
    with pytest.raises(InputError, match=r"No file 'right\.csv' of the source other was taken in\."):
        plan_withdrawal(project.db, [FileName("right.csv", "other")])


def test_files_that_repeat_each_other_are_withdrawn_by_force_or_together(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    for name, label in (("a.csv", "kind"), ("b.csv", "rude")):
        write_table(project.inbox / name, ["1,ann,kind", "1,ann,kind", f"{name},bob,{label}"])
        take_in(project)
    with pytest.raises(InputError, match=r"^b\.csv"):
        withdraw(project, "a.csv")
    assert [each.file_name for each in withdraw(project, "a.csv", force=True)] == ["a.csv"]
    assert rows(project, "select item from current_ratings") == [("b.csv",)]


def test_history_keeps_the_rows_of_a_withdrawn_file(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    write(project, "labels", wrong=False)
    take_in(project)
    n_rows = rows(project, "select count(*) from ratings")
    withdraw(project, "right.csv")
    assert rows(project, "select count(*) from ratings where deleted_at is not null") == n_rows == [(24,)]
    assert rows(project, "select detail from batches") == [("Withdrawn by ann.",)]
    assert rows(project, "from current_ratings") == []


def test_rows_that_a_later_file_repeats_are_not_lost(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    first = rating_rows(10, {"ann": 1.0})
    write_table(project.inbox / "first.csv", first)
    take_in(project)
    write_table(project.inbox / "second.csv", [*first, "x,bob,kind"])
    take_in(project)
    in_force = rows(project, IN_FORCE)
    with pytest.raises(InputError, match=r"^second\.csv \(\w{12}\) had rows that were stored already"):
        withdraw(project, "first.csv")
    withdraw(project, "first.csv", "second.csv")
    assert rows(project, IN_FORCE) == []
    undo(project, "second.csv")
    assert take_in(project) == ["second.csv"]
    assert rows(project, IN_FORCE) == in_force


def test_a_copy_of_a_withdrawn_file_is_not_taken_in(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    project = project_of(tmp_path / "p")
    write(project, "labels", wrong=False)
    take_in(project)
    withdraw(project, "right.csv")
    (project.inbox / "zz.csv").write_bytes((project.inbox / "right.csv").read_bytes())
    with caplog.at_level("INFO", "kappaflow"):
        assert take_in(project) == []
    assert caplog.messages[-1] == "zz.csv is a copy of right.csv, which was withdrawn"


def test_what_cannot_be_withdrawn_is_said(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    write(project, "labels", wrong=False)
    (project.inbox / "a").mkdir()
    (project.inbox / "b").mkdir()
    for place in "ab":
        write_table(project.inbox / place / "same.csv", [f"{place},ann,kind"])
    (project.inbox / "bad.csv").write_text("nothing\n")
    full = project.folder / "full"
    full.mkdir()
    write_table(full / "all.csv", ["7,ann,kind"])
    list(ingest(project.db, find_files([FolderSource("full", full, full_export=True)]).readable))
    take_in(project)
    for name, text in (
        ("rihgt.csv", "No file 'rihgt.csv' was taken in."),
        ("bad.csv", "bad.csv could not be read: nothing of it counts."),
        ("all.csv", "all.csv is a full export: it also deleted what it lacks, and that would not come back."),
    ):
        with pytest.raises(InputError) as refused:
            withdraw(project, name)
        assert str(refused.value) == text
    with pytest.raises(InputError, match="is not withdrawn"):
        undo(project, "right.csv")
    assert withdraw(project, "a/same.csv")[0].file_name == "a/same.csv"
    with pytest.raises(InputError, match="is withdrawn already"):
        withdraw(project, "a/same.csv")
    assert rows(project, "select count(*) from current_ratings") == [(26,)]


def test_answers_that_people_gave_are_in_no_source(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    write(project, "labels", wrong=False)
    take_in(project)
    answers = project.folder / "answers.csv"
    answers.write_text("item,label\n1,kind\n2,rude\n", encoding="utf-8")
    for _ in range(2):  # they may be given again after they were withdrawn
        take_worklist(project.db, answers, "q", "lea", labels=None, now=datetime.now(UTC))
        assert rows(project, "select count(*) from current_ratings where rater = 'lea'") == [(2,)]
        (withdrawal,) = withdraw(project, "answers.csv")
        assert withdrawal.is_answers
        assert rows(project, "select count(*) from current_ratings where rater = 'lea'") == [(0,)]
    with pytest.raises(InputError, match="is in no source") as refused:
        undo(project, withdrawal.batch_id)
    assert refused.value.hint == "Give it to `kappaflow worklist --answers` again."


def test_a_live_source_is_no_file(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p")
    write(project, "labels", wrong=False)
    take_in(project)
    with connect(project.db) as con:
        con.execute("update batches set sha256 = null, reader = 'label_studio', file_name = 'project 7'")
    with pytest.raises(InputError, match="project 7 is no file: its ratings are in Label Studio") as refused:
        plan_withdrawal(project.db, [FileName("project 7")])
    assert refused.value.hint == "Delete them in Label Studio. The next run follows."
    assert isinstance(project.view("current_ratings"), pl.DataFrame)
