"""Run the queries of live pages on a published snapshot that stays open."""

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import duckdb
import polars as pl

from warehouse import sql
from warehouse.connect import QUIET, config
from warehouse.errors import WarehouseError, duckdb_errors, first_line

_FOLDER = "pages"


def open_snapshot(path: str | os.PathLike[str]) -> duckdb.DuckDBPyConnection:
    """Open a published snapshot for reading, and leave it open. The caller closes it.

    A run replaces the snapshot as a whole, so the connection goes on reading the one that it opened. Raises
    WarehouseError if it cannot be read.
    """
    try:
        con = duckdb.connect(Path(path).resolve(), read_only=True, config=config())
    except duckdb.Error as error:
        raise WarehouseError(
            f"The snapshot {path} could not be opened: {first_line(error)}", "Run `kappaflow run` to publish it again."
        ) from error
    con.execute("set timezone = 'UTC'")
    con.execute(QUIET)
    return con


@cache
def _page_queries() -> dict[str, str]:
    """Read the queries of pages: name of the file -> text. Subfolders divide them by subject."""
    names = [name for name in sql.texts("queries") if name.startswith(f"{_FOLDER}/")]
    return {name.rpartition("/")[2]: sql.texts("queries")[name] for name in names}


def page_query_names() -> list[str]:
    """List the queries of pages, sorted."""
    return sorted(_page_queries())


def page_query_text(name: str) -> str:
    """Return the text of a query, as it runs."""
    return _page_queries()[name]


def used_values(name: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return those of the values that a query uses."""
    used = set(re.findall(r"\$(\w+)", page_query_text(name)))
    return {key: value for key, value in values.items() if key in used}


def keep_results(con: duckdb.DuckDBPyConnection) -> None:
    """Compute the small views of results once, for all pages that this connection serves."""
    with duckdb_errors("read its results"):
        sql.run(con, "page_tables/keep_results")


def page_rows(con: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, object]) -> pl.DataFrame:
    """Run a query with those of the values that it uses, and return its rows."""
    with duckdb_errors(f"read the {name} of a page"):
        return sql.plain(con.sql(page_query_text(name), params=used_values(name, values) or None).pl())
