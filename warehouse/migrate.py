"""Bring a warehouse file up to date: apply each numbered migration once, then create the views and macros."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import cast

import duckdb

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors

_NAME = re.compile(r"(\d{4})_[a-z0-9_]+")
_SOURCE = re.compile(r"\b(?:from|join)\s+([a-z_]+)")
_COMMENT = re.compile(r"comment on column a_view\.(\w+) is '(.*)';")
_CALL = re.compile(r"\b([a-z_]+)\(")
FORMER: Mapping[str, Mapping[str, str]] = {
    "0004_agreement": {
        "e0a50801b05acd21eb37b8844ee15827e6c3674aaf9e17d0d42cc22ca77a6cb8": "the comment on agreement.p_value",
    },
    "0011_live": {
        "8ce98075a56cc56fb7aaf0a9c6afe5a190739b45071c05cc4a640d75a21b0310": "internal.live_tasks.n_predictions, and the"
        " comment on batches.n_deleted",
    },
}
"""Migrations that were edited after they had landed: the checksum of the former text, and what of today's it lacked.
0014_repair adds that. Nothing is to be added here: no migration is edited any more (tests/warehouse/test_landed.py)."""
_VIEWS = "views"  # and the macros: in the ledger they are one entry
_MACROS = "macros"
_COMMENTS = "comments"


@dataclass(frozen=True)
class Migration:
    """One file of migrations/: 0001_name.sql."""

    version: int
    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Checksum of the text, in hexadecimal."""
        return _checksum(self.text)


def migrate(con: duckdb.DuckDBPyConnection, *, with_views: bool = True) -> list[str]:
    """Apply the migrations that the file lacks, each with its ledger row in one transaction. Then create the views and
    macros, if they have changed and unless `with_views` is false. Returns the names of what was applied: empty, and
    fast, if the file is up to date.

    Raises WarehouseError if an applied migration has changed since, if the file is newer than this program, or if it
    holds the tables of another program.
    """
    with duckdb_errors("bring the warehouse up to date"):
        files = migrations()
        applied = _ledger(con)
        _check(files, applied)
        names = [_apply(con, each) for each in files if each.version not in applied]
        if with_views and applied.get(None) != _views_checksum():
            apply_views(con)
            names.append(_VIEWS)
        return names


def apply_views(con: duckdb.DuckDBPyConnection) -> None:
    """Create or replace all views and macros, in one transaction with their ledger row."""
    views, macros = sql.texts(_VIEWS), sql.texts(_MACROS)
    with sql.transaction(con):
        for text in (*(views[name] for name in view_order()), *(macros[name] for name in macro_order())):
            con.execute(text)
        _comment_columns(con, views)
        _note(con, _VIEWS, None, _VIEWS, _views_checksum())


def _comment_columns(con: duckdb.DuckDBPyConnection, views: Mapping[str, str]) -> None:
    """Comment the columns of which a view says nothing: as the first table or view that it reads does.

    Where none of these has such a column, the comment is that of comments/columns.sql.
    """
    in_all_views = {
        column: text.replace("''", "'") for column, text in _COMMENT.findall(sql.texts(_COMMENTS)["columns"])
    }
    rows = cast(list[tuple[str, str, str | None]], sql.rows(con, "migrations/comments"))
    comments = {(table, column): comment for table, column, comment in rows}
    for view in view_order():
        for column in [column for table, column, comment in rows if table == view and comment is None]:
            read = (comments.get((source, column)) for source in _SOURCE.findall(views[view]))
            comment = next(filter(None, read), in_all_views.get(column))
            if comment is not None:
                comments[view, column] = comment
                statement = sql.texts(_COMMENTS)["inherited"].replace("a_view", view).replace("a_column", column)
                con.execute(statement.replace("a comment", comment.replace("'", "''")))


