"""Find the columns of a dataset whose type differs between its files, and turn their values into text.

If DuckDB reads such files together, it chooses one type for the column, and the text of a value then depends on the
other files: 5.0 instead of 5. So these columns are read as text, file by file, in the spelling of `as_text`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Any

import duckdb
from duckdb import CaseExpression, ColumnExpression, ConstantExpression, FunctionExpression

NESTED = ("struct", "list", "array", "map", "union")
INTEGERS = ("tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint", "hugeint")
FLOATS = ("float", "double")
TEXT = "VARCHAR"
MAX_WHOLE = 1e15  # as in `as_text`: larger floats are not written as integers


@dataclass(frozen=True)
class MixedColumns:
    """The columns of a dataset with values of several kinds, such as text and numbers, by their names in lower case.

    kinds_of: for each path, the kinds of its values in these columns.
    """

    names: frozenset[str]
    kinds_of: Mapping[str, tuple[str, ...]]

    def alike(self, paths: Sequence[str]) -> list[list[str]]:
        """Return the paths in groups whose files hold the same kinds in the mixed columns."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for path in paths:
            groups.setdefault(self.kinds_of[path], []).append(path)
        return [*groups.values()]


def mixed_columns(con: duckdb.DuckDBPyConnection, paths: list[str]) -> MixedColumns:
    """Read the footers of the files. There are no mixed columns if values of one are nested in some files only.

    Then DuckDB cannot read the files together, and `DatasetReader.odd_files` names those to leave out.
    """
    footers = con.table_function("parquet_schema", [paths])
    schema = footers.select("file_name", "name", "duckdb_type", "num_children", "logical_type").pl()
    members: dict[str, list[str]] = {}
    for path, *columns in schema.group_by("file_name", maintain_order=True).all().rows():
        members.setdefault(repr(columns), []).append(path)
    scans = [con.read_parquet(files[0]) for files in members.values()]
    kinds = [{name.lower(): _kind(t) for name, t in zip(scan.columns, scan.types, strict=True)} for scan in scans]
    names = sorted({name for columns in kinds for name in columns})
    mixed = [name for name in names if len({columns[name] for columns in kinds if name in columns}) > 1]
    if any(columns.get(name) in NESTED for columns in kinds for name in mixed):
        mixed = []
    kinds_of = {
        path: tuple(columns.get(name, "") for name in mixed)
        for columns, files in zip(kinds, members.values(), strict=True)
        for path in files
    }
    return MixedColumns(frozenset(mixed), kinds_of)


def without_mixed(scan: duckdb.DuckDBPyRelation, mixed: frozenset[str]) -> duckdb.DuckDBPyRelation:
    """Return the scan of files that are alike with its mixed columns as text."""
    return scan.select(
        *(
            text_of(name, type_).alias(name) if name.lower() in mixed else ColumnExpression(name)
            for name, type_ in zip(scan.columns, scan.types, strict=True)
        )
    )


def joined(scans: Sequence[duckdb.DuckDBPyRelation]) -> duckdb.DuckDBPyRelation:
    """Return the rows of all scans, with all their columns."""
    names: dict[str, str] = {}
    for name in chain.from_iterable(scan.columns for scan in scans):
        names.setdefault(name.lower(), name)
    filled = []
    for scan in scans:
        own = {name.lower() for name in scan.columns}
        nothing = ConstantExpression(None)
        filled.append(
            scan.select(*((ColumnExpression(n) if low in own else nothing).alias(n) for low, n in names.items()))
        )
    return reduce(lambda rows, scan: rows.union(scan), filled)


def text_of(name: str, type_: Any) -> duckdb.Expression:
    """Return the values of a column as text, as `as_text` writes them."""
    column, kind = ColumnExpression(name), _kind(type_)
    if kind in FLOATS:
        value = (column.cast(TEXT) if kind == "float" else column).cast("DOUBLE")  # .1 of 32 bits is 0.1
        whole = (FunctionExpression("floor", value) == value) & (FunctionExpression("abs", value) < MAX_WHOLE)
        nothing = ConstantExpression(None).cast(TEXT)
        integer = value.cast("BIGINT").cast(TEXT)
        missing = FunctionExpression("isnan", value)
        return CaseExpression(missing, nothing).when(whole, integer).otherwise(value.cast(TEXT))
    if kind.startswith("timestamp"):
        zulu = "Z" if "time zone" in kind else ""
        time = FunctionExpression("epoch_us", column if zulu else column.cast("TIMESTAMP"))
        form = ConstantExpression(f"%Y-%m-%dT%H:%M:%S.%f{zulu}")
        return FunctionExpression("strftime", FunctionExpression("make_timestamp", time), form)
    return column.cast(TEXT)


def _kind(type_: Any) -> str:
    """Return the kind of a type: values of one kind have the same text in each file, whatever is read with them."""
    kind = str(type_.id)
    if kind in INTEGERS:
        return "integer"
    if kind == "decimal":
        return str(type_)
    return "timestamp" if kind in ("timestamp_s", "timestamp_ms", "timestamp_ns") else kind
