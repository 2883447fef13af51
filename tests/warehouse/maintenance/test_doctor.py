"""The doctor: silent on a sound warehouse, one finding with a sentence and a remedy for each damage."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warehouse.maintenance.test_integrity import DAMAGE
from warehouse import sql
from warehouse.connect import connect
from warehouse.maintenance.compact import compact
from warehouse.maintenance.doctor import Finding, drafts, examine
from warehouse.maintenance.integrity import explained
from warehouse.maintenance.view_contract import CHANGED, GONE
from warehouse.patterns import CHECKS, question_patterns
from warehouse.publication.snapshot import publish

KILLED = """
import os, sys, duckdb
con = duckdb.connect(sys.argv[1])
con.execute("insert into runs (run_id, kind, status, started_at) values ('r', 'evaluate', 'running', '2020-01-01')")
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def project(two_versions: Path, tmp_path: Path) -> Path:
    """The folder of a published warehouse with two versions of one rating."""
    return shutil.copytree(two_versions, tmp_path, dirs_exist_ok=True)


def look(folder: Path, *, fix: bool = False) -> list[Finding]:
    published = folder / "published"
    return examine(folder / "warehouse.duckdb", published / "snapshot.duckdb", [folder, published], fix=fix)


def wrong(folder: Path, *, fix: bool = False) -> dict[tuple[str, str], Finding]:
    return {(result.where, result.check): result for result in look(folder, fix=fix) if not result.ok}


def dead_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_all_is_well_and_each_check_is_named_for_both_files(project: Path) -> None:
    result = look(project)
    assert [outcome for outcome in result if not outcome.ok] == []
    for where in ("warehouse", "snapshot"):
        names = {outcome.check for outcome in result if outcome.where == where}
        assert names == {"file", "schema", "views", "macros", *(name.replace("_", " ") for name in sql.texts("checks"))}
    assert {outcome.check for outcome in result if outcome.where == "folder"} == {"leftover drafts", "disk space"}
    assert all(outcome.found for outcome in result)


@pytest.mark.parametrize("name", sql.texts("checks"))
def test_each_check_says_what_it_finds_and_what_to_do(name: str) -> None:
    breaks, to_do = explained(name)
    assert breaks.endswith(".")
    assert to_do.endswith(".")


@pytest.mark.parametrize("name", DAMAGE)
def test_each_damage_is_found_in_the_warehouse_alone(project: Path, name: str) -> None:
    with connect(project / "warehouse.duckdb") as con:
        con.execute(DAMAGE[name])
    result = wrong(project)
    assert {where for where, _ in result} == {"warehouse"}
    row = result["warehouse", name.replace("_", " ")]
    assert (row.found, row.to_do) == explained(name)
    assert row.n_rows == len(row.rows) > 0


@pytest.mark.parametrize("name", CHECKS)
def test_patterns_that_are_wrong_are_mended(project: Path, name: str) -> None:
    with connect(project / "warehouse.duckdb") as con:
        before = question_patterns(con, "q").drop("pattern_id")
        con.execute(DAMAGE[name])
    assert wrong(project, fix=True) == {}
    with connect(project / "warehouse.duckdb") as con:
        after = question_patterns(con, "q").drop("pattern_id")
    assert after.sort(after.columns).equals(before.sort(before.columns))


def test_patterns_that_are_sound_or_cannot_be_mended_are_left_alone(project: Path) -> None:
    file = project / "warehouse.duckdb"
    before = file.read_bytes()
    assert wrong(project, fix=True) == {}
    assert file.read_bytes() == before
    with connect(file) as con:
        con.execute("drop table internal.pattern_numbers")
    assert "patterns without items" in {check for _, check in wrong(project, fix=True)}
    file.unlink()
    wrong(project, fix=True)
    assert not file.exists()


def test_only_the_first_rows_are_shown(project: Path) -> None:
    with connect(project / "warehouse.duckdb") as con:
        con.execute("insert into rater_quality (run_id, question, rater) select range, 'q', 'a' from range(1000)")
    result = wrong(project)["warehouse", "results without run"]
    assert (result.n_rows, len(result.rows)) == (1000, 10)


def test_views_that_are_gone_or_do_not_answer(project: Path) -> None:
    with connect(project / "warehouse.duckdb") as con:
        con.execute("create table t as select 'x' as n")
        con.execute('create view "my own" as select n::integer as n from t')
        con.execute("drop view data_quality")
    result = wrong(project)
    first = result.pop(("warehouse", "views"))
    assert not result
    assert [row["view"] for row in first.rows] == ["data_quality", "my own"]
    assert "Could not convert string 'x'" in first.rows[1]["error"]


CONTRACT = {
    "views": ["drop view agreement_trend", "create or replace view data_quality as select 1 as question"],
    "macros": [
        "drop macro table confusion",
        "create or replace macro agreement_by(question, key) as table select 1 as n",
        "create or replace macro internal.human_labels(question) as table select 1 as n",
    ],
}


