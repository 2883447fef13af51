"""Compare the views and macros of a warehouse with those of this program, because users' queries depend on them."""

import tempfile
from functools import cache
from pathlib import Path

import duckdb

from warehouse import sql
from warehouse.connect import connect
from warehouse.migrate import migrate

Name = tuple[str, str]  # schema and name
Definitions = dict[str, dict[Name, str]]  # of the views ("view") and of the macros ("macro")
GONE, CHANGED = "It is not there.", "It is not as kappaflow makes it."


def broken(con: duckdb.DuckDBPyConnection, kind: str) -> dict[str, str]:
    """List the views (kind 'view') or macros ('macro') of this program that are missing or changed: name, with its
    schema unless that is main -> GONE or CHANGED. Views and macros of users are ignored."""
    actual = _definitions(con)[kind]
    return {
        name if schema == "main" else f"{schema}.{name}": CHANGED if (schema, name) in actual else GONE
        for (schema, name), definition in _expected()[kind].items()
        if actual.get((schema, name)) != definition
    }


@cache
def _expected() -> Definitions:
    """Read the definitions of a new warehouse. It is opened again, because DuckDB rewords some of them when stored."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.duckdb"
        with connect(path) as con:
            migrate(con)
        with connect(path, read_only=True) as con:
            return _definitions(con)


def _definitions(con: duckdb.DuckDBPyConnection) -> Definitions:
    definitions: Definitions = {"view": {}, "macro": {}}
    for kind, schema, name, definition in sql.rows(con, "maintenance/definitions"):
        definitions[str(kind)][str(schema), str(name)] = str(definition)
    return definitions
