"""Sources that send full exports: the order of files, A, B, A by identical bytes, and files that are too old."""

import os
from pathlib import Path

import pytest

from tasks.formats import ReadOptions
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.sources.folder import FolderSource, find_files
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate, migrations
from warehouse.raters.rater_aliases import rename_stored

DAY = 86_400
A = "item,rater,label\n1,ann,yes\n2,ann,no\n"
B = "item,rater,label\n1,ann,yes\n"


class Project:
    def __init__(self, folder: Path) -> None:
        self.inbox = folder / "inbox"
        self.db = folder / "warehouse.duckdb"
        with connect(self.db) as con:
            migrate(con)

    def put(self, name: str, text: str, day: int) -> None:
        path = self.inbox / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (day * DAY, day * DAY))

    def ingest(self, full_export: bool = True) -> list[FileResult]:
        folder = FolderSource("inbox", self.inbox, options=ReadOptions(), full_export=full_export)
        results = list(ingest(self.db, find_files([folder]).readable))
        with connect(self.db) as con:
            assert not {name for name, rows in run_checks(con).items() if rows.height}
        return results

    def items(self) -> list[str]:
        with connect(self.db, read_only=True) as con:
            return [item for (item,) in con.execute("select item from current_ratings order by item").fetchall()]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_b_a_by_identical_bytes_are_three_states(project: Project) -> None:
    project.put("tone/a.csv", A, 20_001)
    assert [result.counts.n_deleted for result in project.ingest()] == [0]
    project.put("tone/b.csv", B, 20_002)
    assert [result.counts.n_deleted for result in project.ingest()] == [1]
    assert project.items() == ["1"]
    assert project.ingest() == []
    project.put("tone/again.csv", A, 20_003)
    assert [(result.file_name, result.counts.n_ratings) for result in project.ingest()] == [("tone/again.csv", 1)]
    assert project.items() == ["1", "2"]
    assert project.ingest() == []
    project.put("tone/b.csv", B, 20_004)  # the old file, written once more
    assert [result.counts.n_deleted for result in project.ingest()] == [1]
    assert project.items() == ["1"]
    assert project.ingest() == []


def test_all_at_once_they_come_in_the_order_of_their_times(project: Project) -> None:
    project.put("tone/z.csv", A, 20_001)
    project.put("tone/y.csv", B, 20_002)
    project.put("tone/x.csv", A, 20_003)
    assert [result.file_name for result in project.ingest()] == ["tone/z.csv", "tone/y.csv", "tone/x.csv"]
    assert project.items() == ["1", "2"]
    assert project.ingest() == []


def test_one_file_that_is_overwritten_each_day(project: Project) -> None:
    for day, (text, items) in enumerate([(A, ["1", "2"]), (B, ["1"]), (A, ["1", "2"]), (A, ["1", "2"])], 20_001):
        project.put("tone.csv", text, day)
        project.ingest()
        assert project.items() == items


def test_an_older_export_is_refused_until_it_is_written_anew(project: Project) -> None:
    project.put("tone/b.csv", B, 20_002)
    project.ingest()
    project.put("tone/a.csv", A, 20_001)
    (refused,) = project.ingest()
    assert (refused.status, refused.reason) == ("rejected", "outdated_export")
    assert refused.detail is not None
    assert "before tone/b.csv" in refused.detail
    assert project.ingest() == []
    assert project.items() == ["1"]
    project.put("tone/a.csv", A, 20_003)
    assert [result.status for result in project.ingest()] == ["stored"]
    assert project.items() == ["1", "2"]


def test_questions_of_one_source_do_not_wait_for_each_other(project: Project) -> None:
    project.put("tone/b.csv", B, 20_002)
    project.put("mood/a.csv", A, 20_001)
    assert {result.status for result in project.ingest()} == {"stored"}
    project.put("mood/b.csv", B, 20_003)
    assert [result.counts.n_deleted for result in project.ingest()] == [1]
    assert project.items() == ["1", "1"]


