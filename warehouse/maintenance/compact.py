"""Rewrite the warehouse without the space that deleted and rewritten rows occupy."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb

from warehouse import sql
from warehouse.connect import MAX_WAIT_SECONDS, checkpoint, connect, folder_lock, frozen
from warehouse.errors import WarehouseBusyError, WarehouseError, duckdb_errors, first_line
from warehouse.file.flush import sync_file, sync_folder

ATTEMPTS = 20
_UNTOUCHED = "The warehouse is as it was."


@dataclass(frozen=True)
class CompactResult:
    """Sizes of the warehouse in bytes, before with its log."""

    path: Path
    before: int
    after: int


def compact(db_path: str | os.PathLike[str], *, wait_seconds: float = MAX_WAIT_SECONDS) -> CompactResult:
    """Copy the warehouse into a new file, compare the two, and replace the old file in one step.

    Writers wait meanwhile. Waits up to `wait_seconds` for another process that holds the file, then raises
    WarehouseBusyError, which names it. Even if the program is killed, the file is the old or the new one, complete. The
    copy must have the same tables, numbers of rows, views, comments and indexes. Raises WarehouseError if it does not,
    or if there is not enough space; nothing has changed then.
    """
    path = Path(db_path).resolve()
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    # Raises if something is wrong with the file, before another is created in its place.
    with connect(path, read_only=True, wait_seconds=wait_seconds):
        before = sum(each.stat().st_size for each in (path, _log(path)) if each.exists())
    for _ in range(ATTEMPTS):
        with connect(path, wait_seconds=wait_seconds) as con, duckdb_errors("write out its changes", _UNTOUCHED):
            checkpoint(con, path)
        with frozen(path, wait_seconds=wait_seconds) as con:
            # A log shows that another process wrote in between: these changes would be lost with the old file.
            if not _log(path).exists():
                return CompactResult(path, before, _rewrite(con, path, draft, wait_seconds))
    raise WarehouseBusyError(f"{path} was changed during each try.", "Try again when no run is under way.")


def _rewrite(con: duckdb.DuckDBPyConnection, path: Path, draft: Path, wait_seconds: float) -> int:
    """Write the new file, replace the old one, and return the new size."""
    try:
        with duckdb_errors("rewrite itself", f"Check the space left. {_UNTOUCHED}"):
            sql.run(con, "maintenance/compact_copy", draft=str(draft))
            _must_equal(con)
            con.execute("detach draft")
        with connect(draft, read_only=True) as copy, duckdb_errors("read its own copy", _UNTOUCHED):
            sql.rows(copy, "maintenance/public_names")
        shutil.copymode(path, draft)
        sync_file(draft)
        after = draft.stat().st_size
        with folder_lock(path, alone=True, wait_seconds=wait_seconds):
            draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise WarehouseError(
            f"The warehouse {path} could not be rewritten: {first_line(error)}",
            f"Check the permissions and the space left. {_UNTOUCHED}",
        ) from error
    finally:
        for left in (draft, _log(draft)):
            left.unlink(missing_ok=True)
    return after


def _must_equal(con: duckdb.DuckDBPyConnection) -> None:
    """Check that the copy has everything that the source has."""
    catalogs: dict[str, set[tuple[object, ...]]] = {"source": set(), "draft": set()}
    for database, *counts in sql.rows(con, "maintenance/compact_catalog"):
        catalogs[str(database)].add(tuple(counts))
    missing = sorted({str(kind) for kind, *_ in catalogs["source"] - catalogs["draft"]})
    for schema, table in sql.rows(con, "maintenance/compact_tables"):
        old, new = (_n_rows(con, database, str(schema), str(table)) for database in ("source", "draft"))
        if old != new:
            missing.append(f"rows of {table}")
    if missing:
        raise WarehouseError(
            f"The new file does not have {', '.join(missing)} of the old one.", f"Please report this. {_UNTOUCHED}"
        )


def _n_rows(con: duckdb.DuckDBPyConnection, *name: str) -> int:
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in name)
    return int(con.table(quoted).count("*").fetchall()[0][0])


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")
