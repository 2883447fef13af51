"""Code what people said, and in which windows, for sums over windows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.arrays import IntArray
from stats.counts import distinct_raters
from stats.patterns import RatingPatterns
from stats.trends.window_sums import WindowUnits
from tasks.monitor.windows.window_spans import ItemWindows


@dataclass(frozen=True)
class PeopleInWindows:
    """The human patterns as codes, their raters by code, and the units in which they count."""

    patterns: RatingPatterns
    raters: tuple[str, ...]
    units: WindowUnits


def people_in_windows(
    human: pl.DataFrame, names: pl.DataFrame, labels: Sequence[str], windows: ItemWindows
) -> PeopleInWindows:
    """Code the patterns in the order of their numbers. `human` and `names` are from `human_patterns`.

    New patterns change the numbers of others, and not their order. So a sum over the items of a window, which adds them
    in that order, stays the same to the last bit.
    """
    of_items = human.select("item", "n_items").unique().sort(pl.col("item").cast(pl.UInt32))
    items = of_items.with_row_index("place")
    raters = distinct_raters(human)
    place, rater, label = rating_codes(human, items, raters, labels)
    counts = windows.unit_counts(names).join(items.select("item", "place"), on="item").sort("unit", "place")
    n_items = items["n_items"].to_numpy().astype(np.int64)
    patterns = RatingPatterns(n_items, place, rater, label, len(raters), len(labels))
    return PeopleInWindows(patterns, tuple(raters), windows.coded_units(counts, n_patterns=items.height))


def rating_codes(
    ratings: pl.DataFrame, items: pl.DataFrame, raters: Sequence[str], labels: Sequence[str]
) -> tuple[IntArray, IntArray, IntArray]:
    """Return pattern, rater and label of each rating as positions, sorted by pattern, then rater."""
    coded = ratings.join(items, on="item").select(
        "place",
        *(
            pl.col(name).replace_strict(list(names_of), range(len(names_of)), return_dtype=pl.Int64)
            for name, names_of in (("rater", raters), ("label", labels))
        ),
    )
    place, rater, label = (column.to_numpy().astype(np.int64) for column in coded.sort("place", "rater"))
    return place, rater, label
