"""Find the values by which the items of a dataset are sliced, such as their language."""

import polars as pl

from schemas.rating_columns import MAX_METADATA_LENGTH, METADATA
from tasks.formats.parsing.cells import tidy
from tasks.formats.parsing.text_table import as_text
from tasks.ingest.datasets.dataset_columns import DatasetColumns

VALUES = {"row_number": pl.Int64(), "key": pl.String(), "value": pl.String()}


def slice_values(rows: pl.DataFrame, columns: DatasetColumns) -> pl.DataFrame:
    """Return a row per row of the dataset and key that has a value: row_number, key, value."""
    frames = [
        pl.DataFrame([rows["row_number"].cast(pl.Int64), as_text(rows[role]).alias("value")]).select(
            "row_number", key=pl.lit(key), value=tidy(pl.col("value")).str.slice(0, MAX_METADATA_LENGTH)
        )
        for role, key in columns.slices.items()
    ]
    return pl.concat([pl.DataFrame(schema=VALUES), *frames]).drop_nulls("value")


def item_values(values: pl.DataFrame) -> pl.DataFrame:
    """Return the value of each item and key in each file, in the order of the files (columns: METADATA).

    `values` has start (where the file begins), question, item, key and value. An item with several values in one file
    has the empty text, which is no value: such a column tells something about the rating.

    >>> values = pl.DataFrame({"start": [0, 0, 0, 9], "question": "q", "item": ["1", "1", "2", "1"], "key": "day",
    ...                        "value": ["mo", "tu", "mo", "we"]})
    >>> item_values(values).select("item", "value").rows()
    [('1', ''), ('2', 'mo'), ('1', 'we')]
    """
    by_item = values.group_by("start", "question", "item", "key").agg(
        pl.col("value").min().alias("value"), pl.col("value").max().alias("last")
    )
    ordered = by_item.sort("start", "question", "item", "key")
    return ordered.select(
        "question", "item", "key", pl.when(pl.col("value") == pl.col("last")).then("value").otherwise(pl.lit(""))
    ).select(list(METADATA))
