"""Open the warehouse. One process at a time can have it open, and others wait for their turn."""

import os
import random
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb

from warehouse.errors import UnreadableWarehouseError, WarehouseBusyError, WarehouseError, first_line
from warehouse.file.block_journal import close_handles, kept_blocks, left_journal, put_back_blocks
from warehouse.file.file_lock import wait_for_lock
from warehouse.memory_limit import duckdb_share, memory_config

# v1.4.0 is the oldest storage format still under long-term support: BI tools bring drivers older than DuckDB 2.0,
# and could not open the published snapshot in the newest format. Extensions are never fetched from the network.
# Never `set threads` on an open warehouse, although one thread is faster where it is small: DuckDB 2.0.0 then begins
# with an empty row group where a large insert follows one of no rows in a transaction, and `group by` finds nothing.
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "storage_compatibility_version": "v1.4.0",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    # DuckDB writes the log into the file when it closes it, or where `checkpoint` is called, and at no other time:
    # `kept_blocks` has to come first.
    "checkpoint_threshold": "1TB",
    "auto_checkpoint_skip_wal_threshold": 1 << 40,
}
# DuckDB 2 prints a progress bar to stdout while it reads a query of two seconds or more into a frame, even though
# enable_progress_bar is off. It cannot be in CONFIG.
QUIET = "set enable_progress_bar_print = false"
_SET_MEMORY = "set memory_limit = $limit"
MAX_WAIT_SECONDS = 30.0  # for another process or thread that holds the warehouse
_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.25
T = TypeVar("T")
_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_kept: dict[Path, bool] = {}  # what kept_open holds, and whether only for reading
_n_open: defaultdict[Path, int] = defaultdict(int)  # connections of this process to a file
_opening: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)  # held while one opens or closes


def config() -> dict[str, str | bool | int | float | list[str]]:
    """Return the configuration of every connection of this process."""
    return {**CONFIG, **memory_config()}


