"""Compacting: smaller, with all that was there; the old or the new file whatever happens; no writer is lost."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.warehouse.conftest import store_rows
from warehouse.batches import BatchCounts
from warehouse.connect import connect
from warehouse.errors import WarehouseBusyError, WarehouseError
from warehouse.file.file_lock import wait_for_lock
from warehouse.maintenance import compact as module
from warehouse.maintenance.compact import compact
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate

Store = Callable[..., BatchCounts]
ROOT = Path(__file__).parents[3]
KILLED = """
import os, signal, sys
from pathlib import Path
from warehouse import sql
from warehouse.maintenance import compact
place = sys.argv[2]

def kill_at(name, real):
    def killing(*args, **rest):
        if place != "after " + name:
            os.kill(os.getpid(), signal.SIGKILL) if place == name else None
        done = real(*args, **rest)
        os.kill(os.getpid(), signal.SIGKILL) if place == "after " + name else None
        return done
    return killing

sql.run = kill_at("copy", sql.run)
compact.sync_file = kill_at("sync", compact.sync_file)
Path.replace = kill_at("replace", Path.replace)
compact.compact(sys.argv[1])
"""
WRITER = """
import sys
from datetime import UTC, datetime
import polars as pl
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
now = datetime(2026, 3, 1, tzinfo=UTC)
for number in range(60):
    row = dict.fromkeys(RATINGS) | {"question": "w", "item": f"i{number}", "rater": sys.argv[2], "rater_kind": "human",
        "label": "A", "row_number": 1}
    batch = Batch(batch_id=f"{sys.argv[2]}{number}", source=None, file_name=None, sha256=None, reader=None,
        status="stored", n_rows=1, n_skipped=0, started_at=now)
    with connect(sys.argv[1], wait_seconds=120) as con:
        store_batch(con, batch, pl.DataFrame([row], schema=dict(RATINGS)), pl.DataFrame(schema=dict(REJECTS)),
            pl.DataFrame(schema=dict(METADATA)), now=now)
"""

HOLDER = """
import sys, duckdb
reads = sys.argv[2] == "reads"
with duckdb.connect(sys.argv[1]) as con:
    con.execute("create table held (n integer)")
con = duckdb.connect(sys.argv[1], read_only=reads)
reads or con.execute("insert into held values (1)")
print("held", flush=True)
sys.stdin.readline()
reads or con.execute("insert into held values (2)")
con.close()
"""


@pytest.fixture(scope="module")
def template(empty_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with ratings, things of a user's own, and much dead space, to copy."""
    path = Path(shutil.copy(empty_warehouse, tmp_path_factory.mktemp("bloated")))
    rows = [{"item": str(item), "rater": "a", "label": label} for item in range(50) for label in "AB"]
    with connect(path) as con:
        store_rows(con, "b1", rows)
        con.execute("create table \"my notes\" (n integer primary key, t varchar default 'x')")
        con.execute('insert into "my notes" (n) select range from range(5)')
        con.execute("create view z_own as select 1 as n")
        con.execute("create view a_own as select * from z_own")
        con.execute("create macro half(x) as x / 2")
        con.execute("create index own_index on batches (batch_id)")
        con.execute("create table big as select hash(range)::varchar as t from range(600000)")
        con.execute("checkpoint")
        con.execute("drop table big")
        con.execute("checkpoint")
    return path


@pytest.fixture
def bloated(path: Path, template: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copyfile(template, path))


def content(path: Path) -> dict[str, object]:
    with connect(path, read_only=True) as con:
        names = con.sql(
            "select schema_name, table_name, 'table' as kind, comment, sql from duckdb_tables() union all "
            "select schema_name, view_name, 'view', comment, sql from duckdb_views() where not internal union all "
            "select schema_name, table_name || '.' || column_name, data_type, comment, null from duckdb_columns() "
            "where not internal order by all"
        ).fetchall()
        rows = {
            (schema, name): sorted(map(repr, con.table(f'"{schema}"."{name}"').fetchall()))
            for schema, name, kind, *_ in names
            if kind == "table"
        }
        own = con.sql("select n, half(3) from a_own").fetchall()
        indexes = con.sql("select index_name from duckdb_indexes()").fetchall()
        return {"names": names, "rows": rows, "own": own, "indexes": indexes}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_file_is_smaller_and_has_all_that_it_had(bloated: Path, store: Store) -> None:
    before = content(bloated)
    bloated.chmod(0o640)
    result = compact(bloated)
    assert (result.path, result.after) == (bloated, bloated.stat().st_size)
    assert result.after < result.before / 2
    assert content(bloated) == before
    assert bloated.stat().st_mode & 0o777 == 0o640
    assert names(bloated.parent) == [bloated.name]
    with connect(bloated) as con:
        assert migrate(con) == []
        assert store(con, "b2", [{"item": "1", "rater": "b", "label": "A"}]).n_ratings == 1
        assert all(rows.is_empty() for rows in run_checks(con).values())


