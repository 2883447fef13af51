"""The published snapshot: a copy of the warehouse that anybody may read, for as long as they like."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl

from warehouse import sql
from warehouse.connect import connect
from warehouse.doctor import drafts
from warehouse.errors import WarehouseError, duckdb_errors, first_line
from warehouse.parquet import write_parquet
from warehouse.stamps import keep_newest, stamped

SNAPSHOT = "snapshot.duckdb"
_OLD = 3600.0  # seconds; of a fresh draft the process may live where its number is not seen, on the same folder
# MULTI is PIVOT, which DuckDB itself takes apart into several statements.
_READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN, duckdb.StatementType.MULTI)
# Types that polars cannot import (an interval within a list ends it in a panic), or that no table of text can show.
_UNSHOWABLE = re.compile(r"INTERVAL|TIME WITH TIME ZONE|BLOB|BIT|BIGNUM|UNION|VARIANT|GEOMETRY|ENUM")

# A process that closes a file loses all its locks on it (POSIX), DuckDB's included: so another process copies.
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

    The copy takes the old one's place in one step: readers see the old or the new snapshot, never a half one, and
    those that have the old one open keep it. `keep` of the former snapshots stay beside it, named by their time
    (UTC): snapshot-20261102-093000.duckdb; with 0 none is added, and none removed. With `parquet` each table and view
    is written to published_dir/parquet/NAME.parquet too. What killed processes have left half-written beside either
    file is removed once it is an hour old. Raises WarehouseError where the snapshot cannot be written.
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
        # Whoever wrote into the old snapshot has left a log beside it: it does not belong to the new one.
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


def _remove_old_drafts(folders: Sequence[Path]) -> None:
    """They would fill the disk, one kill after the other."""
    for path in drafts(folders):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _OLD:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def copy_warehouse(db_path: str | os.PathLike[str], target: Path) -> None:
    """Copy the file while nobody else has it, with all that was committed, and write it out to the disk. Raises
    WarehouseError or OSError; a half copy may then be left at the target."""
    with connect(db_path) as con, duckdb_errors("write out its changes"):
        con.execute("checkpoint")
        _copy(Path(db_path).resolve(), target)


def sync_file(path: Path) -> None:
    """Write a file out to the disk; not one that this process has open in DuckDB, whose lock it would lose."""
    with path.open("rb+") as handle:
        os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Make a new name in the folder last through a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def query(snapshot_path: str | os.PathLike[str], query_text: str) -> pl.DataFrame:
    """The result of one SQL query on the published snapshot.

    The query can read the snapshot and nothing else: no writing, no other files, no network, no settings. Whole
    numbers come as Int64, other exact ones as Float64, intervals and bytes as text. Raises WarehouseError with
    DuckDB's own first line where it fails, and where it is no query or more than one.
    """
    with connect(snapshot_path, read_only=True) as con:
        try:
            sql.run(con, "lock_down")
            return sql.plain(_showable(con.sql(_only_query(con, query_text).query)).pl())
        except duckdb.Error as error:
            raise WarehouseError(first_line(error), "Check the query; `show tables` lists what there is.") from error


def _only_query(con: duckdb.DuckDBPyConnection, query_text: str) -> duckdb.Statement:
    statements = con.extract_statements(query_text)
    if len(statements) != 1:
        raise WarehouseError(f"One query at a time, but {len(statements)} were given.", "Run them one by one.")
    if statements[0].type not in _READING:
        raise WarehouseError(
            f"Only queries that read are run here, but this is {statements[0].type.name}.",
            "The snapshot is a copy: to work on it, copy the file and open it with DuckDB.",
        )
    return statements[0]


def _showable(found: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The relation with the columns of unshowable types as text, and no column name twice."""
    odd = [_UNSHOWABLE.search(str(dtype)) is not None for dtype in found.types]
    if not any(odd) and len(set(found.columns)) == len(found.columns):
        return found
    found = found.select(duckdb.StarExpression())  # gives each column a name of its own: a, a_1
    columns = [duckdb.ColumnExpression(name) for name in found.columns]
    return found.select(
        *(
            column.cast(duckdb.sqltypes.VARCHAR).alias(name) if is_odd else column
            for name, column, is_odd in zip(found.columns, columns, odd, strict=True)
        )
    )


def _copy(source: Path, target: Path) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", "-c", _COPY, source, target], capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr.strip().rpartition("\n")[2])


def _must_open(draft: Path) -> None:
    """A copy that DuckDB cannot read must not take the place of one that it can."""
    with duckdb_errors("read its own copy"), connect(draft, read_only=True) as con:
        sql.rows(con, "public_names")


def _keep(target: Path, keep: int) -> None:
    """A second name for the snapshot that is about to lose its first: no moment without a snapshot, and no copy."""
    if target.exists():
        second = stamped(target.parent, target.stem, datetime.fromtimestamp(target.stat().st_mtime, UTC))
        try:
            os.link(target, second)
        except FileExistsError:
            pass  # two within a second, or a process that was killed here
        except OSError:  # a file system without hard links
            _copy(target, second)
    keep_newest(target.parent, target.stem, keep)
