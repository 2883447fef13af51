"""Run the queries of live pages on a published snapshot that stays open."""

import os
from collections.abc import Mapping
from pathlib import Path

import duckdb
import polars as pl

from warehouse import sql
from warehouse.connect import CONFIG, QUIET
from warehouse.errors import WarehouseError, duckdb_errors, first_line

_FOLDER = "pages"


def open_snapshot(path: str | os.PathLike[str]) -> duckdb.DuckDBPyConnection:
    """Open a published snapshot for reading, and leave it open. The caller closes it.

    A run replaces the snapshot as a whole, so the connection goes on reading the one that it opened. Raises
    WarehouseError if it cannot be read.
    """
    try:
        con = duckdb.connect(Path(path).resolve(), read_only=True, config=CONFIG)
    except duckdb.Error as error:
        raise WarehouseError(
            f"The snapshot {path} could not be opened: {first_line(error)}", "Run `kappaflow run` to publish it again."
        ) from error
    con.execute("set timezone = 'UTC'")
    con.execute(QUIET)
    return con


def page_query_names() -> list[str]:
    """List the queries of pages."""
    return [name.removeprefix(f"{_FOLDER}/") for name in sql.texts("queries") if name.startswith(f"{_FOLDER}/")]


def page_query_text(name: str) -> str:
    """Return the text of a query, as it runs."""
    return sql.texts("queries")[f"{_FOLDER}/{name}"]


def page_query_parameters(con: duckdb.DuckDBPyConnection, name: str) -> set[str]:
    """Return the names of the parameters that a query uses."""
    return set(con.extract_statements(page_query_text(name))[0].named_parameters)


def page_rows(con: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, object]) -> pl.DataFrame:
    """Run a query with those of the values that it uses, and return its rows."""
    with duckdb_errors(f"read the {name} of a page"):
        used = {key: values[key] for key in page_query_parameters(con, name)}
        return sql.plain(con.sql(page_query_text(name), params=used or None).pl())
