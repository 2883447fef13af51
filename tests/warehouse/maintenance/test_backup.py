"""Backups: whole, checked, in place at once or not at all; the newest are kept."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from warehouse.batches import BatchCounts
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance import backup as module
from warehouse.maintenance.backup import backup
from warehouse.maintenance.integrity import run_checks
from warehouse.publication import snapshot as publish

Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def filled(warehouse: Path, store: Store) -> Path:
    with connect(warehouse) as con:
        store(con, "b1", [{"item": str(item), "rater": "a", "label": "A"} for item in range(100)])
    return warehouse


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def n_ratings(path: Path) -> int:
    with connect(path, read_only=True) as con:
        return int(con.sql("select count(*) from current_ratings").fetchall()[0][0])


def test_a_backup_is_the_warehouse_and_can_be_copied_back(filled: Path, store: Store) -> None:
    result = backup(filled, filled.parent / "backups", now=NOON)
    assert result.path == filled.parent / "backups" / "warehouse-20260301-120000.duckdb"
    assert (result.checked, result.broken, result.removed) == (True, {}, ())
    assert result.size == result.path.stat().st_size
    assert names(result.path.parent) == [result.path.name]
    with connect(filled) as con:
        store(con, "b2", [{"item": "x", "rater": "a", "label": "A"}])
    assert (n_ratings(filled), n_ratings(result.path)) == (101, 100)
    result.path.replace(filled)
    with connect(filled) as con:
        assert store(con, "b2", [{"item": "x", "rater": "a", "label": "A"}]).n_ratings == 1
        assert all(rows.is_empty() for rows in run_checks(con).values())


def test_a_file_of_ones_own_name_gives_way_to_a_newer_one(filled: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine" / "copy.duckdb"
    assert backup(filled, target, now=NOON).path == target
    target.write_bytes(b"old")
    assert n_ratings(backup(filled, target, now=NOON).path) == 100


def test_only_backups_are_removed_and_only_the_oldest(filled: Path) -> None:
    folder = filled.parent / "backups"
    folder.mkdir()
    mine = ["warehouse-mine.duckdb", "warehouse-20200101-000000.duckdb.bak", "notes.txt"]
    for name in mine:
        (folder / name).write_text("mine")
    for day in range(4):
        result = backup(filled, folder, now=NOON + timedelta(days=day), keep=2)
    assert [path.name for path in result.removed] == ["warehouse-20260302-120000.duckdb"]
    assert names(folder) == sorted(
        [*mine, "warehouse-20260303-120000.duckdb", "warehouse-20260304-120000.duckdb"]
    )  # fmt: skip


def test_a_new_backup_stays_if_the_clock_was_ahead_at_older_ones(filled: Path) -> None:
    folder = filled.parent / "backups"
    for day in (3, 4):
        backup(filled, folder, now=NOON + timedelta(days=day), keep=2)
    result = backup(filled, folder, now=NOON, keep=2)
    assert [path.name for path in result.removed] == ["warehouse-20260304-120000.duckdb"]
    assert names(folder) == ["warehouse-20260301-120000.duckdb", "warehouse-20260305-120000.duckdb"]
    backup(filled, folder, now=NOON + timedelta(hours=1), keep=1)
    assert names(folder) == ["warehouse-20260301-130000.duckdb"]


def test_an_unsound_warehouse_is_copied_told_and_pushes_nothing_out(filled: Path) -> None:
    folder = filled.parent / "backups"
    backup(filled, folder, now=NOON)
    with connect(filled) as con:
        con.execute("insert into rater_quality (run_id, question, rater) values ('r', 'q', 'a')")
    result = backup(filled, folder, now=NOON + timedelta(days=1), keep=1)
    assert (result.checked, result.broken) == (True, {"results_without_run": 1})
    assert len(names(folder)) == 2


def test_a_warehouse_before_an_update_is_copied_without_the_newer_checks(filled: Path) -> None:
    with connect(filled) as con:
        con.execute("delete from internal.ledger where version >= 9")
    result = backup(filled, filled.parent / "backups", now=NOON)
    assert (result.checked, result.broken) == (False, {})


def test_a_copy_that_fails_leaves_the_old_backup(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = filled.parent / "copy.duckdb"
    backup(filled, target, now=NOON)
    before = target.read_bytes()
    half = "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read()[:9000])"
    monkeypatch.setattr(publish, "_COPY", half)
    with pytest.raises(WarehouseError, match="could not be opened"):
        backup(filled, target, now=NOON)
    monkeypatch.setattr(publish, "_COPY", "raise OSError(28, 'No space left on device')")
    with pytest.raises(WarehouseError, match=r"backup .* could not be written: .*No space left"):
        backup(filled, target, now=NOON)
    assert target.read_bytes() == before
    assert names(filled.parent) == ["copy.duckdb", "warehouse.duckdb"]


def test_a_backup_waits_for_who_holds_the_file(filled: Path) -> None:
    hold = "import sys, time, duckdb; con = duckdb.connect(sys.argv[1]); print(1, flush=True); time.sleep(1.5)"
    with subprocess.Popen([sys.executable, "-c", hold, filled], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert n_ratings(backup(filled, filled.parent / "backups", now=NOON).path) == 100


def test_backups_beside_a_writer_are_each_sound(filled: Path, store: Store) -> None:
    stop = threading.Event()
    written: list[int] = []

    def write() -> None:
        while not stop.is_set():
            number = len(written)
            with connect(filled) as con:
                store(con, f"n{number}", [{"item": f"n{number}-{item}", "rater": "b", "label": "B"} for item in "xyz"])
            written.append(3)
            time.sleep(0.01)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        results = [backup(filled, filled.parent / f"{number}.duckdb", now=NOON) for number in range(4)]
    finally:
        stop.set()
        writer.join()
    assert [result.broken for result in results] == [{}] * 4
    counts = [n_ratings(result.path) for result in results]
    assert counts == sorted(counts)
    assert {(count - 100) % 3 for count in counts} == {0}
    assert n_ratings(filled) == 100 + sum(written)


@pytest.mark.parametrize(
    ("target", "keep", "text"),
    [
        ("warehouse.duckdb", None, "is the warehouse itself"),
        ("copy.duckdb", 3, r"--keep deletes old backups in a folder, and .*copy\.duckdb is one file"),
    ],
)
def test_targets_that_cannot_be(filled: Path, target: str, keep: int | None, text: str) -> None:
    with pytest.raises(WarehouseError, match=text):
        backup(filled, filled.parent / target, now=NOON, keep=keep)


def test_a_file_of_another_ending_is_no_target(filled: Path) -> None:
    (filled.parent / "labels.csv").touch()
    with pytest.raises(WarehouseError, match=r"labels\.csv is a file that does not end in \.duckdb") as caught:
        backup(filled, filled.parent / "labels.csv", now=NOON)
    assert caught.value.hint == "Name a folder, or a file that ends in .duckdb."


def test_without_a_warehouse_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="There is no warehouse"):
        backup(tmp_path / "warehouse.duckdb", tmp_path / "copy.duckdb", now=NOON)
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_told(filled: Path) -> None:
    (filled.parent / "backups").write_text("a file")
    with pytest.raises(WarehouseError, match="could not be written"):
        backup(filled, filled.parent / "backups" / "weekly", now=NOON)
    assert module.STEM == "warehouse"


def test_a_warehouse_that_may_not_be_written_is_copied_as_it_is(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The permission is denied by a stand-in, because the tests may run as root, whom no permission stops."""
    monkeypatch.setattr("warehouse.publication.snapshot.os.access", lambda path, mode: False)
    before = filled.read_bytes()
    made = backup(filled, filled.parent / "copies", now=NOON)
    assert (made.checked, made.broken) == (True, {})
    assert made.path.read_bytes() == before == filled.read_bytes()
