"""Leave out files that cannot have an item, by the lowest and the highest item of each file."""

import polars as pl

STABLE_TYPES = ("VARCHAR", "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UBIGINT", "UINTEGER", "USMALLINT", "UTINYINT")


def has_stable_text(engine_type: object) -> bool:
    """Return whether a column of this type of DuckDB has the same text in each file: 5 is 5, and never 5.0."""
    return str(engine_type) in STABLE_TYPES


def files_with_items(files: pl.DataFrame, items: pl.Series, new: pl.Series) -> pl.DataFrame:
    """Return the files that may have one of the items: by first_item and last_item, or because these are not known.

    `new` are paths that stay anyhow.

    >>> files = pl.DataFrame({"path": ["a", "b", "c", "d"], "first_item": ["1", "3", "5", None],
    ...                       "last_item": ["3", "4", "7", None]})
    >>> files_with_items(files, pl.Series(["2", "6"]), pl.Series(["b"]))["path"].to_list()
    ['a', 'b', 'c', 'd']
    >>> files_with_items(files, pl.Series(["2", "8"]), pl.Series([], dtype=pl.String))["path"].to_list()
    ['a', 'd']
    """
    ordered = items.drop_nulls().unique().sort()
    first, last = files["first_item"], files["last_item"]
    below = pl.Series(ordered.search_sorted(first.fill_null(""), side="left"), dtype=pl.Int64)
    up_to = pl.Series(ordered.search_sorted(last.fill_null(""), side="right"), dtype=pl.Int64)
    may_have = first.is_null() | (up_to > below) | files["path"].is_in(new.implode())
    return files.filter(may_have)