def test_other_sources_are_as_before(project: Project) -> None:
    project.put("tone/a.csv", A, 20_001)
    project.ingest(full_export=False)
    project.put("tone/b.csv", B, 20_002)
    project.ingest(full_export=False)
    project.put("tone/again.csv", A, 20_003)
    assert project.ingest(full_export=False) == []
    assert project.items() == ["1", "2"]
    # Once the source is declared, what its earlier files brought counts too.
    project.put("tone/c.csv", B + "3,ann,no\n", 20_004)
    assert [result.counts.n_deleted for result in project.ingest()] == [1]
    assert project.items() == ["1", "3"]


@pytest.mark.parametrize(
    ("exports", "n_deleted"),
    [
        pytest.param([A, A.replace("ann", "ann@lab")], [0, 2], id="the export renames a rater"),
        pytest.param(
            [A, A + "1,ann@lab,no\n", "item,rater,label\n1,ann@lab,no\n"], [0, 0, 1], id="both names, then one"
        ),
    ],
)
def test_an_alias_of_a_name_that_full_exports_deleted_keeps_the_counts(
    project: Project, exports: list[str], n_deleted: list[int]
) -> None:
    for day, text in enumerate(exports):
        project.put(f"tone/{day}.csv", text, 20_001 + day)
        project.ingest()
    with connect(project.db) as con:
        before = con.execute("select item, label from current_ratings order by item").fetchall()
        rename_stored(con, {"ann@lab": "ann"}, {})
        assert con.execute("select item, label from current_ratings order by item").fetchall() == before
        assert not {name: rows.rows() for name, rows in run_checks(con).items() if rows.height}
        table = con.execute("select n_deleted from batches order by file_name").fetchall()
    assert [n for (n,) in table] == n_deleted


@pytest.mark.parametrize(
    ("exports", "as_merged_then"),
    [
        pytest.param(
            [A, A.replace("ann", "ann@lab")],
            "update internal.ratings set superseded_at = deleted_at where deleted_by is not null",
            id="deleted ratings counted as superseded later",
        ),
        pytest.param(
            [A, A + "1,ann@lab,no\n", "item,rater,label\n1,ann@lab,no\n"],
            "update batches set n_deleted = n_deleted + 1 where n_deleted > 0",
            id="ratings superseded before counted as deleted in force",
        ),
    ],
)
def test_a_warehouse_in_which_an_older_version_merged_such_an_alias_adds_up_again(
    project: Project, exports: list[str], as_merged_then: str
) -> None:
    for day, text in enumerate(exports):
        project.put(f"tone/{day}.csv", text, 20_001 + day)
        project.ingest()
    (repair,) = [result.text for result in migrations() if result.version == 49]
    with connect(project.db) as con:
        rename_stored(con, {"ann@lab": "ann"}, {})
        con.execute(repair)
        sound = con.execute("select * from internal.ratings order by all").fetchall()
        counts = con.execute("select batch_id, n_deleted from batches order by all").fetchall()
        con.execute(as_merged_then)
        assert [name for name, rows in run_checks(con).items() if rows.height] == ["batches_do_not_add_up"]
        con.execute(repair)
        assert not {name: rows.rows() for name, rows in run_checks(con).items() if rows.height}
        assert con.execute("select * from internal.ratings order by all").fetchall() == sound
        assert con.execute("select batch_id, n_deleted from batches order by all").fetchall() == counts


def test_a_batch_that_lost_ratings_otherwise_still_does_not_add_up(project: Project) -> None:
    for day, text in enumerate([A, B]):
        project.put(f"tone/{day}.csv", text, 20_001 + day)
        project.ingest()
    (repair,) = [result.text for result in migrations() if result.version == 49]
    with connect(project.db) as con:
        con.execute("update internal.ratings set superseded_at = deleted_at where deleted_by is not null")
        con.execute(repair)
        assert run_checks(con)["batches_do_not_add_up"].height == 1
