import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest

from warehouse.batches import BatchCounts
from warehouse.connect import connect
from warehouse.errors import WarehouseBusyError, WarehouseError
from warehouse.publication import parquet
from warehouse.publication import snapshot as module
from warehouse.publication.snapshot import publish, query
from warehouse.questions import public_names

Store = Callable[..., BatchCounts]
READER = """
import sys
import duckdb
con = duckdb.connect(sys.argv[1], read_only=True)
for line in sys.stdin:
    print(con.execute("select count(*) from ratings").fetchall()[0][0], flush=True)
"""


@pytest.fixture
def snapshot(warehouse: Path, store: Store) -> Path:
    """A published snapshot with one rating."""
    with connect(warehouse) as con:
        store(con, "b1", [{"item": "i", "rater": "ann", "label": "A"}])
    return publish(warehouse, warehouse.parent / "published")


def test_the_snapshot_is_the_warehouse(snapshot: Path) -> None:
    assert snapshot.name == "snapshot.duckdb"
    assert query(snapshot, "select item, rater, label from current_ratings").rows() == [("i", "ann", "A")]
    assert [each.name for each in snapshot.parent.iterdir()] == [snapshot.name]


def test_a_reader_keeps_its_snapshot_while_another_takes_its_place(
    snapshot: Path, warehouse: Path, store: Store
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READER, snapshot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None

        def count() -> str:
            reader.stdin.write("\n")
            reader.stdin.flush()
            return reader.stdout.readline().strip()

        assert count() == "1"
        with connect(warehouse) as con:
            store(con, "b2", [{"item": f"j{number}", "rater": "ann", "label": "A"} for number in range(500)])
        publish(warehouse, snapshot.parent)
        assert count() == "1"
        assert query(snapshot, "select count(*) as n from ratings").rows() == [(501,)]
        reader.stdin.close()


def test_a_copy_that_fails_leaves_the_old_snapshot(
    snapshot: Path, warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot.read_bytes()
    half = "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read()[:9000])"
    monkeypatch.setattr(module, "_COPY", half)
    with pytest.raises(WarehouseError, match="could not be opened"):
        publish(warehouse, snapshot.parent)
    monkeypatch.setattr(module, "_COPY", "raise OSError(28, 'No space left on device')")
    with pytest.raises(WarehouseError, match=r"could not be written: No space left on device"):
        publish(warehouse, snapshot.parent)
    assert snapshot.read_bytes() == before
    assert [each.name for each in snapshot.parent.iterdir()] == [snapshot.name]


def test_the_log_of_someone_who_wrote_into_the_old_snapshot_is_removed(snapshot: Path, warehouse: Path) -> None:
    con = duckdb.connect(snapshot)
    con.execute("create table my_notes (n integer)")
    stray = snapshot.with_name("snapshot.duckdb.wal")
    assert stray.exists()
    publish(warehouse, snapshot.parent)
    assert not stray.exists()
    con.close()
    assert "my_notes" not in query(snapshot, "show tables")["name"].to_list()


def test_publishing_keeps_the_lock_on_the_warehouse(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that opens and closes the file itself would lose the lock that DuckDB holds on it."""
    copy = module._copy
    refused: list[str] = []

    def copy_and_try(source: Path, target: Path) -> None:
        copy(source, target)
        intruder = [sys.executable, "-c", "import sys, duckdb; duckdb.connect(sys.argv[1])", source]
        refused.append(subprocess.run(intruder, capture_output=True, text=True).stderr)

    monkeypatch.setattr(module, "_copy", copy_and_try)
    publish(warehouse, warehouse.parent / "published")
    assert "Could not set lock on file" in refused[0]


def test_a_folder_that_cannot_be_made_is_told(warehouse: Path) -> None:
    (warehouse.parent / "published").write_text("a file")
    with pytest.raises(WarehouseError, match="could not be written"):
        publish(warehouse, warehouse.parent / "published")


def test_without_a_snapshot_the_way_to_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="There is no warehouse at") as caught:
        query(tmp_path / "snapshot.duckdb", "select 1")
    assert "kappaflow run" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("copy batches to 'x.csv'", "Only queries that read are run here, but this is COPY"),
        ("explain copy batches to 'x.csv'", "file system operations are disabled"),
        ("export database 'x'", "this is EXPORT"),
        ("import database 'x'", "this is PRAGMA"),
        ("attach 'x.duckdb'", "this is ATTACH"),
        ("attach ':memory:'", "this is ATTACH"),
        ("select * from read_csv('/etc/passwd')", "file system operations are disabled"),
        ("select * from read_text('/etc/passwd')", "file system operations are disabled"),
        ("select * from glob('/etc/*')", "file system operations are disabled"),
        ("select * from '/etc/passwd'", "Table with name /etc/passwd does not exist"),
        ("select * from local_frame", "Table with name local_frame does not exist"),
        ("install httpfs", "this is LOAD"),
        ("load httpfs", "this is LOAD"),
        ("pragma version", "this is PRAGMA"),
        ("set enable_external_access = true", "this is SET"),
        ("call force_checkpoint()", "this is CALL"),
        ("insert into batches select * from batches", "this is INSERT"),
        ("delete from batches", "this is DELETE"),
        ("drop table batches", "this is DROP"),
        ("create temp table t as select 1", "this is CREATE"),
        ("begin", "this is TRANSACTION"),
        ("select 1; drop table batches", "One query at a time, but 2 were given"),
        ("", "One query at a time, but 0 were given"),
        ("selec 1", '^Parser Error: syntax error at or near "selec"$'),
        ("select nothing from batches", "^Binder Error: .*nothing"),
        ("select $1", "parameters"),
    ],
)
def test_a_query_only_reads_and_only_the_snapshot(snapshot: Path, text: str, message: str) -> None:
    local_frame = pl.DataFrame({"secret": [1]})
    assert local_frame.height
    before = snapshot.read_bytes()
    with pytest.raises(WarehouseError, match=message):
        query(snapshot, text)
    assert snapshot.read_bytes() == before
    assert [each.name for each in snapshot.parent.iterdir()] == [snapshot.name]


def test_without_a_query_the_hint_says_to_write_one(snapshot: Path) -> None:
    with pytest.raises(WarehouseError) as caught:
        query(snapshot, " ")
    assert caught.value.hint == "Write one; `show tables` lists what there is."


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("select sum(n_ratings) as a, avg(n_rows) as b, 1.5 as c, 2::hugeint as d from batches", (1, 1.0, 1.5, 2)),
        ("select (2::hugeint ** 100)::hugeint as a", (2**100,)),
        ("select sum(n) as a from (values (9223372036854775807), (9223372036854775806)) as t (n)", (2**64 - 3,)),
        ("select -170141183460469231731687303715884105727::hugeint as a", (1 - 2**127,)),
        ("select 340282366920938463463374607431768211455::uhugeint as a", (str(2**128 - 1),)),
        ("select 1 as a, 2 as a, interval 1 day as a", (1, 2, "1 day")),
        ("select [interval 1 day] as a, 'x'::blob as b", ("[1 day]", "x")),
        ("select null as a, [1, 2] as b, true as c", (None, [1, 2], True)),
        ("pivot batches on status using count(*) group by reader", ("long", 1)),
        ("with t as (select 1 as n) select n from t -- ; drop", (1,)),
        ("select timestamptz '2026-01-01 01:00:00+01' as t", (datetime(2026, 1, 1, tzinfo=UTC),)),
        ("values (1)", (1,)),
    ],
)
def test_results_are_plain_values(snapshot: Path, text: str, row: tuple[object, ...]) -> None:
    assert query(snapshot, text).rows() == [row]


def test_intervals_between_times_can_be_asked_for(snapshot: Path) -> None:
    result = query(snapshot, "select ingested_at - started_at as lag from batches")
    assert result.rows() == [(str(timedelta(0)).zfill(8),)]


@pytest.mark.parametrize(
    "text", ["show tables", "describe batches", "summarize batches", "explain select 1", "from runs"]
)
def test_what_helps_to_find_ones_way_is_allowed(snapshot: Path, text: str) -> None:
    assert query(snapshot, text).width > 0


def test_queries_of_several_threads_take_turns(snapshot: Path) -> None:
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda: results.append(query(snapshot, "select count(*) as n from ratings").item()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1] * 4


def test_publishing_waits_for_its_turn(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "connect", lambda path, **options: connect(path, wait_seconds=0.1, **options))
    with connect(warehouse), pytest.raises(WarehouseBusyError):
        publish(warehouse, warehouse.parent / "published")
    assert publish(warehouse, warehouse.parent / "published").exists()


def at(snapshot: Path, day: int) -> None:
    """The snapshot as if it had been published on a day of March."""
    moment = datetime(2026, 3, day, 12, tzinfo=UTC).timestamp()
    os.utime(snapshot, (moment, moment))


def test_former_snapshots_stay_under_their_time(snapshot: Path, warehouse: Path, store: Store) -> None:
    mine = snapshot.with_name("snapshot-mine.duckdb")
    mine.write_text("mine")
    for day in range(1, 5):
        at(snapshot, day)
        with connect(warehouse) as con:
            store(con, f"d{day}", [{"item": f"{day}", "rater": "ann", "label": "A"}])
        publish(warehouse, snapshot.parent, keep=2)
    kept = [snapshot.with_name(f"snapshot-2026030{day}-120000.duckdb") for day in (3, 4)]
    assert sorted(snapshot.parent.iterdir()) == sorted([*kept, mine, snapshot])
    counts = [query(path, "select count(*) as n from ratings").item() for path in [*kept, snapshot]]
    assert counts == [3, 4, 5]
    publish(warehouse, snapshot.parent)
    assert all(path.exists() for path in kept)


def test_the_former_snapshot_stays_if_the_clock_was_ahead_at_older_ones(snapshot: Path, warehouse: Path) -> None:
    for day in (4, 1):
        at(snapshot, day)
        publish(warehouse, snapshot.parent, keep=1)
    kept = snapshot.with_name("snapshot-20260301-120000.duckdb")
    assert sorted(snapshot.parent.iterdir()) == sorted([kept, snapshot])


def test_a_publication_that_was_killed_or_has_no_hard_links_keeps_the_former_one(
    snapshot: Path, warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(snapshot, 1)
    kept = snapshot.with_name("snapshot-20260301-120000.duckdb")
    os.link(snapshot, kept)  # killed between the second name and the new snapshot
    publish(warehouse, snapshot.parent, keep=1)
    assert query(kept, "select count(*) as n from ratings").item() == 1
    assert kept.stat().st_ino != snapshot.stat().st_ino

    def refuse(*paths: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    at(snapshot, 2)
    publish(warehouse, snapshot.parent, keep=1)
    kept = snapshot.with_name("snapshot-20260302-120000.duckdb")
    assert sorted(path.name for path in snapshot.parent.iterdir()) == [kept.name, snapshot.name]
    assert query(kept, "select count(*) as n from ratings").item() == 1


def test_parquet_has_each_public_table_and_view(snapshot: Path, warehouse: Path) -> None:
    folder = snapshot.with_name("parquet")
    folder.mkdir()
    (folder / "gone.parquet").write_bytes(b"of an older kappaflow")
    (folder / "notes.txt").write_text("mine")
    with connect(warehouse) as con:
        con.execute("create table t as select 'x' as n")
        con.execute("create view broken as select n::integer as n from t")
        names = public_names(con)
    publish(warehouse, snapshot.parent, parquet=True)
    written = {path.stem: pl.read_parquet(path) for path in folder.glob("*.parquet")}
    assert written.keys() == set(names) - {"broken"}
    assert (folder / "notes.txt").exists()
    assert written["current_ratings"].select("item", "rater", "label").rows() == [("i", "ann", "A")]
    with connect(snapshot, read_only=True) as con:
        for name in set(names) - {"broken", "t"}:
            assert written[name].columns == con.table(name).columns
    assert written["batches"]["ingested_at"].dtype == pl.Datetime("us", "UTC")
    assert sorted(path.name for path in snapshot.parent.iterdir()) == ["parquet", "snapshot.duckdb"]


def test_parquet_that_cannot_be_written_leaves_the_old_files_and_the_new_snapshot(
    snapshot: Path, warehouse: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(warehouse, snapshot.parent, parquet=True)
    with connect(warehouse) as con:
        store(con, "b2", [{"item": "j", "rater": "ann", "label": "A"}])
    monkeypatch.setattr(parquet, "published_names", lambda con: ["current_ratings", "nowhere"])
    with pytest.raises(WarehouseError, match=r"could not write Parquet files: .*nowhere"):
        publish(warehouse, snapshot.parent, parquet=True)
    assert pl.read_parquet(snapshot.with_name("parquet") / "current_ratings.parquet").height == 1
    assert query(snapshot, "select count(*) as n from ratings").item() == 2
    assert sorted(path.name for path in snapshot.parent.iterdir()) == ["parquet", "snapshot.duckdb"]
