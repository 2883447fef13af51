"""Keep the other columns of a table as item metadata, if they have one value per item."""

from collections.abc import Container, Iterable

import polars as pl

from schemas.rating_columns import MAX_METADATA_LENGTH, METADATA
from tasks.counted_words import counted
from tasks.formats.columns.column_roles import USUAL_NAMES, listed, plain
from tasks.formats.parsing.cells import tidy

OF_ITEMS = {"time", "date", "datetime", "createdat", "updatedat"}
"""Usual names of times that, in a table with a row per item, rather say when the item came to be."""


def item_metadata(
    columns: Iterable[tuple[str, str]], cells: pl.DataFrame, rows: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """Return metadata (question, item, key, value) from the columns that are constant within an item, and warnings.

    `columns` are pairs of a column of `cells` and its header. `cells` and `rows` (with question and item) have the same
    rows. A column that varies within an item is left out, and a long value is cut. Warnings say so.
    """
    kept: list[pl.DataFrame] = []
    varying: list[str] = []
    items = rows.select("question", "item")
    for column, header in columns:
        values = _values(items, cells[column])
        if values is None:
            varying.append(header)
        else:
            kept.append(values.select("question", "item", pl.lit(header).alias("key"), "value"))
    metadata = pl.concat(kept) if kept else pl.DataFrame(schema=METADATA)
    metadata, cut = cut_long(metadata)
    notes = [f"Not kept, because their values differ within an item: columns {listed(varying)}."] if varying else []
    return metadata, notes + cut


def unused_times(headers: Iterable[str], roles: Container[str]) -> list[str]:
    """Return a note on columns that may say when the items were rated, if none is mapped to the role `time`."""
    names = [header for header in headers if plain(header) in set(USUAL_NAMES["time"]) - OF_ITEMS]
    if not names or "time" in roles:
        return []
    return [
        f"Not read as the time of the ratings: {listed(names)}. If it is that, add time={names[0]} to the columns."
        " Ratings without a time count on the day of their arrival."
    ]


def metadata_keys(metadata: pl.DataFrame) -> tuple[str, ...]:
    """Return the headers of the columns that are kept as metadata, in their order."""
    return tuple(metadata["key"].unique(maintain_order=True))


def cut_long(metadata: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Cut values to 2,000 characters and say how many were."""
    n_long = metadata.filter(pl.col("value").str.len_chars() > MAX_METADATA_LENGTH).height
    if not n_long:
        return metadata, []
    return metadata.with_columns(pl.col("value").str.slice(0, MAX_METADATA_LENGTH)), cut_warning(n_long)


def cut_warning(n_long: int) -> list[str]:
    """Return the warning for this many cut values."""
    text = f"Cut after {MAX_METADATA_LENGTH:,} characters: {counted(n_long, 'value')} of item metadata."
    return [text] if n_long else []


def _values(items: pl.DataFrame, column: pl.Series) -> pl.DataFrame | None:
    """Return the value of each item in its order of appearance, or None if some item has two."""
    cells = items.with_columns(column.alias("value")).with_columns(tidy(pl.col("value")))
    distinct = cells.drop_nulls(["item", "value"]).unique(maintain_order=True)
    return distinct if distinct.select("question", "item").is_duplicated().any() is False else None
