"""SQL texts from the package's own .sql files, and how they are run. No SQL is written in Python."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files

import duckdb
import polars as pl
import pyarrow as pa

from warehouse.errors import WarehouseError

ROW_GROUP = 122_880  # rows that DuckDB stores together


@cache
def texts(folder: str) -> dict[str, str]:
    """Stem -> text of each .sql file of one folder of this package, sorted by name."""
    found = [path for path in files("warehouse").joinpath(folder).iterdir() if path.name.endswith(".sql")]
    return {
        path.name.removesuffix(".sql"): path.read_text(encoding="utf-8")
        for path in sorted(found, key=lambda path: path.name)
    }


def run(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> None:
    """Run each statement of queries/<name>.sql with the values that it names ($name)."""
    for statement in _statements(con, name):
        con.execute(statement, {key: values[key] for key in statement.named_parameters})


def rows(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> list[tuple[object, ...]]:
    """Run queries/<name>.sql; all rows of its last statement."""
    run(con, name, **values)
    return con.fetchall()


def value(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> object:
    """The one value that queries/<name>.sql ends with."""
    return rows(con, name, **values)[0][0]


def frame(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> pl.DataFrame:
    """All rows of the one query in queries/<name>.sql."""
    return plain(con.sql(texts("queries")[name], params=values or None).pl())


def plain(table: pl.DataFrame) -> pl.DataFrame:
    """The frame without exact types that JSON and plots do not know: Decimal and 128 bits (DuckDB's sum of integers)
    become Int64 where they are whole and fit, Float64 otherwise."""
    return table.with_columns(
        pl.col(name).cast(pl.Int64 if _is_whole(table[name]) else pl.Float64)
        for name, dtype in table.schema.items()
        if isinstance(dtype, pl.Decimal) or dtype in (pl.Int128, pl.UInt128)
    )


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All that is written inside is stored when the block ends, or none of it."""
    con.execute("begin")
    try:
        yield
        con.execute("commit")
    except BaseException:
        _roll_back(con)
        raise


@contextmanager
def registered(con: duckdb.DuckDBPyConnection, **frames: pl.DataFrame) -> Iterator[None]:
    """Let SQL read the frames under the given names, while the block lasts."""
    for name, table in frames.items():
        con.register(name, _as_arrow(table))
    try:
        yield
    finally:
        for name in frames:
            with suppress(duckdb.TransactionException):  # it failed: what was registered in it goes with it
                con.unregister(name)


def _as_arrow(table: pl.DataFrame) -> pa.Table:
    """The frame as DuckDB reads it fastest. Of a polars frame it would make a table of the oldest Arrow types, which is
    a copy of each text; and of a table in one piece one thread alone would read."""
    whole = table.to_arrow(compat_level=pl.CompatLevel.newest())
    return pa.Table.from_batches(whole.to_batches(max_chunksize=ROW_GROUP), whole.schema)


def conform(
    table: pl.DataFrame, schema: Mapping[str, pl.DataType], what: str, *, numbered: bool = False
) -> pl.DataFrame:
    """The columns of the schema, in its order and types; further columns are left out. With `numbered` a column of
    text may stay Categorical, which takes far less memory.

    Raises WarehouseError where a column is missing or a value does not fit its type.
    """
    missing = [name for name in schema if name not in table.columns]
    if missing:
        raise WarehouseError(f"{what} must have the columns {', '.join(schema)}; {', '.join(missing)} is missing.")
    try:
        return table.select(
            pl.col(name) if numbered and _is_text(table.schema[name], dtype) else pl.col(name).cast(dtype)
            for name, dtype in schema.items()
        )
    except pl.exceptions.PolarsError as error:
        raise WarehouseError(f"{what} have a column of the wrong type: {str(error).partition(chr(10))[0]}") from error


def _is_text(found: pl.DataType, wanted: pl.DataType) -> bool:
    """Whether a column is the text that is wanted, with its texts numbered."""
    return isinstance(found, pl.Categorical) and isinstance(wanted, pl.String)


def _is_whole(column: pl.Series) -> bool:
    if isinstance(column.dtype, pl.Decimal) and column.dtype.scale:
        return False
    return column.cast(pl.Int64, strict=False).null_count() == column.null_count()


def _statements(con: duckdb.DuckDBPyConnection, name: str) -> list[duckdb.Statement]:
    return con.extract_statements(texts("queries")[name])


def _roll_back(con: duckdb.DuckDBPyConnection) -> None:
    try:
        con.execute("rollback")
    except duckdb.Error:
        return  # the failure itself has ended the transaction (a commit that failed, a lost disk)
