"""Publish a snapshot of the warehouse, which anybody can read at any time, and query it."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

import duckdb
import polars as pl

from warehouse import sql
from warehouse.connect import checkpoint, connect
from warehouse.errors import WarehouseError, duckdb_errors, first_line
from warehouse.file.flush import sync_folder
from warehouse.maintenance.dated_files import keep_newest, stamped
from warehouse.maintenance.doctor import drafts
from warehouse.publication.parquet import write_parquet

SNAPSHOT = "snapshot.duckdb"
_OLD = 3600.0  # Seconds. The process of a newer draft may run in another container that shares the folder.
# MULTI is PIVOT, which DuckDB splits into several statements.
_READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN, duckdb.StatementType.MULTI)
# Types that polars cannot import (an interval in a list is a panic, a large UHUGEINT is -1) or that a text table cannot
# show.
_UNSHOWABLE = re.compile(r"INTERVAL|UHUGEINT|TIME WITH TIME ZONE|BLOB|BIT|BIGNUM|UNION|VARIANT|GEOMETRY|ENUM")

# Another process copies: a process that closes a file loses all its locks on it (POSIX), including DuckDB's.
_COPY = """
import os, shutil, sys
source, target = sys.argv[1:]
shutil.copyfile(source, target)
with open(target, "rb+") as copy:
    os.fsync(copy.fileno())