def pending(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List what `migrate` would apply, without applying it. Raises the same errors."""
    with duckdb_errors("compare its schema"):
        files = migrations()
        applied = _ledger_entries(con)
        _check(files, applied)
        views = [] if applied.get(None) == _views_checksum() else [_VIEWS]
        return [each.name for each in files if each.version not in applied] + views


def current_version(con: duckdb.DuckDBPyConnection) -> int:
    """Read the number of the file's last migration; 0 for an empty file."""
    with duckdb_errors("read its own version"):
        return max((version or 0 for version in _ledger_entries(con)), default=0)


def migrations() -> list[Migration]:
    """List the migrations of this program, in order. Raises WarehouseError on a gap in their numbers."""
    listed = []
    for number, (name, text) in enumerate(sql.texts("migrations").items(), start=1):
        match = _NAME.fullmatch(name)
        if match is None or int(match[1]) != number:
            raise WarehouseError(
                f"Migrations are numbered without gaps: number {number:04d} is expected, found {name}."
            )
        listed.append(Migration(number, name, text))
    return listed


def view_order() -> list[str]:
    """List the views, each after those that it reads."""
    return _order(sql.texts(_VIEWS), _SOURCE)


def macro_order() -> list[str]:
    """List the macros, each after those that it calls. Macros read views; no view calls a macro."""
    return _order(sql.texts(_MACROS), _CALL)


def _order(texts: Mapping[str, str], mention: re.Pattern[str]) -> list[str]:
    reads = {name: set(mention.findall(text)) & texts.keys() - {name} for name, text in texts.items()}
    return list(TopologicalSorter(reads).static_order())


def _ledger(con: duckdb.DuckDBPyConnection) -> dict[int | None, str]:
    """Read the ledger. Creates it in an empty file."""
    if applied := _ledger_entries(con):
        return applied
    exists, n_tables = sql.rows(con, "migrations/exists")[0]
    if not exists and n_tables:
        raise WarehouseError(
            f"This DuckDB file holds other tables ({n_tables}) but is not a kappaflow warehouse.",
            "Choose another path for the warehouse: kappaflow does not write into other people's files.",
        )
    if not exists:
        with sql.transaction(con):
            sql.run(con, "migrations/create")
    return {}


def _ledger_entries(con: duckdb.DuckDBPyConnection) -> dict[int | None, str]:
    """Read the ledger: version -> checksum, None for the views and macros. Empty if the file has no ledger.

    To ask first whether there is one would take longer than to read it: DuckDB would make all its own views for that.
    """
    try:
        entries = cast(list[tuple[str, int | None, str, str]], sql.rows(con, "migrations/read"))
    except duckdb.CatalogException:
        return {}
    return {version: sha256 for _, version, _, sha256 in entries}


def _check(files: list[Migration], applied: dict[int | None, str]) -> None:
    newest = max((version or 0 for version in applied), default=0)
    if newest > len(files):
        raise WarehouseError(
            f"The warehouse has schema version {newest}, but this kappaflow knows only {len(files)}.",
            "A newer kappaflow wrote it: update this one.",
        )
    for each in files:
        stored = applied.get(each.version, each.sha256)
        if stored != each.sha256 and stored not in FORMER.get(each.name, {}):
            raise WarehouseError(
                f"Migration {each.name} was changed after it was applied: the ledger has checksum "
                f"{stored[:12]}, the file {each.sha256[:12]}.",
                "Undo the change and write a further migration instead.",
            )


def _apply(con: duckdb.DuckDBPyConnection, migration: Migration) -> str:
    with sql.transaction(con):
        con.execute(migration.text)
        _note(con, "migration", migration.version, migration.name, migration.sha256)
    return migration.name


def _note(con: duckdb.DuckDBPyConnection, kind: str, version: int | None, name: str, sha256: str) -> None:
    sql.run(con, "migrations/write", kind=kind, version=version, name=name, sha256=sha256)


def _views_checksum() -> str:
    texts = (pair for folder in (_VIEWS, _MACROS, _COMMENTS) for pair in sql.texts(folder).items())
    return _checksum("\0".join(text for pair in texts for text in pair))


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
