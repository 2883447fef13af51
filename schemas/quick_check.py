"""Find out quickly that a frame keeps its contract: all checks of the pandera model in a few queries.

pandera runs several queries for each column, which takes longer than to compute a small table. A frame that does not
pass here goes to pandera, which says what breaks. So what passes must be what pandera passes, and no more.
"""

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData


def passes(schema: pa.DataFrameSchema, frame: pl.DataFrame) -> bool:
    """Return whether the frame keeps the contract. False also where only pandera can tell."""
    columns = schema.columns
    if schema.strict or schema.ordered or schema.unique or schema.index or schema.dtype or schema.coerce:
        return False
    if any(column.unique or column.regex or column.coerce or not column.required for column in columns.values()):
        return False
    if any(frame.schema.get(name) != column.dtype.type for name, column in columns.items()):
        return False
    given = [_is_given(name, frame.schema[name]) for name, column in columns.items() if not column.nullable]
    if not frame.select(pl.all_horizontal(pl.lit(True), *given).all()).item():
        return False
    rows = frame.lazy()
    try:
        return all(
            bool(one.item()) for one in pl.collect_all([_passed(check, rows, name) for name, check in _checks(schema)])
        )
    except pl.exceptions.PolarsError:
        return False


def prepare(schema: pa.DataFrameSchema) -> None:
    """Let each check find the function that it calls for a polars frame. Call it once for a schema."""
    empty = pl.LazyFrame(schema={name: column.dtype.type for name, column in schema.columns.items()})
    for name, check in _checks(schema):
        check(empty, name)


def _checks(schema: pa.DataFrameSchema) -> list[tuple[str | None, pa.Check]]:
    """List the checks of columns and of whole rows, with the name of the column."""
    of_columns = [(name, check) for name, column in schema.columns.items() for check in column.checks]
    return [*of_columns, *((None, check) for check in schema.checks)]


def _passed(check: pa.Check, rows: pl.LazyFrame, name: str | None) -> pl.LazyFrame:
    """Return the query of a check. A null passes, unless the check says otherwise."""
    result = check.get_backend(rows)(check).apply(PolarsData(rows, name or "*"))  # type: ignore[no-untyped-call]
    if isinstance(result, bool):
        result = pl.LazyFrame({"passed": [result]})
    passed: pl.LazyFrame = result.select(pl.all().fill_null(check.ignore_na).all())
    return passed


def _is_given(name: str, dtype: pl.DataType) -> pl.Expr:
    given = pl.col(name).is_not_null()
    return given & pl.col(name).is_not_nan() if dtype.is_float() else given