"""


def publish(
    db_path: str | os.PathLike[str], published_dir: str | os.PathLike[str], *, parquet: bool = False, keep: int = 0
) -> Path:
    """Copy the warehouse to published_dir/snapshot.duckdb and return that path.

    The copy replaces the old snapshot in one step: readers see the old or the new one, never half of one, and those
    that have the old one open keep it. The last `keep` snapshots stay beside it, named by their time (UTC):
    snapshot-20261102-093000.duckdb. With 0, no former snapshot is added or removed. With `parquet`, each table and view
    is also written to published_dir/parquet/NAME.parquet. Incomplete files of killed processes are removed after an
    hour. Raises WarehouseError if the snapshot cannot be written.
    """
    target = Path(published_dir).resolve() / SNAPSHOT
    draft = target.with_name(f".{SNAPSHOT}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_old_drafts([Path(db_path).resolve().parent, target.parent])
        copy_warehouse(db_path, draft)
        _must_open(draft)
        if keep:
            _keep(target, keep)
        # A program that wrote into the old snapshot left a log beside it, which does not belong to the new one.
        target.with_name(f"{SNAPSHOT}.wal").unlink(missing_ok=True)
        draft.replace(target)
        sync_folder(target.parent)
        if parquet:
            write_parquet(target)
    except OSError as error:
        raise WarehouseError(
            f"The snapshot {target} could not be written: {first_line(error)}",
            "Check the permissions and the space left; the warehouse itself is complete.",
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return target


def keep_as_backup(published_dir: str | os.PathLike[str], backups: Path) -> Path | None:
    """Give the snapshot a second name among the backups, with its time, and return that path; None without a snapshot.

    For a project whose warehouse is gone: the snapshot is a whole copy of it, and the next one replaces it. Raises
    WarehouseError if it cannot be kept.
    """
    snapshot = Path(published_dir).resolve() / SNAPSHOT
    if not snapshot.exists():
        return None
    try:
        backups.mkdir(exist_ok=True)
        backup = stamped(backups, "warehouse", datetime.fromtimestamp(snapshot.stat().st_mtime, UTC))
        _second_name(snapshot, backup)
    except OSError as error:
        raise WarehouseError(
            f"The snapshot {snapshot}, which is all that is left of the old warehouse, could not be kept in {backups}: "
            f"{first_line(error)}",
            "Check the permissions and the space left, or move the snapshot away.",
        ) from error
    return backup


def _remove_old_drafts(folders: Sequence[Path]) -> None:
    """Remove incomplete files of killed processes, which would fill the disk."""
    for path in drafts(folders):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _OLD:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def copy_warehouse(db_path: str | os.PathLike[str], target: Path) -> None:
    """Copy the file while no other process has it open, with all committed changes, and flush it to the disk.

    A file that may not be written is copied as it is, if no changes wait in the log beside it. Raises WarehouseError or
    OSError, and may leave an incomplete copy at the target.
    """
    path = Path(db_path).resolve()
    may_write = os.access(path, os.W_OK) or path.with_name(f"{path.name}.wal").exists()
    with connect(path, read_only=not may_write) as con, duckdb_errors("write out its changes"):
        if may_write:
            checkpoint(con, path)
        _copy(path, target)


def query(snapshot_path: str | os.PathLike[str], query_text: str) -> pl.DataFrame:
    """Run one SQL query on the published snapshot and return its result.

    The query can read the snapshot and nothing else: no writing, no other files, no network, no settings. Whole
    numbers are Int64, or Int128 if one does not fit, decimals Float64, intervals, bytes and UHUGEINT text. Raises
    WarehouseError with DuckDB's first line if the query fails, or if it is not exactly one query that reads.
    """
    with connect(snapshot_path, read_only=True) as con:
        try:
            sql.run(con, "maintenance/lock_down")
            return sql.plain(_showable(con.sql(_only_query(con, query_text).query)).pl())
        except duckdb.Error as error:
            raise WarehouseError(first_line(error), "Check the query; `show tables` lists what there is.") from error


def read_table(snapshot_path: str | os.PathLike[str], name: str) -> pl.DataFrame:
    """Return a whole table or view of the snapshot, with types as `query` has them.

    Raises WarehouseError with the nearest name if there is none of this name.
    """
    with connect(snapshot_path, read_only=True) as con:
        names = [str(row[0]) for row in sql.rows(con, "maintenance/public_names")]
        if name not in names:
            near = get_close_matches(name, names, n=1)
            raise WarehouseError(
                f"There is no table or view {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""),
                "`kappaflow export` without a name lists them.",
            )
        with duckdb_errors(f"read {name}"):
            return sql.plain(_showable(con.table(name)).pl())


def table_names(snapshot_path: str | os.PathLike[str]) -> list[str]:
    """Return the names of the public tables and views of the snapshot."""
    with connect(snapshot_path, read_only=True) as con:
        return [str(row[0]) for row in sql.rows(con, "maintenance/public_names")]


def _only_query(con: duckdb.DuckDBPyConnection, query_text: str) -> duckdb.Statement:
    statements = con.extract_statements(query_text)
    if len(statements) != 1:
        hint = "Run them one by one." if statements else "Write one; `show tables` lists what there is."
        raise WarehouseError(f"One query at a time, but {len(statements)} were given.", hint)
    if statements[0].type not in _READING:
        raise WarehouseError(
            f"Only queries that read are run here, but this is {statements[0].type.name}.",
            "The snapshot is a copy: to work on it, copy the file and open it with DuckDB.",
        )
    return statements[0]


def _showable(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Convert columns of types that cannot be shown to text, and make column names unique."""
    odd = [_UNSHOWABLE.search(str(dtype)) is not None for dtype in relation.types]
    if not any(odd) and len(set(relation.columns)) == len(relation.columns):
        return relation
    relation = relation.select(duckdb.StarExpression())  # Makes the column names unique: a, a_1.
    columns = [duckdb.ColumnExpression(name) for name in relation.columns]
    return relation.select(
        *(
            column.cast(duckdb.sqltypes.VARCHAR).alias(name) if is_odd else column
            for name, column, is_odd in zip(relation.columns, columns, odd, strict=True)
        )
    )


def _copy(source: Path, target: Path) -> None:
    process = subprocess.run([sys.executable, "-I", "-S", "-c", _COPY, source, target], capture_output=True, text=True)
    if process.returncode:
        last_line = process.stderr.strip().rpartition("\n")[2]
        if number := re.search(r"\[Errno (\d+)\]", last_line):
            raise OSError(int(number[1]), os.strerror(int(number[1])))
        raise OSError(last_line)


def _must_open(draft: Path) -> None:
    """Check that DuckDB can read the copy, before it replaces the old snapshot."""
    with duckdb_errors("read its own copy"), connect(draft, read_only=True) as con:
        sql.rows(con, "maintenance/public_names")


def _keep(target: Path, keep: int) -> None:
    """Give the old snapshot a second name with its time, without a copy and without a moment without a snapshot."""
    second = None
    if target.exists():
        second = stamped(target.parent, target.stem, datetime.fromtimestamp(target.stat().st_mtime, UTC))
        _second_name(target, second)
    keep_newest(target.parent, target.stem, keep, just_written=second)


def _second_name(snapshot: Path, second: Path) -> None:
    try:
        os.link(snapshot, second)
    except FileExistsError:
        pass  # Two snapshots within a second, or a process was killed here.
    except OSError:  # The file system has no hard links.
        _copy(snapshot, second)
