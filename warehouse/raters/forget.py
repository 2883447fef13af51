"""Replace the names of a rater by a pseudonym everywhere in the warehouse, and find what is left of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import duckdb
from duckdb import ColumnExpression, ConstantExpression, Expression, FunctionExpression

from warehouse import sql
from warehouse.errors import duckdb_errors

NAMES = frozenset(
    {"rater", "rater_a", "rater_b", "other", "subject", "owner", "acknowledged_by", "accepted_by"}
    | {"closed_by", "muted_by"}
    | {"system", "system_a", "system_b"}
)
"""Columns whose whole text is the name of a rater, or of one of the repeated readings ('ann #2')."""

CELLS = frozenset({"value"})
"""Columns with a part of a row of a file."""

FILES = frozenset({"file_name"})
"""Columns with the name of a file, which is the name of the rater in some formats."""

NO_NAMES = frozenset(
    {"question", "item", "label", "label_a", "label_b", "key", "task", "system_version", "version", "sections"}
    | {"cluster", "model", "model_a", "model_b", "regions"}
)
"""Columns that are left as they are: what is equal to a name there is something else."""

NO_NAMES_IN = frozenset({"internal.item_metadata", "internal.ledger", "internal.labels", "internal.forgotten_raters"})
"""Tables that are left as they are. In all other columns a name is replaced where it stands as a word."""

REMOVED = "(This sentence was removed: it was about a rater who is forgotten.)"


@dataclass(frozen=True)
class Occurrences:
    """In how many rows a column names the rater."""

    table: str
    column: str
    n_rows: int


def is_distinctive(name: str) -> bool:
    """Return whether a name can be looked for in sentences: '3' or 'A' would be found everywhere.

    >>> is_distinctive("ann"), is_distinctive("17"), is_distinctive("A")
    (True, False, False)
    """
    return len(name) >= 3 and any(char.isalpha() for char in name)


def occurrences(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[Occurrences]:
    """Count the rows that name the rater in a column that `rename_everywhere` changes, columns without any left out."""
    with duckdb_errors("look for the rater"):
        return [
            Occurrences(table, column, n_rows)
            for table, columns in _columns(con).items()
            for column, n_rows in _counts(con, table, _patterns(columns, names)).items()
        ]


def left_over(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[Occurrences]:
    """Count the rows that still have a distinctive name as a word: of items, labels, metadata and the like."""
    words = _words(names)
    if words is None:
        return []
    with duckdb_errors("look for the rater"):
        return [
            Occurrences(table, column, n_rows)
            for table, columns in _columns(con, everywhere=True).items()
            for column, n_rows in _counts(con, table, dict.fromkeys(columns, words)).items()
        ]


def rename_everywhere(con: duckdb.DuckDBPyConnection, names: Sequence[str], pseudonym: str) -> None:
    """Replace the names by the pseudonym, within the current transaction.

    What the charts were computed with holds names too, so it is deleted: the next run computes the charts again.
    """
    sql.run(con, "raters/forget/chart_states", names=list(names))
    sql.run(con, "raters/forget/file_names", names=list(names))
    for table, columns in _columns(con).items():
        patterns = _patterns(columns, names)
        for column in _counts(con, table, patterns):
            new = _replaced(column, columns[column], patterns[column], pseudonym)
            con.table(table).update({column: new}, condition=_matches(con, table, column, patterns[column]))
    sql.run(con, "raters/forget/pairs_in_order")
    if not all(map(is_distinctive, names)):
        sql.run(con, "raters/forget/short_name_alerts", names=list(names), pseudonym=pseudonym, removed=REMOVED)


def _columns(con: duckdb.DuckDBPyConnection, *, everywhere: bool = False) -> dict[str, dict[str, str]]:
    """List the text columns: table -> column -> type."""
    tables: dict[str, dict[str, str]] = {}
    for schema, table, column, kind in sql.rows(con, "raters/forget/text_columns"):
        if everywhere or not (column in NO_NAMES or f"{schema}.{table}" in NO_NAMES_IN):
            tables.setdefault(f"{schema}.{table}", {})[str(column)] = str(kind)
    return tables


def _patterns(columns: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """Return the regular expression of each column in which the names can be looked for."""
    return {column: pattern for column in columns if (pattern := _pattern(column, names))}


def _pattern(column: str, names: Sequence[str]) -> str | None:
    """Return the regular expression that finds the names in a column. Its first and last groups are kept."""
    any_name = _alternatives(names)
    if column in NAMES:
        return rf"^()(?:{any_name})( #[1-9][0-9]*)?$"
    if column in FILES:
        return rf"(^|/)(?:{any_name})(\.[^/]*)?$"
    if column in CELLS:
        return _bounded(any_name)
    return _words(names)


def _words(names: Sequence[str]) -> str | None:
    distinctive = [name for name in names if is_distinctive(name)]
    return _bounded(_alternatives(distinctive)) if distinctive else None


def _alternatives(names: Sequence[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def _bounded(any_name: str) -> str:
    return rf"(^|[^\pL\pN_])(?:{any_name})($|[^\pL\pN_])"


def _counts(con: duckdb.DuckDBPyConnection, table: str, patterns: Mapping[str, str]) -> dict[str, int]:
    """Count the rows of each column that match, columns without any left out. One query serves all columns of a table:
    a warehouse has hundreds of them."""
    if not patterns or not con.table(table).limit(1).fetchall():  # else each pattern is compiled for an empty table
        return {}
    counts = [
        FunctionExpression("count_if", _matches(con, table, column, pattern)) for column, pattern in patterns.items()
    ]
    row = con.table(table).aggregate(counts).fetchall()[0]
    return {column: int(n_rows) for column, n_rows in zip(patterns, row, strict=True) if n_rows}


def _matches(con: duckdb.DuckDBPyConnection, table: str, column: str, pattern: str) -> Expression:
    text = ColumnExpression(column).cast(duckdb.sqltypes.VARCHAR)
    condition = FunctionExpression("regexp_matches", text, ConstantExpression(pattern))
    others = {"kind", "chart"} & set(con.table(table).columns) if column == "subject" else set()
    for other in others:  # the subject of a label chart is a label
        condition = condition & (ColumnExpression(other) != ConstantExpression("labels"))
    return condition


def _replaced(column: str, kind: str, pattern: str, pseudonym: str) -> Expression:
    new: Expression = ColumnExpression(column).cast(duckdb.sqltypes.VARCHAR)
    for _ in range(2):  # names side by side share the character between them
        new = FunctionExpression(
            "regexp_replace", new, ConstantExpression(pattern), ConstantExpression(rf"\1{pseudonym}\2"),
            ConstantExpression("g"),
        )  # fmt: skip
    return new.cast(duckdb.sqltypes.DuckDBPyType(kind))