@pytest.mark.parametrize("kind", CONTRACT)
def test_views_and_macros_that_are_gone_or_changed_are_told_and_made_anew(project: Path, kind: str) -> None:
    with connect(project / "warehouse.duckdb") as con:
        for damage in CONTRACT[kind]:
            con.execute(damage)
    result = wrong(project)["warehouse", kind]
    assert "kappaflow doctor --fix" in result.to_do
    expected = {
        "views": {"agreement_trend": GONE, "data_quality": CHANGED},
        "macros": {"agreement_by": CHANGED, "confusion": GONE, "internal.human_labels": CHANGED},
    }
    assert {row[kind.removesuffix("s")]: row["error"] for row in result.rows} == expected[kind]
    assert result.n_rows == len(expected[kind])
    publish(project / "warehouse.duckdb", project / "published")
    assert wrong(project)["snapshot", kind].to_do == "Run `kappaflow run`: it publishes the warehouse again."
    assert {where for where, _ in wrong(project, fix=True)} == {"snapshot"}
    publish(project / "warehouse.duckdb", project / "published")
    assert wrong(project) == {}


def test_views_and_macros_of_users_are_kept(project: Path) -> None:
    with connect(project / "warehouse.duckdb") as con:
        con.execute("create view mine as select question from current_ratings")
        con.execute("create macro half(x) as x / 2")
        con.execute("drop view data_quality")
    assert wrong(project, fix=True) == {}
    with connect(project / "warehouse.duckdb") as con:
        assert con.sql("select question, half(3) from mine").fetchall() == [("q", 1.5)]


def test_a_view_that_is_a_table_now_cannot_be_made_anew(project: Path) -> None:
    with connect(project / "warehouse.duckdb") as con:
        con.execute("drop view data_quality")
        con.execute("create table data_quality as select 1 as n")
    assert wrong(project, fix=True)["warehouse", "views"].rows == ({"view": "data_quality", "error": GONE},)


def test_compacting_changes_no_definition(project: Path) -> None:
    compact(project / "warehouse.duckdb")
    compact(project / "warehouse.duckdb")
    publish(project / "warehouse.duckdb", project / "published")
    assert wrong(project) == {}


def test_a_file_that_is_none_of_ours_or_damaged_or_missing(project: Path) -> None:
    file = project / "warehouse.duckdb"
    file.write_bytes(file.read_bytes()[:9000])
    assert "restore a backup or the last snapshot" in wrong(project)["warehouse", "file"].to_do
    file.write_text("no database")
    assert wrong(project)["warehouse", "file"].found.endswith("is not a DuckDB file.")
    file.unlink()
    assert wrong(project)["warehouse", "file"].to_do == "Run `kappaflow run` to make one."
    with connect(file) as con:
        con.execute("create table invoices (amount double)")
    assert wrong(project)["warehouse", "schema"].found.startswith("Schema version 0 lacks 0001_ratings")


def test_a_schema_that_is_older_or_newer_or_not_as_applied(project: Path) -> None:
    file = project / "warehouse.duckdb"
    with connect(file) as con:
        con.execute("delete from internal.ledger where version >= 9")
    result = wrong(project)
    assert result.keys() == {("warehouse", "schema")}
    assert result["warehouse", "schema"].found.startswith("Schema version 8 lacks 0009_comparisons")
    with connect(file) as con:
        con.execute("update internal.ledger set sha256 = 'f00' where version = 2")
    assert "0002_batches was changed after it was applied" in wrong(project)["warehouse", "schema"].found
    with connect(file) as con:
        con.execute("insert into internal.ledger values ('migration', 99, '0099_later', 'x', current_timestamp)")
    assert "schema version 99" in wrong(project)["warehouse", "schema"].found


def test_drafts_of_dead_processes_are_told_and_removed(project: Path) -> None:
    dead = dead_process()
    names = [f".warehouse.duckdb.{dead}", f".warehouse.duckdb.{dead}.wal", f"published/.snapshot.duckdb.{dead}",
             f".warehouse.duckdb.{dead}.123456", f".forgotten-raters.hashes.{dead}-0a1b2c3d"]  # fmt: skip
    for name in names:
        (project / name).write_bytes(b"half")
    folder = project / "published" / f".parquet.{dead}"
    folder.mkdir()
    (folder / "ratings.parquet").write_bytes(b"half")
    kept = [project / f".warehouse.duckdb.{os.getpid()}", project / ".warehouse.duckdb.old", project / "notes.1"]
    for path in kept:
        path.write_bytes(b"mine")
    result = wrong(project)["folder", "leftover drafts"]
    assert (result.n_rows, result.to_do) == (6, "Run `kappaflow doctor --fix`.")
    assert wrong(project, fix=True) == {}
    assert drafts([project, project / "published"]) == []
    assert all(path.exists() for path in kept)
    assert not folder.exists()
    assert not any((project / name).exists() for name in names)


def test_looking_changes_nothing_and_reads_what_a_killed_process_has_committed(project: Path) -> None:
    file = project / "warehouse.duckdb"
    killed = subprocess.run([sys.executable, "-c", KILLED, file], check=False)
    assert killed.returncode == -9
    before = file.read_bytes(), file.with_name("warehouse.duckdb.wal").read_bytes()
    assert wrong(project).keys() == {("warehouse", "runs left running")}
    assert (file.read_bytes(), file.with_name("warehouse.duckdb.wal").read_bytes()) == before


def test_too_little_space(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warehouse.maintenance import doctor

    class Usage:
        free = 10

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: Usage)
    assert wrong(project)["folder", "disk space"].found.startswith("0 MB are free, and the next snapshot takes ")
