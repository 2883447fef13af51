import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from warehouse import connect as opening
from warehouse.connect import connect, frozen, kept_open
from warehouse.errors import WarehouseBusyError, WarehouseError
from warehouse.file.file_lock import wait_for_lock
from warehouse.memory_limit import limit_memory

HOLD = """
import sys, time
import duckdb
con = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def held_by_another_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def locked_folder(folder: Path, *, shared: bool = False) -> Iterator[bool]:
    """Whether the folder's lock could be had at once."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield wait_for_lock(handle, shared=shared, wait_seconds=0)
    finally:
        os.close(handle)


@pytest.mark.parametrize("opened", [connect, frozen])
def test_nobody_can_replace_the_file_while_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    opened: Callable[[Path], AbstractContextManager[duckdb.DuckDBPyConnection]],
) -> None:  # fmt: skip
    """The log of the new one has the same name as that of the old one."""
    path, had, retried = tmp_path / "w.duckdb", [], opening._retried
    with connect(path):
        pass

    def watched(file: Path, action: Callable[[], Any], *rest: float) -> Any:
        def watched_action() -> Any:
            with locked_folder(tmp_path) as alone:
                had.append(alone)
            return action()

        return retried(file, watched_action, *rest)

    monkeypatch.setattr(opening, "_retried", watched)
    with opened(path), locked_folder(tmp_path) as alone:
        assert (had, alone) == ([False], True)


def test_nobody_can_open_the_file_while_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with connect(path):
        pass
    with locked_folder(tmp_path, shared=True), connect(path):
        pass  # others who open it
    busy = pytest.raises(WarehouseBusyError, match="locked by another program for longer than 0")
    with locked_folder(tmp_path) as alone, busy, connect(path, wait_seconds=0):
        assert alone


def test_a_folder_that_may_not_be_listed_has_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(opening.os, "open", refuse)
    with connect(tmp_path / "w.duckdb") as con:
        assert con.sql("select 1").fetchall() == [(1,)]


