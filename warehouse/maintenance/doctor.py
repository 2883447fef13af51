"""What is wrong with a warehouse and the files around it, and what to do about each."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from warehouse import patterns, sql
from warehouse.connect import connect
from warehouse.errors import WarehouseError, first_line
from warehouse.maintenance.integrity import explained, run_check
from warehouse.maintenance.old_names import TO_DO, old_names
from warehouse.maintenance.view_contract import broken
from warehouse.migrate import apply_views, current_version, macro_order, pending

SHOWN = 10  # rows of a finding
RESTORE = "Restore the last sound backup, or ingest the exports again into a new warehouse."
CREATE_AGAIN = "Run `kappaflow doctor --fix`: it creates kappaflow's own again. Repair or drop yours."
_DRAFT = re.compile(r"\.(?:(?:.+\.duckdb|parquet)\.(\d+)(?:\.\d+)?(?:\.wal)?|.+\.hashes\.(\d+)-[0-9a-f]+)")
_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Finding:
    """One check: `where` is warehouse, snapshot, folder or settings; `rows` the first of the `n_rows` that break it
    (null where it does not count rows); `to_do` is empty where all is well."""

    check: str
    where: str
    ok: bool
    found: str
    to_do: str = ""
    n_rows: int | None = None
    rows: tuple[Mapping[str, Any], ...] = ()


def examine(db: Path, snapshot: Path, folders: Sequence[Path], *, fix: bool = False) -> list[Finding]:
    """Look at the warehouse, at the published snapshot, and at what lies around them.

    Changes nothing without `fix`. With it, removes the drafts of killed processes from `folders`, creates all views and
    macros again if one is missing or was changed, and counts the rating patterns again if they do not match the
    ratings. The warehouse can be read, but not written, for as long as its checks take. Never raises for what is wrong:
    that is a finding.
    """
    if fix:
        _mend(db)
    files = [*_file(db, "warehouse"), *_file(snapshot, "snapshot")]
    return [*files, _drafts(folders, fix), _space(db)]


def drafts(folders: Sequence[Path]) -> list[Path]:
    """Half-written files in these folders whose process has ended: their names carry its number."""
    paths = []
    for folder in dict.fromkeys(folders):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            match = _DRAFT.fullmatch(path.name)
            if match and not _alive(int(match[1] or match[2])):
                paths.append(path)
    return paths


def _mend(db: Path) -> None:
    """Repair what can be repaired. The checks report the rest."""
    if not db.exists():
        return
    for mend in (_mend_views, _mend_patterns):
        with suppress(WarehouseError, duckdb.Error), connect(db) as con:
            if not pending(con):
                mend(con)


def _mend_views(con: duckdb.DuckDBPyConnection) -> None:
    if broken(con, "view") or broken(con, "macro"):
        apply_views(con)


def _mend_patterns(con: duckdb.DuckDBPyConnection) -> None:
    if any(run_check(con, name).height for name in patterns.CHECKS):
        patterns.rebuild(con)


def _file(path: Path, where: str) -> Iterator[Finding]:
    try:
        with connect(path, read_only=True) as con:
            yield Finding("file", where, True, f"It opens: {path.stat().st_size / _MEGABYTE:,.1f} MB.")
            schema = _schema(con, where)
            yield schema
            if schema.ok:
                yield _views(con, where)
                yield _macros(con, where)
                for name in sql.texts("checks"):
                    yield _check(con, name, where)
                yield from _old_names(con, where)
    except WarehouseError as error:
        yield Finding("file", where, False, str(error), error.hint)
    except duckdb.Error as error:  # a damaged file may fail anywhere
        yield Finding("file", where, False, first_line(error), RESTORE)


def _schema(con: duckdb.DuckDBPyConnection, where: str) -> Finding:
    """Check that exactly the migrations of this program were applied."""
    try:
        lacking = pending(con)
        version = current_version(con)
    except WarehouseError as error:
        return Finding("schema", where, False, str(error), error.hint or RESTORE)
    if lacking:
        detail = f"Schema version {version} lacks {', '.join(lacking)} of this kappaflow; nothing more was checked."
        return Finding("schema", where, False, detail, "Run `kappaflow run`: it brings the warehouse up to date.")
    return Finding("schema", where, True, f"Version {version}, as this kappaflow writes it.")


def _views(con: duckdb.DuckDBPyConnection, where: str) -> Finding:
    """Check that every view answers, views of users included."""
    there = [str(name) for (name,) in sql.rows(con, "maintenance/public_views")]
    wrong = broken(con, "view")
    for name in there:
        try:
            sql.rows(con, "maintenance/first_row", view='"' + name.replace('"', '""') + '"')
        except duckdb.Error as error:
            wrong[name] = first_line(error)
    if not wrong:
        return Finding("views", where, True, f"{len(there)} views answer.", n_rows=0)
    return _contract("view", where, "A view that is missing, was changed or does not answer.", wrong)


def _macros(con: duckdb.DuckDBPyConnection, where: str) -> Finding:
    wrong = broken(con, "macro")
    if not wrong:
        return Finding("macros", where, True, f"{len(macro_order())} macros are as kappaflow makes them.", n_rows=0)
    return _contract("macro", where, "A macro that is missing or was changed.", wrong)


def _contract(kind: str, where: str, detail: str, wrong: Mapping[str, str]) -> Finding:
    to_do = CREATE_AGAIN if where == "warehouse" else "Run `kappaflow run`: it publishes the warehouse again."
    rows = tuple({kind: name, "error": error} for name, error in sorted(wrong.items())[:SHOWN])
    return Finding(f"{kind}s", where, False, detail, to_do, len(wrong), rows)


def _check(con: duckdb.DuckDBPyConnection, name: str, where: str) -> Finding:
    check = name.replace("_", " ")
    breaks, to_do = explained(name)
    try:
        rows = run_check(con, name)
    except WarehouseError as error:
        return Finding(check, where, False, str(error), RESTORE)
    if rows.is_empty():
        return Finding(check, where, True, "None.", n_rows=0)
    return Finding(check, where, False, breaks, to_do, rows.height, tuple(rows.head(SHOWN).to_dicts()))


def _old_names(con: duckdb.DuckDBPyConnection, where: str) -> Iterator[Finding]:
    for old_name in old_names(con) if where == "warehouse" else ():
        rows = tuple(old_name.rows.head(SHOWN).to_dicts())
        yield Finding(old_name.check, where, False, old_name.detail, TO_DO, old_name.rows.height, rows)


def _drafts(folders: Sequence[Path], fix: bool) -> Finding:
    left = drafts(folders)
    if fix:
        n_left = len(left)
        for path in left:
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        left = [path for path in left if path.exists()]
        if not left and n_left:
            return Finding("leftover drafts", "folder", True, f"{n_left} removed.", n_rows=0)
    if not left:
        return Finding("leftover drafts", "folder", True, "None.", n_rows=0)
    to_do = "Remove them by hand: the permissions do not allow it here." if fix else "Run `kappaflow doctor --fix`."
    rows = tuple({"file": str(path)} for path in left[:SHOWN])
    return Finding("leftover drafts", "folder", False, "A half-written file of a killed process.", to_do,
                   len(left), rows)  # fmt: skip


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # somebody else's
    return True


def _space(db: Path) -> Finding:
    """Check that there is room: a snapshot, a backup and `compact` each write a file of the warehouse's size."""
    needed = db.stat().st_size if db.exists() else 0
    try:
        free = shutil.disk_usage(db.parent).free
    except OSError as error:
        return Finding("disk space", "folder", False, f"{db.parent}: {error.strerror}.", "Check the folder.")
    detail = f"{free / _MEGABYTE:,.0f} MB are free, and the next snapshot takes {needed / _MEGABYTE:,.1f} MB."
    if free > needed:
        return Finding("disk space", "folder", True, detail)
    return Finding("disk space", "folder", False, detail, "Free some space: older backups and snapshots are the first.")
