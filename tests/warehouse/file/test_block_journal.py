"""A kill in the middle of a write of a checkpoint: the file opens as it was before, and the log has the rest."""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from warehouse import connect as opening
from warehouse.batches import BatchCounts
from warehouse.connect import checkpoint, connect, frozen, kept_open
from warehouse.errors import UnreadableWarehouseError
from warehouse.file import block_journal
from warehouse.file.block_journal import close_handles, kept_blocks
from warehouse.maintenance.integrity import run_checks

Store = Callable[..., BatchCounts]
HEADERS = 3 * 4096
BLOCK = 262_144


class CutShort(NamedTuple):
    path: Path
    journal: Path
    places: list[int]  # of the blocks in the journal


def _rows(items: range) -> list[dict[str, Any]]:
    return [{"item": str(item), "rater": rater, "label": f"l{item % 3}"} for item in items for rater in "ab"]


def _state(path: Path) -> list[tuple[str, int]]:
    """The batches that are there, each with its ratings; the warehouse must be sound."""
    with connect(path) as con:
        assert not {name for name, rows in run_checks(con).items() if rows.height}
        query = "select batch_id, count(r.batch_id) from batches left join ratings as r using (batch_id) group by all"
        return sorted(con.execute(query).fetchall())


def _journals(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f".{path.name}.blocks-*"))


@pytest.fixture
def cut_short(warehouse: Path, store: Store, tmp_path: Path) -> CutShort:
    """A warehouse with two batches. The checkpoint of the second one was cut when it had written all free blocks and
    half of each metadata block, but no header."""
    before, log, kept = tmp_path / "before", tmp_path / "log", tmp_path / "kept"
    with connect(warehouse) as con:
        store(con, "b1", _rows(range(120)))
    with connect(warehouse) as con:
        store(con, "b2", _rows(range(60, 200)))
        with kept_blocks(con, warehouse):
            pass  # The log is not empty, so the journal stays.
        (journal,) = _journals(warehouse)
        shutil.copy(journal, kept)
        shutil.copy(warehouse, before)
        shutil.copy(f"{warehouse}.wal", log)
    old, new = before.read_bytes(), warehouse.read_bytes()
    changed = [place for place in range(HEADERS, len(old) - BLOCK + 1, BLOCK)
               if old[place : place + BLOCK] != new[place : place + BLOCK]]  # fmt: skip
    content = kept.read_bytes()
    places = [place for place in changed if old[place : place + BLOCK] in content]
    assert places
    torn = bytearray(new)
    torn[:HEADERS] = old[:HEADERS]
    for place in places:
        half = place + BLOCK // 2 if old[place : place + BLOCK // 2] != new[place : place + BLOCK // 2] else place
        torn[half : place + BLOCK] = old[half : place + BLOCK]
        torn[place : place + 8] = new[place : place + 8]  # the checksum of the whole block
    warehouse.write_bytes(torn)
    shutil.copy(log, f"{warehouse}.wal")
    journal = Path(shutil.copy(kept, journal))
    return CutShort(warehouse, journal, places)


def test_without_the_journal_the_file_does_not_open(cut_short: CutShort) -> None:
    cut_short.journal.unlink()
    with pytest.raises(UnreadableWarehouseError, match="checksum"), connect(cut_short.path):
        pass


@pytest.mark.parametrize("opened", [connect, kept_open, frozen])
def test_whoever_opens_it_puts_the_blocks_back(cut_short: CutShort, opened: Callable[..., Any]) -> None:
    with opened(cut_short.path):
        assert not cut_short.journal.exists()
    assert _state(cut_short.path) == [("b1", 240), ("b2", 160)]


def test_to_read_is_enough(cut_short: CutShort) -> None:
    with connect(cut_short.path, read_only=True) as con:
        assert con.execute("select count(*) from batches").fetchone() == (2,)


def test_a_journal_that_was_not_needed_changes_nothing(cut_short: CutShort, store: Store) -> None:
    kept = cut_short.journal.read_bytes()
    with connect(cut_short.path) as con:
        store(con, "b3", _rows(range(500, 505)))
    cut_short.journal.write_bytes(kept)
    before = cut_short.path.read_bytes()
    with connect(cut_short.path, read_only=True):
        pass
    assert cut_short.path.read_bytes() == before
    assert not cut_short.journal.exists()
    assert _state(cut_short.path) == [("b1", 240), ("b2", 160), ("b3", 10)]


def test_half_a_journal_is_not_put_back(cut_short: CutShort) -> None:
    cut_short.journal.write_bytes(cut_short.journal.read_bytes()[:-BLOCK])
    before = cut_short.path.read_bytes()
    with pytest.raises(UnreadableWarehouseError), connect(cut_short.path):
        pass
    assert cut_short.path.read_bytes() == before


