"""List the tables and views that a snapshot publishes, say whether they changed, and read their rows in pieces."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors
from warehouse.migrate import view_order

PIECE = 100_000  # rows that are in memory at a time


@dataclass(frozen=True)
class PublishedColumn:
    """A column: its type as DuckDB writes it, and its comment."""

    name: str
    type: str
    comment: str | None


@dataclass(frozen=True)
class PublishedTable:
    """A public table or view.

    `fingerprint` is that of its columns, comments and rows. Tables with equal fingerprints have equal rows, in
    whatever order.
    """

    name: str
    about: str | None
    columns: tuple[PublishedColumn, ...]
    n_rows: int
    fingerprint: str


def published_names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the tables, and the views of kappaflow: a broken view of a user must not stop the publication."""
    views = {str(name) for (name,) in sql.rows(con, "maintenance/public_views")}
    names = [str(name) for (name,) in sql.rows(con, "maintenance/public_names")]
    return [name for name in names if name not in views or name in view_order()]


def described_table(con: duckdb.DuckDBPyConnection, name: str) -> tuple[str | None, tuple[PublishedColumn, ...]]:
    """Return the comment on a table or view, and its columns."""
    rows = sql.frame(con, "publications/columns", name=name).to_dicts()
    columns = tuple(PublishedColumn(row["column_name"], row["data_type"], row["comment"]) for row in rows)
    return rows[0]["about"], columns


def published_table(con: duckdb.DuckDBPyConnection, name: str) -> PublishedTable:
    """Describe a table or view of a snapshot. This reads all of its rows once."""
    with duckdb_errors(f"read {name}"):
        about, columns = described_table(con, name)
        n_rows, checksum = sql.rows(con, "publications/content", name=name)[0]
    described = repr((name, about, columns, n_rows, checksum))
    return PublishedTable(name, about, columns, int(str(n_rows)), hashlib.sha256(described.encode()).hexdigest())


def warehouse_id(con: duckdb.DuckDBPyConnection) -> str:
    """Return what tells this warehouse from any other, also after it was moved or restored: the id of its first run."""
    return str(sql.value(con, "publications/warehouse_id"))


def run_ids(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the runs of this warehouse, the newest first."""
    return [str(run_id) for (run_id,) in sql.rows(con, "publications/run_ids")]


def read_pieces(con: duckdb.DuckDBPyConnection, table: PublishedTable) -> Iterator[pl.DataFrame]:
    """Read the rows of a table or view, at most PIECE at a time.

    A column is text as DuckDB writes it (times are UTC), or a list or struct as it is.
    """
    relation = con.table(table.name)
    texts = relation.select(
        *(
            column if is_nested(kind) else column.cast(duckdb.sqltypes.VARCHAR).alias(name)
            for name, kind in zip(relation.columns, relation.types, strict=True)
            for column in [duckdb.ColumnExpression(name)]
        )
    )
    with duckdb_errors(f"read {table.name}"):
        for batch in texts.to_arrow_reader(PIECE):
            if batch.num_rows:
                yield pl.DataFrame(batch)


def is_nested(column_type: object) -> bool:
    """Return whether a type of DuckDB is a list, a struct, a map or a union."""
    return str(column_type).endswith("]") or str(column_type).startswith(("STRUCT", "MAP", "UNION"))
