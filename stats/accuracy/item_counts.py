"""Rating counts per item."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.arrays import IntArray


@dataclass(frozen=True)
class ItemCounts:
    """The counts C (n, k) of each label, one row per item, sorted by item."""

    names: pl.Series
    C: IntArray


def count_items(ratings: pl.DataFrame, *, labels: Sequence[str]) -> ItemCounts:
    """Count the ratings of each item. `stats.counts` must have checked the frame.

    >>> frame = pl.DataFrame({"item": ["2", "1", "2"], "rater": ["a", "a", "b"], "label": ["B", "A", "B"]})
    >>> items = count_items(frame, labels=["A", "B"])
    >>> items.names.to_list(), items.C.tolist()
    (['1', '2'], [[1, 0], [0, 2]])
    """
    item_code = ratings["item"].rank("dense").to_numpy().astype(np.int64) - 1
    n, k = int(item_code.max(initial=-1)) + 1, len(labels)
    row_of_item = np.empty(n, np.int64)
    row_of_item[item_code] = np.arange(len(item_code))
    label_code = codes(ratings["label"], pl.Series(list(labels), dtype=pl.String))
    C = np.bincount(item_code * k + label_code, minlength=n * k).reshape(n, k)
    return ItemCounts(ratings["item"].gather(row_of_item), C.astype(np.int64, copy=False))


def codes(values: pl.Series, dictionary: pl.Series) -> IntArray:
    """Return the position of each value in the dictionary, -1 where it is missing."""
    positions = pl.Series(range(len(dictionary)), dtype=pl.Int64)
    position = values.replace_strict(dictionary, positions, default=-1, return_dtype=pl.Int64)
    return position.to_numpy().astype(np.int64, copy=False)
