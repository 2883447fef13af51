"""Turn columns of DuckDB into columns of Postgres: their types, and their values as `copy` reads them."""

import re

import polars as pl

from tasks.export.json_text import json_text
from warehouse.publication.published_tables import PublishedColumn, is_nested

TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "smallint",
    "SMALLINT": "smallint",
    "UTINYINT": "smallint",
    "INTEGER": "integer",
    "USMALLINT": "integer",
    "BIGINT": "bigint",
    "UINTEGER": "bigint",
    "UBIGINT": "numeric",
    "HUGEINT": "numeric",
    "UHUGEINT": "numeric",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "DATE": "date",
    "TIME": "time without time zone",
    "TIMESTAMP": "timestamp without time zone",
    "TIMESTAMP_S": "timestamp without time zone",
    "TIMESTAMP_MS": "timestamp without time zone",
    "TIMESTAMP_NS": "timestamp without time zone",
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
    "UUID": "uuid",
    "JSON": "json",  # jsonb would refuse some of it
}
DECIMAL = re.compile(r"DECIMAL\(\d+,\d+\)")
NUL, REPLACEMENT = "\0", "\ufffd"
# How `copy` wants what has a meaning in its text format. Postgres has no NUL in texts.
ESCAPES = {"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t", NUL: REPLACEMENT}


def postgres_type(column: PublishedColumn) -> str:
    """Return the type of a column in Postgres, as Postgres itself writes it.

    Lists and structs are jsonb. A type without a counterpart is text.
    """
    if is_nested(column.type):
        return "jsonb"
    return "numeric" if DECIMAL.fullmatch(column.type) else TYPES.get(column.type, "text")


def copy_text(piece: pl.DataFrame) -> tuple[str, int]:
    """Return rows in the text format of `copy`, and how many texts had a NUL, which becomes \ufffd.

    >>> copy_text(pl.DataFrame({"a": ["x\\ty", None], "b": [["p", "q"], []]}))
    ('x\\\\ty\\t["p", "q"]\\n\\\\N\\t[]\\n', 0)
    """
    nested = [name for name, kind in piece.schema.items() if kind.is_nested()]
    texts = piece.with_columns(
        pl.col(name).map_elements(_json, pl.String, skip_nulls=True).alias(name) for name in nested
    ).cast(pl.String)
    n_nul = sum(int(column.str.contains(NUL, literal=True).sum()) for column in texts)
    escaped = [
        pl.col(name).str.replace_many(list(ESCAPES), list(ESCAPES.values())).fill_null(r"\N") for name in texts.columns
    ]
    lines = texts.select(pl.concat_str(escaped, separator="\t").alias("line"))["line"]
    return "".join(f"{line}\n" for line in lines), n_nul


def _json(value: object) -> str:
    return json_text(_without_nul(value.to_list() if isinstance(value, pl.Series) else value))


def _without_nul(value: object) -> object:
    if isinstance(value, str):
        return value.replace(NUL, REPLACEMENT)
    if isinstance(value, dict):
        return {_without_nul(key): _without_nul(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without_nul(entry) for entry in value]
    return value