def test_another_file_with_the_same_header_is_not_changed(cut_short: CutShort) -> None:
    """A backup in the place of the warehouse, say."""
    content = bytearray(cut_short.path.read_bytes())
    for piece in range(64):  # those that are free, and those in use
        content[cut_short.places[0] + 8 + piece * 4088] ^= 1
    cut_short.path.write_bytes(content)
    with pytest.raises(UnreadableWarehouseError), connect(cut_short.path):
        pass
    assert cut_short.path.read_bytes() == bytes(content)
    assert not cut_short.journal.exists()


def test_a_file_that_another_process_has_open_is_left_alone(cut_short: CutShort) -> None:
    """Its own checkpoint may be under way."""
    code = (
        "import fcntl, sys; file = open(sys.argv[1], 'r+b'); fcntl.lockf(file, fcntl.LOCK_EX); print(flush=True);"
        "sys.stdin.read()"
    )
    before = cut_short.path.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", code, cut_short.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        assert other.stdout.readline()
        with pytest.raises(Exception, match="held by process"), connect(cut_short.path, wait_seconds=0.1):
            pass
        assert cut_short.path.read_bytes() == before
        assert cut_short.journal.exists()
        other.communicate()


def test_each_close_leaves_no_journal(warehouse: Path, store: Store) -> None:
    with kept_open(warehouse):
        for n in range(2):
            with connect(warehouse) as con:
                store(con, f"b{n}", _rows(range(9)))
    with connect(warehouse) as con:
        store(con, "b2", _rows(range(9)))
        checkpoint(con, warehouse)
        assert not _journals(warehouse)
    assert not _journals(warehouse)
    assert not Path(f"{warehouse}.wal").exists()


def test_the_lock_holds_until_the_warehouse_is_closed(warehouse: Path, store: Store) -> None:
    """Closing any handle of the file would release it."""
    code = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True)"
    with connect(warehouse) as con:
        store(con, "b1", _rows(range(9)))
        checkpoint(con, warehouse)
        other = subprocess.run([sys.executable, "-c", code, warehouse], capture_output=True, text=True)
        assert "Could not set lock" in other.stderr


def test_an_interrupt_while_the_journal_is_written_leaves_no_open_warehouse(
    warehouse: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be open without a lock, as the handles are closed."""

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    def step() -> None:
        with connect(warehouse) as con:
            store(con, "b1", _rows(range(9)))
            monkeypatch.setattr(block_journal, "_write", interrupted)

    with pytest.raises(KeyboardInterrupt) as interrupt:  # It keeps the connection alive.
        step()
    monkeypatch.undo()
    assert not Path(f"{warehouse}.wal").exists()
    assert _state(warehouse) == [("b1", 18)]
    del interrupt


def test_an_interrupt_while_it_is_opened_leaves_no_open_warehouse(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else no later step of this process would keep blocks, or put them back."""

    @contextmanager
    def interrupted(path: Path, *, wait_seconds: float) -> Iterator[None]:
        yield
        raise KeyboardInterrupt

    before = dict(opening._n_open)
    monkeypatch.setattr(opening, "folder_lock", interrupted)
    with pytest.raises(KeyboardInterrupt), connect(warehouse):
        pass
    assert opening._n_open[warehouse] == before.get(warehouse, 0)


def test_a_folder_that_cannot_be_written_is_no_error(warehouse: Path, store: Store) -> None:
    with connect(warehouse) as con:
        store(con, "b1", _rows(range(9)))
        with kept_blocks(con, warehouse.with_name("missing.duckdb")):
            pass
        close_handles(warehouse.with_name("missing.duckdb"))
    assert _state(warehouse) == [("b1", 18)]


def test_a_journal_is_as_closed_as_the_warehouse(warehouse: Path, store: Store) -> None:
    warehouse.chmod(0o600)
    with connect(warehouse) as con:
        store(con, "b1", _rows(range(9)))
        with kept_blocks(con, warehouse):
            (journal,) = _journals(warehouse)
            assert journal.stat().st_mode & 0o777 == 0o600


def test_no_room_for_a_journal_is_no_error(warehouse: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with connect(warehouse) as con:
        store(con, "b1", _rows(range(9)))
        monkeypatch.setattr(os, "fsync", full)
    monkeypatch.undo()
    assert not _journals(warehouse)
    assert _state(warehouse) == [("b1", 18)]


def test_no_checkpoint_within_a_step(tmp_path: Path) -> None:
    """Neither a large insert nor a long log causes one: `kept_blocks` would come too late."""
    path = tmp_path / "warehouse.duckdb"
    with connect(path) as con:
        con.execute("create table numbers (n bigint)")
    with path.open("rb") as file:
        before = file.read(HEADERS)
    with connect(path) as con:
        con.execute("insert into numbers from range(1_000_000)")
        con.execute("create table texts as select repeat('x', 1000) || range as text from range(30_000)")
        con.execute("update texts set text = text || 'y'")
        process = subprocess.run(["head", "-c", str(HEADERS), path], capture_output=True)
        assert process.stdout == before
    assert path.read_bytes()[:HEADERS] != before


def test_duckdb_still_lists_its_metadata_blocks(tmp_path: Path) -> None:
    """`kept_blocks` says nothing if the query fails, so a version of DuckDB without it has to be found here."""
    path = tmp_path / "plain.duckdb"
    with duckdb.connect(path) as con:
        con.execute("create table numbers as select range as n from range(10)")
        con.execute("checkpoint")
        con.execute("insert into numbers values (1)")
        with kept_blocks(con, path):
            assert os.path.getsize(_journals(path)[0]) > BLOCK
    close_handles(path)


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes and links of this kind")
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "huge", "malformed"])
def test_other_things_of_that_name_are_no_obstacle(cut_short: CutShort, tmp_path: Path, kind: str) -> None:
    """Whoever may write the folder can put them there. The true journal is put back nevertheless."""
    strange = cut_short.path.with_name(f".{cut_short.path.name}.blocks-0")
    headers = cut_short.journal.read_bytes()[32 : 32 + HEADERS]
    if kind == "folder":
        strange.mkdir()
    elif kind == "pipe":
        os.mkfifo(strange)
    elif kind == "link":
        strange.symlink_to("/dev/zero")
    elif kind == "huge":
        strange.touch()
        os.truncate(strange, 1 << 40)
    else:
        content = headers + b"malformed"
        strange.write_bytes(hashlib.sha256(content).digest() + content)
    assert _state(cut_short.path) == [("b1", 240), ("b2", 160)]