@pytest.mark.parametrize("opened", [connect, frozen])
def test_a_long_query_prints_nothing(
    opened: Callable[[Path], AbstractContextManager[duckdb.DuckDBPyConnection]],
    path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A progress bar on stdout would be part of what `--json` prints."""
    with connect(path):
        pass
    with opened(path) as con:
        con.execute("set progress_bar_time = 1")  # milliseconds
        total = con.sql("select sum(sqrt(a * b)) from range(200000) as x(a), range(200) as y(b) where (a + b) % 7 = 0")
        assert total.pl().height == 1
    assert capfd.readouterr() == ("", "")


def test_times_are_utc_and_nothing_comes_from_the_network(path: Path) -> None:
    with connect(path) as con:
        settings = con.execute(
            """select name, value from duckdb_settings() where name in
            ('TimeZone', 'autoinstall_known_extensions', 'autoload_known_extensions', 'python_enable_replacements')"""
        ).fetchall()
    assert dict(settings) == {
        "TimeZone": "UTC",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
    }


def test_the_storage_format_is_one_that_older_drivers_read(path: Path) -> None:
    for _ in range(2):
        with connect(path) as con:
            tags = con.execute("select tags from duckdb_databases() where not internal").fetchall()
        assert tags == [({"storage_version": "v1.4.0+"},)]


def test_a_process_that_holds_the_file_is_named_when_the_wait_ends(path: Path) -> None:
    with connect(path):
        pass
    with held_by_another_process(path) as holder:
        started = time.monotonic()
        with (
            pytest.raises(WarehouseBusyError, match=f"process {holder.pid} .* longer than 0.3 seconds") as caught,
            connect(path, wait_seconds=0.3),
        ):
            pass
        assert 0.3 <= time.monotonic() - started < 5
        assert "published snapshot" in caught.value.hint


def test_a_process_that_lets_go_is_waited_for(path: Path) -> None:
    with connect(path):
        pass
    with held_by_another_process(path) as holder:
        timer = threading.Timer(0.4, holder.kill)
        timer.start()
        with connect(path, wait_seconds=30) as con:
            assert con.execute("select 1").fetchall() == [(1,)]
        timer.join()


def test_threads_take_turns(path: Path) -> None:
    open_now, most = [0], [0]

    def work() -> None:
        with connect(path):
            open_now[0] += 1
            most[0] = max(most[0], open_now[0])
            time.sleep(0.02)
            open_now[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_warehouse_that_is_kept_open_serves_readers_and_writers(path: Path) -> None:
    with connect(path) as con:
        con.execute("create table numbers as select 1 as number")
    with kept_open(path):
        with connect(path, read_only=True) as con:
            assert con.execute("from numbers").fetchall() == [(1,)]
        with connect(path) as con:
            con.execute("insert into numbers values (2)")
        # nothing of what a connection was told is left to the next one
        with connect(path, read_only=True) as con:
            assert con.execute("from numbers order by all").fetchall() == [(1,), (2,)]
            assert con.execute("select current_setting('timezone')").fetchall() == [("UTC",)]
        assert other_process_can_open(path) is False
    assert other_process_can_open(path) is True
    with kept_open(path), pytest.raises(ValueError, match="stops"):
        raise ValueError("it stops")
    with connect(path, read_only=True) as con, pytest.raises(duckdb.Error, match="read-only"):
        con.execute("insert into numbers values (3)")


def test_a_warehouse_that_is_kept_open_twice_stays_open_until_the_outer_block_ends(path: Path) -> None:
    with connect(path) as con:
        con.execute("create table numbers as select 1 as number")
    with kept_open(path):
        with kept_open(path):
            pass
        with connect(path, read_only=True, wait_seconds=0) as con:
            assert con.execute("from numbers").fetchall() == [(1,)]
    with connect(path, read_only=True) as con, pytest.raises(duckdb.Error, match="read-only"):
        con.execute("insert into numbers values (2)")


def test_what_is_read_while_a_file_is_kept_open_is_of_one_file(path: Path, tmp_path: Path) -> None:
    for number, each in enumerate((path, tmp_path / "next.duckdb")):
        with connect(each) as con:
            con.execute(f"create table numbers as select {number} as number")
    with kept_open(path, read_only=True):
        assert other_process_can_open(path) is True
        (tmp_path / "next.duckdb").replace(path)
        with connect(path, read_only=True) as con:
            assert con.execute("from numbers").fetchall() == [(0,)]
    with connect(path, read_only=True) as con:
        assert con.execute("from numbers").fetchall() == [(1,)]
    with kept_open(path, read_only=True):
        with kept_open(path, read_only=True):
            pass
        with connect(path, read_only=True) as con, pytest.raises(duckdb.Error, match="read-only"):
            con.execute("insert into numbers values (3)")


def other_process_can_open(path: Path) -> bool:
    script = "import sys, duckdb; duckdb.connect(sys.argv[1], read_only=True)"
    result = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert result.returncode == 0 or "Could not set lock" in result.stderr
    return result.returncode == 0


def test_a_connection_within_a_connection_ends_in_a_sentence(path: Path) -> None:
    with (
        connect(path),
        pytest.raises(WarehouseBusyError, match="another thread of this program"),
        connect(path, wait_seconds=0.05),
    ):
        pass
    with connect(path) as con:
        assert con.execute("select 1").fetchall() == [(1,)]


def test_an_open_reader_of_the_same_process_is_waited_for(path: Path) -> None:
    with connect(path):
        pass
    with (
        duckdb.connect(path, read_only=True),
        pytest.raises(WarehouseBusyError, match="held by another program"),
        connect(path, wait_seconds=0.1),
    ):
        pass


def _a_text(path: Path) -> None:
    path.write_text("item,rater,label\n" * 1000)


def _an_empty_file(path: Path) -> None:
    path.touch()


def _cut_off(path: Path) -> None:
    with connect(path) as con:
        con.execute("create table t as select range as n from range(100000)")
    os.truncate(path, 9000)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [(_a_text, "is not a DuckDB file"), (_an_empty_file, "is not a DuckDB file"), (_cut_off, "could not be opened")],
)
def test_a_file_that_is_no_warehouse_is_refused_and_left_alone(
    path: Path, spoil: Callable[[Path], None], message: str
) -> None:
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(WarehouseError, match=message), connect(path):
        pass
    assert path.read_bytes() == before


def test_a_folder_is_no_warehouse_and_needs_no_backup(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="is not a DuckDB file") as error, connect(tmp_path):
        pass
    assert error.value.hint == "Move it away, or correct the warehouse path."


def test_a_path_with_a_question_mark_is_refused_in_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "which one?"
    folder.mkdir()
    for read_only in (False, True):
        with (
            pytest.raises(WarehouseError, match=r"does not allow a question mark in its path\.$"),
            connect(folder / "warehouse.duckdb", read_only=read_only),
        ):
            pytest.fail("was opened")  # pragma: no cover
    assert list(folder.iterdir()) == []


def test_a_missing_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with (
        pytest.raises(WarehouseError, match=r"The folder .*nowhere does not exist"),
        connect(tmp_path / "nowhere" / "w.duckdb"),
    ):
        pass
    with (
        pytest.raises(WarehouseError, match="There is no warehouse at"),
        connect(tmp_path / "w.duckdb", read_only=True),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_a_file_of_a_newer_duckdb_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(path):
        pass

    def refuse(*args: object, **kwargs: object) -> None:
        raise duckdb.IOException("IO Error: Trying to read a database file with version number 5000\n\nmore")

    monkeypatch.setattr(duckdb, "connect", refuse)
    with (
        pytest.raises(WarehouseError, match=r"another version of DuckDB than .*: IO Error: .* version number 5000$"),
        connect(path),
    ):
        pass


def test_a_new_file_leaves_no_draft_behind(path: Path) -> None:
    with connect(path):
        pass
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_without_hard_links_a_new_file_is_renamed_into_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: object, target: object) -> None:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with connect(path) as con:
        con.execute("create table t (n integer)")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_memory_of_a_process_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    limit_memory(2_000_000_000)
    try:
        with connect(path) as con:
            assert con.execute("select current_setting('memory_limit')").fetchall() == [("953.6 MiB",)]
    finally:
        limit_memory(None)
    with connect(path) as con:
        assert con.execute("select current_setting('memory_limit')").fetchall() != [("953.6 MiB",)]
