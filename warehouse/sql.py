"""Run the package's .sql files. Python code contains no SQL."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import polars as pl

from warehouse.errors import WarehouseError, duckdb_errors
from warehouse.row_parts import RowParts

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP = 122_880  # rows that DuckDB stores together
_parsed: dict[str, list[tuple[duckdb.Statement, list[str]]]] = {}


@cache
def texts(folder: str) -> dict[str, str]:
    """Read the .sql files of one folder of this package: name -> text, sorted by name. The name of a file in a
    subfolder is `subfolder/stem`."""
    top = Path(__file__).with_name(folder)
    return {
        path.relative_to(top).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(top.rglob("*.sql"))
    }


def run(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> None:
    """Run each statement of queries/<name>.sql with the parameters that it uses ($parameter)."""
    for statement, parameters in _statements(con, name):
        con.execute(statement, {key: values[key] for key in parameters})


def rows(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> list[tuple[object, ...]]:
    """Run queries/<name>.sql and return all rows of its last statement."""
    run(con, name, **values)
    return con.fetchall()


def value(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> object:
    """Run queries/<name>.sql and return the one value of its last statement."""
    return rows(con, name, **values)[0][0]


def named_rows(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> list[dict[str, object]]:
    """Run queries/<name>.sql and return the rows of its last statement, each as column -> value.

    For a few rows this takes less time than `frame`, which loads pyarrow.
    """
    run(con, name, **values)
    return fetch_named(con)


def fetch_named(result: duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation) -> list[dict[str, object]]:
    """Fetch all rows of a result, each as column -> value."""
    columns = [str(column[0]) for column in result.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def frame(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> pl.DataFrame:
    """Run the one query in queries/<name>.sql and return its rows."""
    ((statement, _),) = _statements(con, name)
    return plain(con.sql(statement, params=values or None).pl())


def read(con: duckdb.DuckDBPyConnection, name: str, doing: str, /, **values: object) -> pl.DataFrame:
    """Do the same, and turn DuckDB's errors into a WarehouseError: the warehouse could not `doing`."""
    with duckdb_errors(doing):
        return frame(con, name, **values)


def append(con: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame) -> None:
    """Append rows to a table, matched by column name, in the current transaction. Columns that `rows` lacks are null.

    Raises WarehouseError if `rows` has a column that the table lacks.
    """
    columns = con.table(table).columns
    if unknown := [name for name in rows.columns if name not in columns]:
        raise WarehouseError(f"The table {table} has no column {unknown[0]!r}; it has {', '.join(columns)}.")
    ordered = rows.select(pl.col(name) if name in rows.columns else pl.lit(None).alias(name) for name in columns)
    con.from_arrow(_as_arrow(ordered)).insert_into(table)


def plain(table: pl.DataFrame) -> pl.DataFrame:
    """Convert Decimal and 128-bit columns (DuckDB's sums of integers), which JSON and plots cannot take: whole numbers
    to Int64, to Int128 if one does not fit, and others to Float64."""
    return table.with_columns(
        pl.col(name).cast(_number_type(table[name]))
        for name, dtype in table.schema.items()
        if isinstance(dtype, pl.Decimal) or dtype in (pl.Int128, pl.UInt128)
    )


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what the block writes when it ends, or roll all of it back if it fails."""
    con.execute("begin")
    try:
        yield
        con.execute("commit")
    except BaseException:
        _roll_back(con)
        raise


@contextmanager
def registered(con: duckdb.DuckDBPyConnection, **frames: pl.DataFrame | RowParts) -> Iterator[None]:
    """Let SQL read the frames by name while the block runs. Rows in parts are read from the disk."""
    for name, table in frames.items():
        con.register(name, table if isinstance(table, RowParts) else _as_arrow(table))
    try:
        yield
    finally:
        for name in frames:
            with suppress(duckdb.TransactionException):  # The failed transaction has removed it already.
                con.unregister(name)


def _as_arrow(table: pl.DataFrame) -> "pa.Table":
    """Convert a frame to the form that DuckDB reads fastest. Given a polars frame, DuckDB would copy each text into the
    oldest Arrow types. Given a table in one piece, it would read it with one thread."""
    import pyarrow as pa  # `run` with nothing due needs none, and it takes a tenth of that time to load

    whole = table.to_arrow(compat_level=pl.CompatLevel.newest())
    return pa.Table.from_batches(whole.to_batches(max_chunksize=ROW_GROUP), whole.schema)


def conform(
    table: pl.DataFrame, schema: Mapping[str, pl.DataType], what: str, *, numbered: bool = False
) -> pl.DataFrame:
    """Select the columns of the schema, in its order and types. With `numbered` a text column may stay Categorical,
    which takes far less memory. `what` is the subject of the error messages.

    Raises WarehouseError if a column is missing or a value does not fit its type.
    """
    missing = [name for name in schema if name not in table.columns]
    if missing:
        raise WarehouseError(f"{what} must have the columns {', '.join(schema)}; {', '.join(missing)} is missing.")
    try:
        return table.select(
            pl.col(name) if numbered and _is_numbered_text(table.schema[name], dtype) else pl.col(name).cast(dtype)
            for name, dtype in schema.items()
        )
    except pl.exceptions.PolarsError as error:
        raise WarehouseError(f"{what} have a column of the wrong type: {str(error).partition(chr(10))[0]}") from error


def _is_numbered_text(actual: pl.DataType, expected: pl.DataType) -> bool:
    return isinstance(actual, pl.Categorical) and isinstance(expected, pl.String)


def _number_type(column: pl.Series) -> type[pl.DataType]:
    if isinstance(column.dtype, pl.Decimal) and column.dtype.scale:
        return pl.Float64
    return pl.Int64 if column.cast(pl.Int64, strict=False).null_count() == column.null_count() else pl.Int128


def _statements(con: duckdb.DuckDBPyConnection, name: str) -> list[tuple[duckdb.Statement, list[str]]]:
    """Return the statements of queries/<name>.sql, each with the names of its parameters.

    Each file is parsed once: DuckDB executes a copy of a statement, so that every connection and thread can execute it.
    """
    if name not in _parsed:
        statements = con.extract_statements(texts("queries")[name])
        _parsed[name] = [(each, sorted(each.named_parameters)) for each in statements]
    return _parsed[name]


def _roll_back(con: duckdb.DuckDBPyConnection) -> None:
    try:
        con.execute("rollback")
    except duckdb.Error:
        return  # The failure has ended the transaction already (a failed commit, a lost disk).
