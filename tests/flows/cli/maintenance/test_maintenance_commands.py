"""doctor, backup and compact from the command line; published Parquet and former snapshots by setting."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from flows.prefect_tasks import publish_snapshot
from flows.project_folder import find_project
from flows.settings.model import load_settings
from tasks.errors import SettingsError
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.migrate import migrate
from warehouse.publication.snapshot import publish

Kappaflow = Callable[..., Any]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder with one stored batch, published."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "kappaflow.toml").write_text("")
    row = {"question": "tone", "item": "i", "rater": "ann", "rater_kind": "human", "label": "A", "row_number": 1}
    batch = Batch(batch_id="b", source=None, file_name="f", sha256="s", reader="long", status="stored", n_rows=1,
                  n_skipped=0, started_at=NOW)  # fmt: skip
    empty = (pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA)))
    with connect(folder / "warehouse.duckdb") as con:
        migrate(con)
        rows = pl.DataFrame([dict.fromkeys(RATINGS) | row], schema=dict(RATINGS))
        store_batch(con, batch, rows, *empty, now=NOW)
    publish(folder / "warehouse.duckdb", folder / "published")
    return folder


def damage(project: Path) -> None:
    with connect(project / "warehouse.duckdb") as con:
        con.execute("insert into rater_quality (run_id, question, rater) select range, 'tone', 'a' from range(7)")


def test_the_doctor_of_a_healthy_project(project: Path, kappaflow: Kappaflow, kappaflow_json: Kappaflow) -> None:
    result = kappaflow_json("doctor", "--project", project)
    assert (result["ok"], result["warehouse"]) == (True, str(project / "warehouse.duckdb"))
    assert result["checks"][0].keys() == {"check", "where", "ok", "found", "to_do", "n_rows", "rows"}
    assert f"All {len(result['checks'])} checks passed." in kappaflow("doctor", "--project", project).stdout


def test_the_doctor_says_what_is_wrong_and_what_to_do(project: Path, kappaflow: Kappaflow) -> None:
    damage(project)
    (project / ".warehouse.duckdb.4194305").write_bytes(b"half")
    output = kappaflow("doctor", "--project", project, code=1).stdout
    to_do = "kappaflow doctor --project project --fix"
    for sentence in ("results without run", "WRONG", "Restore the last sound backup", to_do):
        assert sentence in output
    assert "2 of " in output
    result = json.loads(kappaflow("doctor", "--fix", "--json", "--project", project, code=1).stdout)
    wrong = [
        (outcome["where"], outcome["check"], outcome["n_rows"]) for outcome in result["checks"] if not outcome["ok"]
    ]
    assert wrong == [("warehouse", "results without run", 7)]
    assert not (project / ".warehouse.duckdb.4194305").exists()


def test_the_doctor_of_a_project_that_was_never_run(tmp_path: Path, kappaflow: Kappaflow) -> None:
    (tmp_path / "kappaflow.toml").write_text("")
    assert "Run `kappaflow run` to make one." in kappaflow("doctor", "--project", tmp_path, code=1).stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kappaflow.toml"]


def test_backups_into_the_project_and_elsewhere(project: Path, kappaflow: Kappaflow, kappaflow_json: Kappaflow) -> None:
    older = project / "backups" / "warehouse-20200101-000000.duckdb"
    older.parent.mkdir()
    older.write_bytes(b"old")
    result = kappaflow_json("backup", "--keep", "1", "--project", project)
    path = Path(result["backup"])
    assert (path.parent, result["bytes"], result["checked"]) == (older.parent, path.stat().st_size, True)
    assert (result["broken"], result["removed"]) == ({}, [str(older)])
    output = kappaflow("backup", "mine/copy.duckdb", "--project", project).stdout
    assert "mine/copy.duckdb (" in output
    with connect(project.parent / "mine" / "copy.duckdb", read_only=True) as con:
        assert con.sql("select label from current_ratings").fetchall() == [("A",)]


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["project/warehouse.duckdb"], 2, "is the warehouse itself"),
        (["project/published/snapshot.duckdb"], 2, "is the published snapshot"),
        (["copy.duckdb", "--keep", "2"], 2, "--keep counts the backups of a folder"),
        (["--keep", "0"], 2, "--keep"),
    ],
)
def test_backups_that_cannot_be(
    project: Path, kappaflow: Kappaflow, arguments: list[str], code: int, text: str
) -> None:
    before = (project / "warehouse.duckdb").read_bytes()
    assert text in kappaflow("backup", *arguments, "--project", project, code=code).stderr
    assert (project / "warehouse.duckdb").read_bytes() == before


def test_a_backup_of_an_unsound_warehouse_ends_with_1(project: Path, kappaflow: Kappaflow) -> None:
    damage(project)
    output = kappaflow("backup", "copy.duckdb", "--project", project, code=1).stdout
    assert "results without run (7)" in output
    assert (project.parent / "copy.duckdb").exists()


def test_compact_shows_both_sizes_and_publishes(project: Path, kappaflow: Kappaflow, kappaflow_json: Kappaflow) -> None:
    with connect(project / "warehouse.duckdb") as con:
        con.execute("create table big as select hash(range)::varchar as t from range(200000)")
        con.execute("checkpoint")
        con.execute("create table after_it as select hash(range)::varchar as t from range(50000)")
        con.execute("checkpoint")  # DuckDB itself cuts off free space at the end of the file only
        con.execute("drop table big")
    result = kappaflow_json("compact", "--project", project)
    assert result["bytes_after"] < result["bytes_before"]
    assert result["bytes_after"] == (project / "warehouse.duckdb").stat().st_size
    assert (project / "published" / "snapshot.duckdb").stat().st_size == result["bytes_after"]
    assert " before, " in kappaflow("compact", "--project", project).stdout
    assert kappaflow_json("sql", "select label from current_ratings", "--project", project) == [{"label": "A"}]


@pytest.mark.parametrize("command", ["backup", "compact"])
def test_without_a_warehouse_nothing_is_made(tmp_path: Path, kappaflow: Kappaflow, command: str) -> None:
    (tmp_path / "empty").mkdir()
    what, hint = kappaflow(command, "--project", tmp_path / "empty", code=2).stderr.splitlines()
    assert what.startswith("There is no warehouse in ")
    make_one = "make a warehouse with `kappaflow run --project empty`."
    assert hint == f"Name the project folder with --project DIR, or {make_one}"
    assert list((tmp_path / "empty").iterdir()) == []


def test_the_settings_reach_the_publication(project: Path) -> None:
    (project / "kappaflow.toml").write_text("[publish]\nparquet = true\nkeep = 2\n")
    here = find_project(project)
    publish_snapshot.fn(here.warehouse, here.published, **here.publishing)
    names = sorted(path.name for path in here.published.iterdir())
    assert len(names) == 3
    assert names[0] == "parquet"
    assert duckdb.sql(f"select label from '{here.published}/parquet/current_ratings.parquet'").fetchall() == [("A",)]


def test_without_the_settings_there_is_the_snapshot_alone(project: Path) -> None:
    here = find_project(project)
    publish_snapshot.fn(here.warehouse, here.published, **here.publishing)
    assert [path.name for path in here.published.iterdir()] == ["snapshot.duckdb"]
    (project / "kappaflow.toml").write_text("[publish]\nkeep = -1\n")
    with pytest.raises(SettingsError, match=r"publish\.keep = -1"):
        load_settings(project)
