"""Reduce ratings to the small integer tables that every coefficient and estimator is computed from.

This is the only module that touches one row per rating. It takes any frame that narwhals can read (polars,
DuckDB relation, PySpark), asks that engine for one group-by over the ratings, and returns sorted integer
polars frames. Codes are positions: label code 0 is `labels[0]`, rater code 0 is `raters[0]`, and -1 means
"not rated". Tables of disjoint sets of items add up (`add_tables`).

Ratings may be patterns already: an integer column `n_items` says how many items each row's item stands for (the same
in all rows of an item, 1 where there is no such column). The tables are those of the ratings written out.

Who asks several functions about the same ratings counts them once (`counted`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from stats.errors import StatsError
from stats.patterns import IntArray, Patterns, counts_of, digit_words, digits_of, pairs_of, patterns_of
from stats.ratings import checked, explained, frame_of, items_of, some

CHAIN = 16  # names up to which comparing with each is cheaper than a lookup


@dataclass(frozen=True)
class Counted:
    """Ratings that were counted: `agreement`, `by_label`, `pairwise`, `rater_quality` and `rating_queue` take it in the
    place of `ratings`, with the same labels, and give the same."""

    ratings: pl.DataFrame
    labels: tuple[str, ...]
    raters: tuple[str, ...]
    patterns: Patterns


def counted(ratings: pl.DataFrame, *, labels: Sequence[str]) -> Counted:
    """The ratings, counted. Raises StatsError as `rating_patterns`.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "bob", "A")]
    >>> once = counted(pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"), labels=["A", "B"])
    >>> pair_tables(once, labels=["A", "B"], raters=["ann", "bob"]).rows()
    [(0, 1, 0, 1, 1)]
    """
    raters = distinct_raters(ratings)
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    return Counted(ratings, tuple(labels), tuple(raters), patterns)


def rating_patterns(ratings: Any, *, labels: Sequence[str], raters: Sequence[str]) -> pl.DataFrame:
    """Each distinct row of (rater -> label) with the number of items that show it.

    `ratings` has text columns item, rater, label, one row per (item, rater), and may have n_items. The result
    has columns `rater_0` .. `rater_{r-1}` (Int32 label code, -1 = not rated) and `n_items` (Int64), sorted by
    the rater columns. Raters and labels that nobody used keep their place.

    Raises StatsError for a null, an undeclared label or rater, the same (item, rater) twice, and an n_items that is
    below 1 or not the same in all rows of an item.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "bob", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> rating_patterns(ratings, labels=["A", "B"], raters=["ann", "bob"]).rows()
    [(-1, 0, 1), (0, 1, 1)]
    """
    codes, n_items = _patterns_by_key(checked(ratings, labels, raters), labels, raters)
    return _table({f"rater_{g}": codes[:, g] for g in range(len(raters))}, n_items)


def count_patterns(ratings: Any, *, labels: Sequence[str], system: str | None = None) -> pl.DataFrame:
    """Each distinct row of (label -> number of raters who gave it) with the number of items that show it.

    Columns `label_0` .. `label_{k-1}` (Int32), with `system` also `system` (Int32 code of that rater's label,
    -1 = not rated; the named rater is then not among the counts), and `n_items` (Int64); sorted by all but
    the last. An item that only the system labelled is a row of zeros. Raises StatsError as `rating_patterns`
    does, and for a `system` that gave no rating.

    >>> rows = [("1", "ann", "A"), ("1", "sys", "B"), ("2", "ann", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> count_patterns(ratings, labels=["A", "B"]).rows()
    [(1, 0, 1), (1, 1, 1)]
    >>> count_patterns(ratings, labels=["A", "B"], system="sys").rows()
    [(1, 0, -1, 1), (1, 0, 1, 1)]
    """
    raters = distinct_raters(ratings)
    if system is not None and system not in raters:
        raise StatsError(f"The system {system!r} gave none of these ratings. Name one of: {some(raters)}.")
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    if system is None:
        counts, row_of = counts_of(patterns)
        n_items = np.bincount(row_of, weights=patterns.n_items, minlength=len(counts)).astype(np.int64)
        return _table({f"label_{j}": counts[:, j] for j in range(len(labels))}, n_items)
    code = raters.index(system)
    counts, row_of = counts_of(patterns, without=code)
    answer = np.full(len(patterns.n_items), -1)
    given = patterns.rater == code
    answer[patterns.pattern[given]] = patterns.label[given]
    columns = {f"label_{j}": counts[row_of, j] for j in range(len(labels))}
    return _table({**columns, "system": answer}, patterns.n_items)


def pair_tables(ratings: Any, *, labels: Sequence[str], raters: Sequence[str]) -> pl.DataFrame:
    """For each two raters the label-by-label contingency table of the items that both rated.

    Only non-zero cells. Columns `rater_a`, `rater_b`, `label_a`, `label_b` (Int32 codes, rater_a < rater_b)
    and `n_items` (Int64), sorted. Raises StatsError as `rating_patterns` does.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "bob", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> pair_tables(ratings, labels=["A", "B"], raters=["ann", "bob"]).rows()
    [(0, 1, 0, 1, 1)]
    """
    return pairs_of(long_patterns(ratings, labels=labels, raters=raters))


def long_patterns(ratings: Any, *, labels: Sequence[str], raters: Sequence[str]) -> Patterns:
    """The rating patterns in sparse form: what the coefficients work on, for five raters as for thousands.

    Where a row of labels fits one integer key (20 raters over 5 labels, 33 over 2), the keys are summed and
    counted inside the engine. With more raters patterns hardly repeat and a dense matrix would be mostly
    empty, so the codes of the ratings are fetched instead and grouped by item. Of ratings that were counted they
    are there. Raises StatsError as `rating_patterns` does, and where those were counted by other names.
    """
    if isinstance(ratings, Counted):
        return _counted_by(ratings, labels, raters)
    frame = checked(ratings, labels, raters)
    if len(digit_words(len(labels) + 1, len(raters))) == 1:
        return patterns_of(*_patterns_by_key(frame, labels, raters), len(labels))
    return _patterns_by_list(frame, labels, raters)


def item_lists(frame: nw.LazyFrame[Any], labels: Sequence[str], raters: Sequence[str]) -> pl.LazyFrame:
    """item, codes (sorted: rater code x number of labels + label code of each rating) and n_items, a row per item.

    `frame` is checked. Raises StatsError for a null and an undeclared name.
    """
    k, items = len(labels), items_of(frame)
    code = _mapped("rater", raters, range(0, k * len(raters), k)) + _mapped("label", labels, range(k))
    coded: pl.DataFrame = (
        frame.select(nw.col("item", *items), code.alias("codes")).collect(backend="polars").to_native()
    )
    if coded.select("item", "codes").null_count().row(0) != (0, 0):
        raise explained(frame, labels, raters)
    n_items = pl.col("n_items").first() if items else pl.lit(1, pl.Int64).alias("n_items")
    # a group keeps the order of its rows; sorting them all at once is faster than each list
    return coded.lazy().sort("codes").group_by("item").agg("codes", n_items)


def patterns_of_lists(
    lists: pl.LazyFrame, frame: nw.LazyFrame[Any], labels: Sequence[str], raters: Sequence[str]
) -> Patterns:
    """The patterns with these codes, as `item_lists` has them, and n_items. Raises StatsError for a rating twice."""
    found, k = lists.sort("codes").collect(), len(labels)
    pattern = np.repeat(np.arange(found.height), found["codes"].list.len().to_numpy())
    rater, label = np.divmod(found["codes"].explode().to_numpy().astype(np.int64), k)
    if ((np.diff(pattern) == 0) & (np.diff(rater) == 0)).any():
        raise explained(frame, labels, raters)
    return Patterns(found["n_items"].to_numpy().astype(np.int64), pattern, rater, label, len(raters), k)


def distinct_raters(ratings: Any) -> list[str]:
    """The raters who gave a rating, sorted."""
    if isinstance(ratings, Counted):
        return list(ratings.raters)
    found = frame_of(ratings).select(nw.col("rater").cast(nw.String)).unique().collect(backend="polars").to_native()
    return sorted(found["rater"].drop_nulls().to_list())


def add_tables(*tables: pl.DataFrame) -> pl.DataFrame:
    """The table of all items from tables of disjoint sets of items (same labels, same raters).

    For the results of rating_patterns, count_patterns and pair_tables. Raises StatsError where columns
    differ.

    >>> one = pl.DataFrame({"label_0": [1], "label_1": [0], "n_items": [2]})
    >>> add_tables(one, one).rows()
    [(1, 0, 4)]
    """
    columns = tables[0].columns
    for table in tables:
        if table.columns != columns:
            raise StatsError(
                f"Tables to add must have equal columns, found {table.columns} beside {columns}. "
                "Count each part with the same labels and raters."
            )
    codes = [name for name in columns if name != "n_items"]
    return pl.concat(tables).group_by(codes).agg(pl.col("n_items").sum()).sort(codes)


def _counted_by(ratings: Counted, labels: Sequence[str], raters: Sequence[str]) -> Patterns:
    for what, counted_by, asked in (("labels", ratings.labels, labels), ("raters", ratings.raters, raters)):
        if counted_by != tuple(asked):
            raise StatsError(
                f"Ratings were counted by the {what} {some(counted_by)}, and {some(asked)} are asked for. "
                "Count them by these."
            )
    return ratings.patterns


def _patterns_by_key(
    frame: nw.LazyFrame[Any], labels: Sequence[str], raters: Sequence[str]
) -> tuple[IntArray, IntArray]:
    """(P, r) label codes and (P,) items: add label digit x base^rater per item, then count the sums.

    The digit of a rating is its label code + 1. The same (item, rater) twice shows as a sum that has fewer
    digits than the item has ratings, or whose digits add up to less than those of the ratings (a carry). An
    undeclared name adds nothing (its product is null), so that there are fewer digits than ratings, too.
    """
    base = len(labels) + 1
    words = digit_words(base, len(raters))
    shift = _shift(base, len(raters)) if len(words) == 1 else 0
    keys = [f"key_{number}" for number in range(len(words))]
    powers = [[base ** (g - word.start) + shift if g in word else 0 for g in range(len(raters))] for word in words]
    digit = _mapped("label", labels, range(1, base))
    sums, items = keys if shift else ["digit", *keys], items_of(frame)
    by_item = (
        frame.with_columns(digit.alias("digit"))
        .select(
            nw.col("item", "digit", *items),
            *(
                (nw.col("digit") * _mapped("rater", raters, power)).alias(key)
                for key, power in zip(keys, powers, strict=True)
            ),
        )
        .group_by("item")
        .agg(nw.len().alias("given"), nw.col(*sums).sum(), *(nw.col(name).max() for name in items))
    )
    columns = ["given", *sums]
    counted = (
        by_item.select(nw.col("item").is_null().cast(nw.Int64), nw.col(*columns, *items).cast(nw.Int64))
        .group_by("item", *columns)
        .agg(nw.col("n_items").sum() if items else nw.len().alias("n_items"))
    )
    try:
        found = counted.collect(backend="polars").to_native().fill_null(0).sort(keys)
    except Exception as error:  # engines that look for it find that the sums of a rating given too often overflow
        raise explained(frame, labels, raters) from error
    if shift:
        total, key = (part.alias(name) for part, name in zip(_apart(keys[0], shift), ("digit", keys[0]), strict=True))
        found = found.with_columns(total, key).sort(keys)
    digits = digits_of(found.select(keys).to_numpy(), base, words)
    no_null, given, total = found.select(pl.col("item") == 0, "given", "digit")
    right = no_null & (given == (digits > 0).sum(axis=1)) & (total == digits.sum(axis=1))
    if not right.all():
        raise explained(frame, labels, raters)
    return digits - 1, found["n_items"].to_numpy().astype(np.int64)


def _shift(base: int, n_raters: int) -> int:
    """A power of two by which the sum of digits stands above the key in one number, 0 if both do not fit.

    A key of n_raters ratings or fewer stays below it. One of more may not, but then there are more ratings than
    digits, which is an error whatever the sum of digits is.
    """
    shift = 1 << (n_raters * base**n_raters).bit_length()
    return shift if shift * n_raters * base < 2**62 else 0


def _apart(column: str, shift: int) -> tuple[pl.Expr, pl.Expr]:
    """The sum of digits and the key of such a number."""
    return pl.col(column) // shift, pl.col(column) % shift


def _patterns_by_list(frame: nw.LazyFrame[Any], labels: Sequence[str], raters: Sequence[str]) -> Patterns:
    """Equal lists of (rater, label) codes, counted: for more raters than one key holds."""
    lists = item_lists(frame, labels, raters)
    return patterns_of_lists(lists.group_by("codes").agg(pl.col("n_items").sum()), frame, labels, raters)


def _mapped(column: str, names: Sequence[str], values: Sequence[int]) -> nw.Expr:
    """The value of each name, null for another. A chain of comparisons streams, a lookup does not: few names chain."""
    if len(names) <= CHAIN:
        mapped = nw.lit(None, nw.Int64)
        for name, value in zip(names, values, strict=True):
            mapped = nw.when(nw.col(column) == name).then(nw.lit(value, nw.Int64)).otherwise(mapped)
        return mapped
    return nw.col(column).replace_strict(list(names), list(values), default=None, return_dtype=nw.Int64)


def _table(codes: dict[str, IntArray], n_items: IntArray) -> pl.DataFrame:
    """Sorted integer frame of the codes; equal rows are added."""
    table = pl.DataFrame(codes, schema=dict.fromkeys(codes, pl.Int32))
    return add_tables(table.with_columns(n_items=pl.Series(n_items, dtype=pl.Int64)))
