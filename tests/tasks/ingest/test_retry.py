"""Rejected rows read again after a fix, and every annotation of a mixed file led back to its batch and row."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest, missing_files
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.rejected_rows import read_rejects
from tasks.sources.folder import FolderSource, find_files
from tasks.summary.published_views import read_views
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate

ROOT = Path(__file__).parents[3]
TABLE = "item,rater,label,at\n1,ann,yes,2026-01-01\n2,ann,perhaps,2026-01-01\n3,ann,no,monday\n4,,no,2026-01-01\n"


class Project:
    def __init__(self, folder: Path) -> None:
        self.inbox = folder / "inbox"
        self.inbox.mkdir()
        self.db = folder / "warehouse.duckdb"
        with connect(self.db) as con:
            migrate(con)

    def put(self, name: str, text: str) -> None:
        (self.inbox / name).parent.mkdir(exist_ok=True)
        (self.inbox / name).write_text(text, encoding="utf-8")

    def sweep(self, **options: object):  # type: ignore[no-untyped-def]
        return find_files([FolderSource("inbox", self.inbox, options=ReadOptions(**options))]).readable  # type: ignore[arg-type]

    def ingest(self, labels: str = "yes no", retry: bool = False, **options: object) -> list[FileResult]:
        rules = IngestRules({"tone": labels.split()}, options.pop("duplicates", {}))  # type: ignore[arg-type]
        results = list(ingest(self.db, self.sweep(**options), rules, retry_rejects=retry))
        with connect(self.db) as con:
            assert not {name for name, rows in run_checks(con).items() if rows.height}
        return results

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with connect(self.db, read_only=True) as con:
            return con.execute(query).fetchall()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_dates_in_the_future_are_kept_and_told(project: Project) -> None:
    project.put(
        "tone/a.csv", "item,rater,label,at\n1,ann,yes,2026-01-01\n1,ben,no,2099-01-01\n2,ann,no,2099-03-02 10:00\n"
    )
    project.put("tone/b.csv", "item,rater,label,at\n3,ann,yes,2026-01-01\n")
    options = {"question": "tone", "columns": {"time": "at"}}
    results = {file.file_name: file for file in project.ingest(**options)}
    assert [(file.counts.n_ratings, file.counts.n_future) for _, file in sorted(results.items())] == [(3, 2), (1, 0)]
    (note,) = [text for text in results["tone/a.csv"].warnings if "future" in text]
    assert note.startswith("2 ratings are dated in the future, up to 2099-03-02 10:00 UTC. They were stored")
    assert not any("future" in text for text in results["tone/b.csv"].warnings)
    rows = project.rows(
        "select file_name, n_ratings, n_future, last_future_at::date::varchar from data_quality order by 1"
    )
    assert rows == [("tone/a.csv", 3, 2, "2099-03-02"), ("tone/b.csv", 1, 0, None)]


def outcome(first: FileResult) -> tuple[int, int, int]:
    return first.counts.n_ratings, first.counts.n_unchanged, first.counts.n_rejected


def test_labels_and_columns_that_are_put_right_take_the_rows_in(project: Project) -> None:
    project.put("tone.csv", TABLE)
    columns = {"time": "at"}
    assert [outcome(result) for result in project.ingest(columns=columns)] == [(1, 0, 3)]
    assert project.ingest(retry=True, columns=columns) == []  # nothing was changed
    assert project.ingest("yes no perhaps", columns=columns) == []  # nobody asked
    assert [outcome(result) for result in project.ingest("yes no perhaps", True, columns=columns)] == [(2, 0, 2)]
    assert project.ingest("yes no perhaps", True, columns=columns) == []
    # Without the time the third row passes; the others are read anew, since they had one.
    assert [outcome(result) for result in project.ingest("yes no perhaps", True, columns={"source_ref": "at"})] == [
        (3, 0, 1)
    ]
    assert project.rows("select item, label from current_ratings order by item") == [
        ("1", "yes"), ("2", "perhaps"), ("3", "no"),
    ]  # fmt: skip
    assert project.rows("select attempt, n_rows, n_ratings, n_rejected from batches") == [(3, 4, 3, 1)]
    assert project.rows("select attempt, count(*) from rejected_rows group by attempt order by attempt") == [
        (1, 3), (2, 2), (3, 1),
    ]  # fmt: skip


def test_a_rater_that_is_declared_a_system_and_a_duplicate_that_is_allowed(project: Project) -> None:
    project.put("tone.csv", "item,rater,label\n1,bot,yes\n1,ann,no\n1,ann,yes\n")
    rule = {"tone": DuplicateRule("error")}
    assert [outcome(result) for result in project.ingest(duplicates=rule)] == [(2, 0, 1)]
    repeats = {"tone": DuplicateRule("repeats")}
    assert [
        outcome(result) for result in project.ingest(retry=True, duplicates=repeats, systems=frozenset({"bot"}))
    ] == [(3, 0, 0)]
    assert project.rows("select rater, rater_kind, label from current_ratings order by all") == [
        ("ann", "human", "no"), ("ann #2", "human", "yes"), ("bot", "system", "yes"),
    ]  # fmt: skip


def test_a_refused_file_is_read_again_and_one_that_is_gone_is_named(project: Project) -> None:
    project.put("odd.csv", TABLE.replace("item,rater,label", "alpha,beta,gamma"))
    project.put("tone.csv", TABLE)
    project.ingest()
    (project.inbox / "tone.csv").unlink()
    columns = {"item": "alpha", "rater": "beta", "label": "gamma"}
    assert [(result.file_name, result.status) for result in project.ingest(retry=True, columns=columns)] == [
        ("odd.csv", "stored")
    ]
    (gone,) = missing_files(project.db, project.sweep())
    assert (gone.file_name, gone.status) == ("tone.csv", "missing")
    assert gone.detail is not None
    assert "2 rejected rows" in gone.detail
    assert "no longer in its source (inbox)" in gone.detail


def test_of_equal_files_and_moved_ones_any_will_do(project: Project) -> None:
    project.put("tone/a.csv", TABLE)
    project.ingest()
    (project.inbox / "tone/a.csv").rename(project.inbox / "tone/renamed.csv")
    assert missing_files(project.db, project.sweep()) == []
    assert [result.file_name for result in project.ingest("yes no perhaps", True)] == ["tone/renamed.csv"]
    assert project.rows("select attempt, n_rejected from batches") == [(2, 1)]


KILLED = """
import os, signal, sys
from pathlib import Path
from tasks.formats import ReadOptions
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.sources.folder import FolderSource, find_files
from warehouse import sql