def test_a_large_file_with_the_right_header_is_not_read(cut_short: CutShort) -> None:
    content = cut_short.journal.read_bytes()
    strange = cut_short.path.with_name(f".{cut_short.path.name}.blocks-0")
    strange.write_bytes(content[: 32 + HEADERS])
    os.truncate(strange, 1 << 40)
    assert _state(cut_short.path) == [("b1", 240), ("b2", 160)]
    assert not strange.exists()


@pytest.mark.parametrize("names", [("7-1", "7-2"), ("7-999", "7-1000")])
def test_of_two_journals_the_first_has_the_last_word(cut_short: CutShort, names: tuple[str, str]) -> None:
    """The first checkpoint failed in the middle, and the second one, of the same process, was cut short: its journal
    has what the first one left."""
    first, second = (cut_short.path.with_name(f".{cut_short.path.name}.blocks-{name}") for name in names)
    content = bytearray(cut_short.journal.read_bytes())
    cut_short.journal.rename(first)
    place = 32 + HEADERS + 24
    file = cut_short.path.read_bytes()
    content[place : place + BLOCK] = file[cut_short.places[0] : cut_short.places[0] + BLOCK]
    second.write_bytes(hashlib.sha256(content[32:]).digest() + content[32:])
    assert _state(cut_short.path) == [("b1", 240), ("b2", 160)]


def test_whoever_may_not_put_the_blocks_back_is_told_who_can(
    cut_short: CutShort, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not to restore a backup: nothing is lost yet."""
    closed = cut_short.path.name
    monkeypatch.setattr(block_journal, "_lock", lambda file: False)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != closed)
    with (
        pytest.raises(UnreadableWarehouseError, match="in the middle of a write") as error,
        connect(cut_short.path, read_only=True),
    ):
        pass
    assert cut_short.journal.name in error.value.hint
    assert "backup" not in error.value.hint
    monkeypatch.undo()
    assert _state(cut_short.path) == [("b1", 240), ("b2", 160)]


@pytest.mark.skipif(sys.platform == "win32", reason="other permissions")
def test_whoever_may_write_the_warehouse_may_read_the_journal(warehouse: Path, store: Store) -> None:
    """Whatever is usual for new files: a warehouse may be shared by a group."""
    warehouse.chmod(0o664)
    usual = os.umask(0o077)
    try:
        with connect(warehouse) as con:
            store(con, "b1", _rows(range(9)))
            with kept_blocks(con, warehouse):
                (journal,) = _journals(warehouse)
                assert journal.stat().st_mode & 0o777 == 0o664
                assert journal.stat().st_gid == warehouse.stat().st_gid
    finally:
        os.umask(usual)


@pytest.mark.skipif(sys.platform == "win32", reason="other permissions")
def test_another_group_gets_no_access_to_the_journal(
    warehouse: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(handle: int, owner: int, group: int) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    warehouse.chmod(0o660)
    with connect(warehouse) as con:
        store(con, "b1", _rows(range(9)))
        real = os.stat(warehouse)
        other = os.stat_result((*real[:5], real.st_gid + 1, *real[6:]))
        monkeypatch.setattr(os, "fchown", refused)
        monkeypatch.setattr(Path, "stat", lambda path, **options: other if path == warehouse else os.stat(path))
        with kept_blocks(con, warehouse):
            monkeypatch.undo()
            (journal,) = _journals(warehouse)
            assert journal.stat().st_mode & 0o777 == 0o600


def test_a_second_database_on_the_connection_is_no_obstacle(warehouse: Path, store: Store) -> None:
    with connect(warehouse) as con:
        store(con, "b1", _rows(range(9)))
        con.execute("attach ':memory:' as other")
        with kept_blocks(con, warehouse):
            assert len(_journals(warehouse)) == 1
