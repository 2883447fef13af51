"""Give each item the rating pattern that it shows, so that figures by pattern become figures by item."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from stats.arrays import IntArray
from stats.counts import distinct_raters, item_lists, patterns_of_lists
from stats.distinct_keys import distinct_keys
from stats.patterns import RatingPatterns, digit_words, digits_of, patterns_of
from stats.ratings import check_ratings, n_items_column, polars_frame, ratings_error


@dataclass(frozen=True)
class ItemPatterns:
    """n items, sorted by name, with their ratings.

    - names (n,): text.
    - row (n,): which of the P patterns an item shows.
    - patterns: who gave which label.
    - raters: the names of the raters.
    """

    names: pl.Series
    row: IntArray
    patterns: RatingPatterns
    raters: Sequence[str]

    @cached_property
    def counts(self) -> IntArray:
        """Return how many raters gave each label (P, k)."""
        cells, k = len(self.patterns.n_items) * self.patterns.n_labels, self.patterns.n_labels
        return np.bincount(self.patterns.pattern * k + self.patterns.label, minlength=cells).reshape(-1, k)


def item_patterns(ratings: Any, *, labels: Sequence[str]) -> ItemPatterns:
    """Find the items of these ratings and their patterns, with one group-by.

    Items with the same ratings share a pattern. The names of items do not change the order of the patterns. If an item
    stands for several (`n_items`), its pattern counts all of them. Raises StatsError as `stats.counts.rating_patterns`.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("XYXYXX")})
    >>> items = item_patterns(frame, labels=["X", "Y"])
    >>> items.names.to_list(), items.row.tolist(), items.counts.tolist()
    (['1', '2', '3'], [1, 1, 0], [[2, 0], [1, 1]])
    """
    ratings = polars_frame(ratings)
    raters = distinct_raters(ratings)
    frame = cast(pl.LazyFrame, check_ratings(ratings, labels, raters))  # ratings of polars stay in polars
    one_word = len(digit_words(len(labels) + 1, len(raters))) == 1
    return (_by_key if one_word else _by_list)(frame, labels, raters)


def _by_key(frame: pl.LazyFrame, labels: Sequence[str], raters: Sequence[str]) -> ItemPatterns:
    """Write the label digits of an item as one number, with the checks of `stats.counts`."""
    base, items = len(labels) + 1, n_items_column(frame)
    digit, place = _code("label", labels) + 1, pl.lit(base, pl.Int64).pow(_code("rater", raters))
    rated = frame.select("item", *items, digit=digit, key=digit * place)
    sums = rated.group_by("item").agg(
        pl.col(*items).first() if items else pl.lit(1).alias("n_items"),
        n_given=pl.len().cast(pl.Int64),
        total=pl.col("digit").sum(),
        key=pl.col("key").sum(),
    )
    by_item = sums.with_columns(pl.col("item").cast(pl.String)).sort("item").collect()
    keys, _, row = distinct_keys(by_item["key"].to_numpy())
    digits = digits_of(keys[:, None], base, digit_words(base, len(raters)))
    n_given, total = by_item["n_given"].to_numpy(), by_item["total"].to_numpy()
    right = (n_given == (digits > 0).sum(axis=1)[row]) & (total == digits.sum(axis=1)[row])
    if by_item["item"].null_count() or not right.all():
        raise ratings_error(frame, labels, raters)
    n_items = np.bincount(row, weights=by_item["n_items"].to_numpy()).astype(np.int64)
    return ItemPatterns(by_item["item"], row, patterns_of(digits - 1, n_items, len(labels)), raters)


def _by_list(frame: pl.LazyFrame, labels: Sequence[str], raters: Sequence[str]) -> ItemPatterns:
    """List the (rater, label) codes of each item, for more raters than one key holds."""
    items = item_lists(frame, labels, raters).with_columns(pl.col("item").cast(pl.String)).sort("item").collect()
    alike = items.with_row_index("place").group_by("codes").agg("place", pl.col("n_items").sum()).sort("codes")
    row = np.empty(items.height, np.int64)
    row[alike["place"].explode().to_numpy()] = np.repeat(np.arange(alike.height), alike["place"].list.len().to_numpy())
    return ItemPatterns(items["item"], row, patterns_of_lists(alike.lazy(), frame, labels, raters), raters)


def _code(column: str, names: Sequence[str]) -> pl.Expr:
    """Return the position of each name, null for another name."""
    return pl.col(column).cast(pl.Enum(names), strict=False).to_physical().cast(pl.Int64)