run = sql.run

def kill_after(con, name, /, **values):
    run(con, name, **values)
    if name == "storing/25_batch_row":
        os.kill(os.getpid(), signal.SIGKILL)

sql.run = kill_after
found = find_files([FolderSource("inbox", Path(sys.argv[2]))]).readable
list(ingest(Path(sys.argv[1]), found, IngestRules({"tone": ["yes", "no", "perhaps"]}), retry_rejects=True))
"""


def test_a_kill_leaves_the_earlier_attempt_and_the_next_run_finishes(project: Project) -> None:
    project.put("tone.csv", TABLE)
    project.ingest()
    command = [sys.executable, "-c", KILLED, str(project.db), str(project.inbox)]
    result = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, timeout=120, env=dict(os.environ))
    assert result.returncode == -signal.SIGKILL, result.stderr
    assert project.rows("select attempt, n_rejected from batches") == [(1, 2)]
    assert [outcome(result) for result in project.ingest("yes no perhaps", True)] == [(3, 0, 1)]
    assert project.rows("select attempt, n_rejected from batches") == [(2, 1)]


def test_rejects_are_listed_by_file_question_and_reason(project: Project) -> None:
    project.put("tone.csv", TABLE)
    project.put("deep/mood.csv", "item,rater,label\n1,ann,\n")
    project.put("broken.json", '[{"id": 1, "annotations"')
    project.ingest(columns={})
    result = read_rejects(project.db)
    assert result.summary.select("file_name", "reason", "n_rejected", "first_row").rows() == [
        ("broken.json", "unreadable", None, None),
        ("deep/mood.csv", "missing_label", 1, 2),
        ("tone.csv", "missing_rater", 1, 5),
        ("tone.csv", "unknown_label", 1, 3),
    ]
    first = result.rows.filter(pl.col("reason") == "unknown_label").row(0, named=True)
    assert (first["row_number"], first["column_name"], first["value"], first["question"], first["item"]) == (
        3, "label", "perhaps", "tone", "2",
    )  # fmt: skip
    assert read_rejects(project.db, file="mood.csv").rows.height == 1
    assert read_rejects(project.db, question="tone").summary["file_name"].unique().to_list() == ["tone.csv"]
    assert read_rejects(project.db, reason="unreadable").summary.height == 1
    project.ingest("yes no perhaps", True)
    assert read_rejects(project.db, file="tone.csv").rows["attempt"].to_list() == [2]
    assert read_rejects(project.db, file="tone.csv", all_attempts=True).rows["attempt"].to_list() == [1, 1, 2]
    for wrong in ({"file": "nowhere.csv"}, {"question": "nothing"}, {"reason": "bad_mood"}):
        with pytest.raises(InputError):
            read_rejects(project.db, **wrong)  # type: ignore[arg-type]


def test_the_view_counts_what_the_command_counts(project: Project) -> None:
    project.put("tone.csv", TABLE)
    project.put("broken.json", '[{"id": 1, "annotations"')
    project.ingest()
    columns = ("file_name", "reason", "n_rejected", "first_row", "last_row", "detail", "attempt", "batch_id")
    view = read_views(project.db, "rejects_by_reason")["rejects_by_reason"].select(columns)
    assert sorted(view.rows(), key=str) == sorted(read_rejects(project.db).summary.select(columns).rows(), key=str)


def task(number: int, *labels: str | None) -> dict[str, object]:
    """A Label Studio task: one annotation by each of ann, bob, ...; None is a skip."""
    return {
        "id": number,
        "data": {"text": "t"},
        "annotations": [
            {
                "id": 100 * number + place,
                "completed_by": place,
                "was_cancelled": label is None,
                "created_at": "2026-01-01T00:00:00Z",
                "updated_at": "2026-01-01T00:00:00Z",
                "result": []
                if label is None
                else [{"type": "choices", "from_name": "tone", "to_name": "text", "value": {"choices": [label]}}],
            }
            for place, label in enumerate(labels, 1)
        ],
    }


def test_each_annotation_of_a_mixed_file_leads_back_to_its_batch_and_row(project: Project) -> None:
    first = [task(1, "yes", "no"), task(2, "perhaps", None), task(3, "no", "yes")]
    project.put("monday.json", json.dumps(first))
    second = [*first, task(4, "no", "maybe")]
    project.put("tuesday.json", json.dumps(second))
    result = project.ingest()
    assert [outcome(attempt) for attempt in result] == [(4, 0, 1), (1, 4, 2)]
    assert [attempt.counts.n_skipped for attempt in result] == [1, 1]
    for name, tasks in (("monday.json", first), ("tuesday.json", second)):
        annotations = [result for each in tasks for result in each["annotations"]]  # type: ignore[attr-defined]
        of_file = f"inner join batches as b using (batch_id) where b.file_name = '{name}'"
        ratings = project.rows(f"select row_number, rater, label, source_ref from ratings {of_file}")
        for number, *results in ratings:
            row = annotations[number - 1]  # type: ignore[operator]
            assert results == [
                str(row["completed_by"]),
                row["result"][0]["value"]["choices"][0],
                f"annotation:{row['id']}",
            ]
        refused = project.rows(f"select r.row_number, r.value, r.item, r.rater from rejected_rows as r {of_file}")
        for number, value, item, rater in refused:
            row = annotations[number - 1]  # type: ignore[operator]
            assert value == row["result"][0]["value"]["choices"][0]
            assert (item, rater) == (str(row["id"] // 100), str(row["completed_by"]))
        assert len(ratings) + len(refused) == {"monday.json": 5, "tuesday.json": 3}[name]
    counts = "n_rows, n_ratings, n_unchanged, n_skipped, n_rejected"
    assert project.rows(f"select {counts} from batches order by file_name") == [(6, 4, 0, 1, 1), (8, 1, 4, 1, 2)]


def test_sets_that_were_stored_as_labels_are_read_again_once_their_separator_is_declared(project: Project) -> None:
    labels = ["a;b", "b;c", "a;c", "c"]
    project.put("tags.csv", "item,rater,label\n" + "".join(f"{i},ann,{label}\n" for i, label in enumerate(labels)))
    (first,) = project.ingest()
    (note,) = [text for text in first.warnings if "label_separator" in text]
    assert note.startswith("3 of 4 answers look like several labels joined by ';', such as 'b;c'")
    assert project.ingest(columns={"label_separator": "none"}) == []
    assert project.ingest(columns={"label_separator": "|"}) == []  # no label holds it
    columns = {"label_separator": ";"}
    assert [(outcome(result), result.counts.n_new) for result in project.ingest(columns=columns)] == [((4, 0, 0), 3)]
    assert project.rows("select label from current_ratings order by item") == [
        ('["a", "b"]',), ('["b", "c"]',), ('["a", "c"]',), ("c",),
    ]  # fmt: skip
    assert project.ingest(columns=columns) == []
    assert project.ingest() == []  # what is a set stays one


def test_two_sources_with_one_file_and_two_separators_do_not_take_turns_for_ever(project: Project) -> None:
    project.put("tags.csv", "item,rater,label\n1,ann,a;b|c\n2,ann,a\n")
    project.ingest()
    files = [file for mark in ";|" for file in project.sweep(columns={"label_separator": mark})]
    assert len(list(ingest(project.db, files, IngestRules({})))) == 1