@contextmanager
def connect(
    path: str | os.PathLike[str], *, read_only: bool = False, wait_seconds: float = MAX_WAIT_SECONDS
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the warehouse while the block runs. Keep the block short: other processes and threads wait for it.

    Times are UTC. A missing file is created (but not its folder) unless `read_only`. Waits up to `wait_seconds` for
    another process or thread that holds the file, then raises WarehouseBusyError. Raises WarehouseError if the folder
    is missing, the file is not a DuckDB file, or a newer version of DuckDB wrote it.
    """
    path = _resolved(path)
    deadline = time.monotonic() + wait_seconds
    with _turn(path, wait_seconds):
        if not read_only and not path.exists():
            _create(path)
        # DuckDB opens a file in one way at a time within a process.
        with _opened(path, _kept.get(path, read_only), deadline, wait_seconds) as con:
            con.execute("set timezone = 'UTC'")
            con.execute(QUIET)
            yield con


@contextmanager
def bounded_memory(con: duckdb.DuckDBPyConnection, n_bytes: int) -> Iterator[None]:
    """Let DuckDB hold at most `n_bytes` while the block runs, or less if the settings say so.

    What does not fit is in files beside the warehouse meanwhile.
    """
    share = duckdb_share()
    con.execute(_SET_MEMORY, {"limit": f"{n_bytes if share is None else min(share, n_bytes)}B"})
    try:
        yield
    finally:
        if share is None:
            con.execute("reset memory_limit")
        else:
            con.execute(_SET_MEMORY, {"limit": f"{share}B"})


@contextmanager
def kept_open(
    path: str | os.PathLike[str], *, read_only: bool = False, wait_seconds: float = MAX_WAIT_SECONDS
) -> Iterator[None]:
    """Keep an existing warehouse open while the block runs, so that each `connect` in it takes a thirtieth of the time.
    Other processes wait for the whole block, but with `read_only` those that read, too, do not. All that is read in
    the block is of one file, even if another takes its place. Waits and raises as `connect` does."""
    path = _resolved(path)
    with _opened(path, _kept.get(path, read_only), time.monotonic() + wait_seconds, wait_seconds):
        is_outermost = path not in _kept
        _kept.setdefault(path, read_only)
        try:
            yield
        finally:
            if is_outermost:
                _kept.pop(path, None)


@contextmanager
def frozen(
    path: str | os.PathLike[str], *, wait_seconds: float = MAX_WAIT_SECONDS
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an empty database in memory, with the warehouse attached as `source` for reading. No process can write to
    the warehouse while the block runs. Waits and raises as `connect` does."""
    path = _resolved(path)
    deadline = time.monotonic() + wait_seconds
    with _turn(path, wait_seconds), closing(duckdb.connect(":memory:", config=config())) as con:
        con.execute(QUIET)
        while True:
            before = _identity(path)
            _retried(path, lambda: _attach(con, path), deadline, wait_seconds)
            if _identity(path) == before:
                break
            con.execute("detach source")
        yield con


def _resolved(path: str | os.PathLike[str]) -> Path:
    """Return the full path. DuckDB takes what follows a question mark for options, so its log would be elsewhere."""
    resolved = Path(path).resolve()
    if "?" in str(resolved):
        raise WarehouseError(
            f"A warehouse cannot be at {resolved}: DuckDB does not allow a question mark in its path.",
            "Rename the folder or the file.",
        )
    return resolved


@contextmanager
def folder_lock(path: Path, *, alone: bool = False, wait_seconds: float) -> Iterator[None]:
    """Hold the lock on the warehouse's folder while the block runs: `alone` to replace the file, shared to open it.

    Without it, a process could open the old file with the log of the new one, which has the same name. Raises
    WarehouseBusyError if others held it for `wait_seconds`.
    """
    try:
        folder = os.open(path.parent, os.O_RDONLY)
    except OSError:  # Windows, or a folder that this user may not list
        yield
        return
    try:
        if not wait_for_lock(folder, shared=not alone, wait_seconds=wait_seconds):
            raise WarehouseBusyError(
                f"The folder {path.parent} was locked by another program for longer than {wait_seconds:g} seconds.",
                "Wait until `kappaflow compact` has ended, or close the program that locked it.",
            )
        yield
    finally:
        os.close(folder)


@contextmanager
def _turn(path: Path, wait_seconds: float) -> Iterator[None]:
    """Admit one thread of this process at a time. DuckDB would let threads share the file, and two could assign the
    same keys."""
    turn = _turns[str(path)]
    if not turn.acquire(timeout=max(wait_seconds, 0)):
        raise WarehouseBusyError(
            f"{path} was in use by another thread of this program for longer than {wait_seconds:g} seconds.",
            "Close the other connection first: a connection that is opened within another one waits for itself.",
        )
    try:
        yield
    finally:
        turn.release()


def _create(path: Path) -> None:
    """Create an empty warehouse in one step: a killed process leaves no incomplete file, and of several processes that
    create it, one wins."""
    if not path.parent.is_dir():
        raise WarehouseError(f"The folder {path.parent} does not exist.", "Create it, or correct the path.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise WarehouseError(
            f"The warehouse {path} cannot be created: its folder cannot be written.",
            "Ask for permission to write it, or name another folder.",
        )
    draft = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
    try:
        _write_empty_file(draft)
        _publish_draft(draft, path)
    except (OSError, duckdb.Error) as error:
        raise WarehouseError(
            f"The warehouse {path} could not be created: {first_line(error)}",
            "Check the permissions and the space left.",
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _write_empty_file(path: Path) -> None:
    duckdb.connect(path, config=config()).close()


def _publish_draft(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return  # Another process was faster, and its file is empty too.
    except OSError:  # a file system without hard links
        if not path.exists():
            draft.rename(path)


@contextmanager
def _opened(path: Path, read_only: bool, deadline: float, wait_seconds: float) -> Iterator[duckdb.DuckDBPyConnection]:
    opened: list[duckdb.DuckDBPyConnection] = []  # A Ctrl-C may come before `_retried` has returned.
    try:
        while True:
            before = _identity(path)
            _retried(path, lambda: opened.append(_open(path, read_only)), deadline, wait_seconds)
            if _identity(path) == before:
                break
            # Another file took its place before the lock: what is written would be lost. Nothing was written, and of
            # the other file no block may be kept.
            _close(opened.pop(), path, read_only=True)
        yield opened[0]
    finally:
        for con in opened:
            _close(con, path, read_only)


def _open(path: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    with _opening[path]:
        if not _n_open[path]:
            put_back_blocks(path)
        con = duckdb.connect(path, read_only=read_only, config=config())
        _n_open[path] += 1
    return con


def _close(con: duckdb.DuckDBPyConnection, path: Path, read_only: bool) -> None:
    """Close the connection. With the last one DuckDB closes the file, and writes the log into it."""
    with _opening[path]:
        _n_open[path] -= 1
        if read_only or _n_open[path]:
            con.close()
            return
        try:
            with kept_blocks(con, path):
                con.close()
        finally:
            con.close()  # also if a Ctrl-C came before: without the handles, DuckDB would have no lock any more
            close_handles(path)


def _attach(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    with _opening[path]:
        if not _n_open[path]:
            put_back_blocks(path)
        con.execute("attach $path as source (read_only)", {"path": str(path)})


def checkpoint(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write the log into the warehouse's file, on a connection that `connect` has opened for writing."""
    with kept_blocks(con, path):
        con.execute("checkpoint")


def _identity(path: Path) -> int | None:
    return path.stat().st_ino if path.exists() else None


def _retried(path: Path, action: Callable[[], T], deadline: float, wait_seconds: float) -> T:
    """Repeat the action until no other process holds the file, and return its result."""
    pause = _FIRST_PAUSE
    while True:
        try:
            with folder_lock(path, wait_seconds=max(deadline - time.monotonic(), 0)):
                return action()
        except duckdb.Error as error:
            if not _is_busy(error):
                raise _explained(path, error) from error
            if time.monotonic() >= deadline:
                raise _busy(path, error, wait_seconds) from error
        time.sleep(min(pause * random.uniform(0.5, 1.5), max(deadline - time.monotonic(), 0.001)))
        pause = min(pause * 1.6, _LONGEST_PAUSE)


def _is_busy(error: duckdb.Error) -> bool:
    return "Could not set lock" in str(error) or "different configuration" in str(error)


def _busy(path: Path, error: duckdb.Error, wait_seconds: float) -> WarehouseBusyError:
    holder = re.search(r"held in (.+?) \(PID (\d+)\)", str(error))
    who = f"process {holder[2]} ({holder[1]})" if holder else "another program"
    return WarehouseBusyError(
        f"The warehouse {path} was held by {who} for longer than {wait_seconds:g} seconds.",
        "Close that program, or let it read the published snapshot: the warehouse itself is for one process at a time.",
    )


def _explained(path: Path, error: duckdb.Error) -> WarehouseError:
    message = str(error)
    is_closed = "Permission denied" in message  # in a closed folder no path exists, says Python from 3.14 on
    if not is_closed and not path.parent.is_dir():
        return WarehouseError(f"The folder {path.parent} does not exist.", "Create it, or correct the path.")
    if not is_closed and not path.exists():
        return WarehouseError(f"There is no warehouse at {path}.", "Run `kappaflow run` to make one.")
    if any(sign in message for sign in ("Permission denied", "Read-only file system", "read-only mode")):
        return WarehouseError(
            f"The warehouse {path} cannot be written: {_refusal(message)}.",
            "Ask for permission to write it and its folder, or work on a copy. The file itself is not damaged.",
        )
    if "not a valid DuckDB database" in message or path.is_dir():
        return UnreadableWarehouseError(f"{path} is not a DuckDB file.", "Move it away, or correct the warehouse path.")
    if "version number" in message:
        return WarehouseError(
            f"{path} was written by another version of DuckDB than {duckdb.__version__}: {first_line(error)}",
            "Update kappaflow.",
        )
    if "replaying WAL" in message:
        log = f"{path.name}.wal"
        return WarehouseError(
            f"{path.with_name(log)}, the log of the last changes, is damaged, so the warehouse does not open.",
            f"Move the log away (mv {log} {log}.damaged) and run again: the warehouse is then as before those changes, "
            "and the files in the sources are ingested again. Otherwise restore a backup.",
        )
    if journal := left_journal(path):
        return UnreadableWarehouseError(
            f"The warehouse {path} was left in the middle of a write, and this user may not undo it.",
            f"Run `kappaflow status` as a user who may write the warehouse and read {journal.name} beside it: it has "
            "what was written over. Do not remove that file: with it, nothing is lost.",
        )
    return UnreadableWarehouseError(
        f"The warehouse {path} could not be opened: {first_line(error)}",
        "If the file is damaged, restore a backup or the last snapshot (`kappaflow help look-after-the-warehouse`), or "
        "ingest the exports again into a new warehouse.",
    )


def _refusal(message: str) -> str:
    return "the file system is read-only" if "Read-only file system" in message else "permission denied"
