"""Items by name with the rating pattern of each: for what is said of single items out of the patterns."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from stats.accuracy.estimator import IntArray
from stats.counts import distinct_raters
from stats.patterns import Patterns, digit_words, digits_of, patterns_of
from stats.ratings import checked, explained


@dataclass(frozen=True)
class Named:
    """n items, sorted by name, and how they were rated.

    names: (n,) text. row: (n,) which of the P patterns an item shows. patterns: who gave which label.
    """

    names: pl.Series
    row: IntArray
    patterns: Patterns

    @cached_property
    def counts(self) -> IntArray:
        """(P, k) how many raters gave each label."""
        cells, k = len(self.patterns.n_items) * self.patterns.n_labels, self.patterns.n_labels
        return np.bincount(self.patterns.pattern * k + self.patterns.label, minlength=cells).reshape(-1, k)


def named_items(ratings: pl.DataFrame, *, labels: Sequence[str]) -> Named:
    """The items of these ratings, out of one group-by. Raises StatsError as `stats.counts.rating_patterns`.

    Items that look alike share a pattern where a row of labels fits an integer key (20 raters over 5 labels); with
    more raters every item has its own.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("XYXYXX")})
    >>> items = named_items(frame, labels=["X", "Y"])
    >>> items.names.to_list(), items.row.tolist(), items.counts.tolist()
    (['1', '2', '3'], [1, 1, 0], [[2, 0], [1, 1]])
    """
    raters = distinct_raters(ratings)
    frame: pl.LazyFrame = checked(ratings, labels, raters).to_native()
    few = len(digit_words(len(labels) + 1, len(raters))) == 1
    found = (_by_key if few else _by_list)(frame, labels, raters)
    if found is None:
        raise explained(checked(ratings, labels, raters), labels, raters)
    return found


def _by_key(frame: pl.LazyFrame, labels: Sequence[str], raters: Sequence[str]) -> Named | None:
    """The label digits of an item as one number; None where these say that a rating is not one (see
    `stats.counts`)."""
    base = len(labels) + 1
    digit, place = _code("label", labels) + 1, pl.lit(base, pl.Int64).pow(_code("rater", raters))
    rated = frame.select("item", digit=digit, key=digit * place)
    sums = rated.group_by("item").agg(
        given=pl.len().cast(pl.Int64), total=pl.col("digit").sum(), key=pl.col("key").sum()
    )
    found = sums.with_columns(pl.col("item").cast(pl.String)).sort("item").collect()
    keys, row = np.unique(found["key"].to_numpy(), return_inverse=True)
    digits = digits_of(keys[:, None], base, digit_words(base, len(raters)))
    given, total = found["given"].to_numpy(), found["total"].to_numpy()
    right = (given == (digits > 0).sum(axis=1)[row]) & (total == digits.sum(axis=1)[row])
    if found["item"].null_count() or not right.all():
        return None
    return Named(found["item"], row, patterns_of(digits - 1, np.bincount(row), len(labels)))


def _by_list(frame: pl.LazyFrame, labels: Sequence[str], raters: Sequence[str]) -> Named | None:
    """The (rater, label) codes of each item; None where a rating is not one."""
    k, codes = len(labels), len(labels) * len(raters)
    coded = frame.select("item", code=_code("rater", raters) * k + _code("label", labels)).collect()
    if coded.null_count().row(0) != (0, 0):
        return None
    found = coded.group_by("item").agg("code").with_columns(pl.col("item").cast(pl.String)).sort("item")
    row = np.arange(found.height)
    entry = np.repeat(row * codes, found["code"].list.len().to_numpy()) + found["code"].explode().to_numpy()
    pattern, code = np.divmod(np.sort(entry), codes)
    rater, label = np.divmod(code, k)
    if ((np.diff(pattern) == 0) & (np.diff(rater) == 0)).any():
        return None
    return Named(found["item"], row, Patterns(np.ones_like(row), pattern, rater, label, len(raters), k))


def _code(column: str, names: Sequence[str]) -> pl.Expr:
    """Position of each name, null for another."""
    return pl.col(column).cast(pl.Enum(names), strict=False).to_physical().cast(pl.Int64)