def test_drivers_older_than_this_duckdb_can_read_the_new_file(bloated: Path) -> None:
    compact(bloated)
    with connect(bloated, read_only=True) as con:
        rows = con.sql("select tags from duckdb_databases() where path is not null").fetchall()
        assert rows[0][0]["storage_version"].startswith("v1.4.0")


@pytest.mark.parametrize("place", ["copy", "after copy", "sync", "after sync", "replace", "after replace"])
def test_a_kill_leaves_the_old_or_the_new_file(bloated: Path, place: str) -> None:
    before = content(bloated)
    size = bloated.stat().st_size
    result = subprocess.run([sys.executable, "-c", KILLED, bloated, place], cwd=ROOT, check=False, capture_output=True)
    assert result.returncode == -9, result.stderr
    assert content(bloated) == before
    assert (bloated.stat().st_size < size) == (place == "after replace")
    assert not bloated.with_name("warehouse.duckdb.wal").exists()
    compact(bloated)
    assert content(bloated) == before


def test_nobody_opens_the_file_while_it_is_replaced(bloated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a process could open the old file with the log of the new one."""
    replace, shared = Path.replace, []

    def watched(draft: Path, path: Path) -> Path:
        handle = os.open(path.parent, os.O_RDONLY)
        shared.append(wait_for_lock(handle, shared=True, wait_seconds=0))
        os.close(handle)
        return replace(draft, path)

    monkeypatch.setattr(Path, "replace", watched)
    compact(bloated)
    assert shared == [False]


def test_what_writers_store_meanwhile_is_all_there(bloated: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(bloated), name], cwd=ROOT, stderr=subprocess.PIPE)
        for name in ("x", "y")
    ]
    inodes = set()
    while any(writer.poll() is None for writer in writers):
        compact(bloated, wait_seconds=120)
        inodes.add(bloated.stat().st_ino)
        time.sleep(0.05)  # for the writers: nobody compacts without a pause
    for writer in writers:
        assert writer.communicate()[1] == b""
        assert writer.returncode == 0
    assert inodes
    with connect(bloated) as con:
        assert con.sql("select count(*) from ratings where question = 'w'").fetchall() == [(120,)]
        assert all(rows.is_empty() for rows in run_checks(con).values())


@pytest.mark.parametrize("read_only", [False, True])
def test_a_process_that_holds_the_file_is_named_and_loses_nothing(bloated: Path, read_only: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(bloated), "reads" if read_only else "writes"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        before, before_size = bloated.stat().st_ino, bloated.stat().st_size
        with pytest.raises(WarehouseBusyError, match=rf"held by process {other.pid} \(.*python") as caught:
            compact(bloated, wait_seconds=0.2)
        assert caught.value.hint.startswith("Close that program")
        assert (bloated.stat().st_ino, names(bloated.parent)) == (
            before,
            [bloated.name] if read_only else [bloated.name, f"{bloated.name}.wal"],
        )
        other.communicate("go on\n")
        assert other.returncode == 0
    assert compact(bloated).after < before_size
    with connect(bloated, read_only=True) as con:
        assert con.sql("select count(*) from held").fetchall() == [(0 if read_only else 2,)]


def test_a_copy_that_lacks_something_is_refused(bloated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = module.sql.run

    def lose(con, name, /, **values: object) -> None:
        run(con, name, **values)
        if name == "maintenance/compact_copy":
            con.execute("drop view draft.a_own")
            con.execute("delete from draft.internal.ratings where rating_id = 1")

    before = bloated.read_bytes()
    monkeypatch.setattr(module.sql, "run", lose)
    with pytest.raises(WarehouseError, match=r"The new file does not have .*rows of ratings") as caught:
        compact(bloated)
    assert "views" in str(caught.value)
    assert bloated.read_bytes() == before
    assert names(bloated.parent) == [bloated.name]


def test_a_full_disk_leaves_all_as_it_was(bloated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    before = bloated.read_bytes()
    monkeypatch.setattr(module, "sync_file", full)
    with pytest.raises(WarehouseError, match=r"could not be rewritten: .*No space left") as caught:
        compact(bloated)
    assert "as it was" in caught.value.hint
    assert bloated.read_bytes() == before
    assert names(bloated.parent) == [bloated.name]


def test_without_a_warehouse_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="There is no warehouse"):
        compact(tmp_path / "warehouse.duckdb")
    assert names(tmp_path) == []


def test_who_opened_the_file_before_another_took_its_place_opens_again(
    bloated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the opening of the file and its lock another process may have compacted it."""
    import duckdb

    real, copies = duckdb.connect, [bloated.with_name("new.duckdb")]
    copies[0].write_bytes(bloated.read_bytes())

    def late(path, **rest):
        con = real(path, **rest)
        if copies:
            os.replace(copies.pop(), bloated)
        return con

    monkeypatch.setattr(duckdb, "connect", late)
    with connect(bloated) as con:
        con.execute("create table written (n integer)")
    monkeypatch.undo()
    with connect(bloated, read_only=True) as con:
        assert con.sql("select count(*) from written").fetchall() == [(0,)]
