"""Whether the views and macros of a warehouse are those that this program makes: queries of users rest on them."""

import tempfile
from functools import cache
from pathlib import Path

import duckdb

from warehouse import sql
from warehouse.connect import connect
from warehouse.migrate import migrate

Name = tuple[str, str]  # schema and name
GONE, CHANGED = "It is not there.", "It is not as kappaflow makes it."


def broken(con: duckdb.DuckDBPyConnection, kind: str) -> dict[str, str]:
    """The views (kind 'view') or macros ('macro') of this program that are gone or were changed: name, with its schema
    unless that is main -> GONE or CHANGED. What users have made does not count."""
    found = _definitions(con, kind)
    return {
        name if schema == "main" else f"{schema}.{name}": CHANGED if (schema, name) in found else GONE
        for (schema, name), definition in _made(kind).items()
        if found.get((schema, name)) != definition
    }


@cache
def _made(kind: str) -> dict[Name, str]:
    """Those of a new warehouse. It is written and opened again: DuckDB words some of it differently then."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.duckdb"
        with connect(path) as con:
            migrate(con)
        with connect(path, read_only=True) as con:
            return _definitions(con, kind)


def _definitions(con: duckdb.DuckDBPyConnection, kind: str) -> dict[Name, str]:
    return {
        (str(schema), str(name)): str(definition)
        for found, schema, name, definition in sql.rows(con, "definitions")
        if found == kind
    }
