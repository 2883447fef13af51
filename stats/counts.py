"""Reduce ratings to the small integer tables from which every coefficient and estimator is computed.

This is the only module that touches one row per rating. It takes any frame that narwhals can read (polars, pandas,
Arrow, DuckDB relation, PySpark), asks that engine (for pandas and Arrow: polars) for one group-by over the ratings, and
returns sorted integer polars frames. Codes are positions: label code 0 is `labels[0]`, rater code 0 is `raters[0]`, and
-1 means "not rated". Tables of disjoint sets of items add up (`add_tables`).

One row may stand for several items that were rated alike. The integer column `n_items` then says for how many. All
rows of an item have the same number. Without the column it is 1. The tables are the same as if each item had rows of
its own.

To call several functions on the same ratings, count them once with `count_ratings`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.arrays import IntArray
from stats.errors import StatsError
from stats.frames import LazyRatings, collect, expressions_for
from stats.patterns import RatingPatterns, counts_of, digit_words, digits_of, pairs_of, patterns_of
from stats.ratings import check_ratings, list_names, n_items_column, polars_frame, ratings_error, ratings_frame

__all__ = [
    "CountedRatings",
    "add_tables",
    "count_patterns",
    "count_ratings",
    "distinct_raters",
    "pair_tables",
    "rating_patterns",
]
MAX_LIST_KEY = 2**62  # a list of codes as one number stays below this
MAX_CHAINED_NAMES = 16  # up to here comparing with each name is cheaper than a lookup


@dataclass(frozen=True)
class CountedRatings:
    """Ratings together with their patterns, as `count_ratings` returns them.

    `agreement`, `by_label`, `pairwise`, `rater_quality` and `rating_queue` accept it as `ratings` and return the same
    figures. They must use the same labels.
    """

    ratings: pl.DataFrame
    labels: tuple[str, ...]
    raters: tuple[str, ...]
    patterns: RatingPatterns


def count_ratings(ratings: Any, *, labels: Sequence[str]) -> CountedRatings:
    """Count the ratings once, for several statistics. Raises StatsError as `rating_patterns`.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "bob", "A")]
    >>> counted = count_ratings(pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"), labels=["A", "B"])
    >>> pair_tables(counted, labels=["A", "B"], raters=["ann", "bob"]).rows()
    [(0, 1, 0, 1, 1)]
    """
    ratings = polars_frame(ratings)
    raters = distinct_raters(ratings)
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    return CountedRatings(ratings, tuple(labels), tuple(raters), patterns)


def rating_patterns(ratings: Any, *, labels: Sequence[str], raters: Sequence[str]) -> pl.DataFrame:
    """Count the items that show each distinct pattern (rater -> label).

    `ratings` has the text columns item, rater and label, one row per (item, rater), and optionally n_items. The result
    has the columns `rater_0` .. `rater_{r-1}` (Int32 label code, -1 = not rated) and `n_items` (Int64). It is sorted
    by the rater columns. Unused raters keep their column and unused labels their code.

    Raises StatsError for a null, an undeclared label or rater, the same (item, rater) twice, and an n_items that is
    below 1 or differs between the rows of an item.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "bob", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> rating_patterns(ratings, labels=["A", "B"], raters=["ann", "bob"]).rows()
    [(-1, 0, 1), (0, 1, 1)]
    """
    frame = check_ratings(ratings, labels, raters)
    if not raters:
        raise StatsError("At least one rater must be named, found none. List the raters in their order.")
    codes, n_items = _patterns_by_key(frame, labels, raters)
    return _table({f"rater_{g}": codes[:, g] for g in range(len(raters))}, n_items)


def count_patterns(ratings: Any, *, labels: Sequence[str], system: str | None = None) -> pl.DataFrame:
    """Count the items that show each distinct row of (label -> number of raters who gave it).

    The columns are `label_0` .. `label_{k-1}` (Int32) and `n_items` (Int64). With a `system` there is also the column
    `system` (Int32 code of the system's label, -1 = not rated), and the counts leave the system out. An item that
    only the system labelled is then a row of zeros. The result is sorted by all columns but n_items.

    Raises StatsError as `rating_patterns` does, and for a `system` without ratings.

    >>> rows = [("1", "ann", "A"), ("1", "sys", "B"), ("2", "ann", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> count_patterns(ratings, labels=["A", "B"]).rows()
    [(1, 0, 1), (1, 1, 1)]
    >>> count_patterns(ratings, labels=["A", "B"], system="sys").rows()
    [(1, 0, -1, 1), (1, 0, 1, 1)]
    """
    raters = distinct_raters(ratings)
    if system is not None and system not in raters:
        raise StatsError(f"The system {system!r} gave none of these ratings. Name one of: {list_names(raters)}.")
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    if system is None:
        counts, row_of = counts_of(patterns)
        n_items = np.bincount(row_of, weights=patterns.n_items, minlength=len(counts)).astype(np.int64)
        return _table({f"label_{j}": counts[:, j] for j in range(len(labels))}, n_items)
    code = raters.index(system)
    counts, row_of = counts_of(patterns, without=code)
    answer = np.full(len(patterns.n_items), -1)
    by_system = patterns.rater == code
    answer[patterns.pattern[by_system]] = patterns.label[by_system]
    columns = {f"label_{j}": counts[row_of, j] for j in range(len(labels))}
    return _table({**columns, "system": answer}, patterns.n_items)


def pair_tables(ratings: Any, *, labels: Sequence[str], raters: Sequence[str]) -> pl.DataFrame:
    """Count the items that each two raters both rated, by the labels of the two.

    Only non-zero cells have a row. The columns are `rater_a`, `rater_b`, `label_a`, `label_b` (Int32 codes,
    rater_a < rater_b) and `n_items` (Int64). The result is sorted. Raises StatsError as `rating_patterns` does.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "bob", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> pair_tables(ratings, labels=["A", "B"], raters=["ann", "bob"]).rows()
    [(0, 1, 0, 1, 1)]
    """
    return pairs_of(long_patterns(ratings, labels=labels, raters=raters))


def long_patterns(ratings: Any, *, labels: Sequence[str], raters: Sequence[str]) -> RatingPatterns:
    """Count the rating patterns and return them in sparse form, for five raters as for thousands.

    Where the labels of an item fit one integer key (20 raters over 5 labels, 33 over 2), the engine sums and counts
    the keys. With more raters patterns hardly repeat and a dense matrix would be mostly empty. The codes of the
    ratings are then fetched and grouped by item. CountedRatings already have their patterns.

    Raises StatsError as `rating_patterns` does, and for CountedRatings with other labels or raters.
    """
    if isinstance(ratings, CountedRatings):
        return _stored_patterns(ratings, labels, raters)
    frame = check_ratings(ratings, labels, raters)
    if len(digit_words(len(labels) + 1, len(raters))) == 1:
        return patterns_of(*_patterns_by_key(frame, labels, raters), len(labels))
    return _patterns_by_list(frame, labels, raters)


def item_lists(frame: LazyRatings, labels: Sequence[str], raters: Sequence[str]) -> pl.LazyFrame:
    """Collect the ratings of each item: one row per item with item, codes and n_items.

    codes is the sorted list of (rater code x number of labels + label code), one for each rating of the item. `frame`
    comes from `check_ratings`. Raises StatsError for a null and an undeclared name.
    """
    # a group keeps the order of its rows; sorting them all at once is faster than each list
    return _by_item(_coded(frame, labels, raters).lazy().sort("codes"))


def _coded(frame: LazyRatings, labels: Sequence[str], raters: Sequence[str]) -> pl.DataFrame:
    """Return item, codes and, where there is one, n_items of each rating. Raises StatsError for null and undeclared."""
    k, items = len(labels), n_items_column(frame)
    ex = expressions_for(frame)
    code = _mapped(ex, "rater", raters, range(0, k * len(raters), k)) + _mapped(ex, "label", labels, range(k))
    coded = collect(frame.select(ex.col("item", *items), code.alias("codes")))
    if coded.select("item", "codes").null_count().row(0) != (0, 0):
        raise ratings_error(frame, labels, raters)
    return coded


def _by_item(coded: pl.LazyFrame) -> pl.LazyFrame:
    """Collect the codes of each item, in the order of the rows."""
    has_number = "n_items" in coded.collect_schema().names()
    n_items = pl.col("n_items").first() if has_number else pl.lit(1, pl.Int64).alias("n_items")
    return coded.group_by("item").agg("codes", n_items)


def patterns_of_lists(
    lists: pl.LazyFrame, frame: LazyRatings, labels: Sequence[str], raters: Sequence[str]
) -> RatingPatterns:
    """Turn lists of codes, as `item_lists` returns them, into patterns.

    `lists` has the columns codes and n_items. Raises StatsError if a rater rated an item twice.
    """
    rows = lists.sort("codes").collect()
    pattern = np.repeat(np.arange(rows.height), rows["codes"].list.len().to_numpy())
    codes = rows["codes"].explode().to_numpy().astype(np.int64)
    return _sparse_patterns(rows["n_items"].to_numpy(), pattern, codes, frame, labels, raters)


def _sparse_patterns(
    n_items: IntArray,
    pattern: IntArray,
    codes: IntArray,
    frame: LazyRatings,
    labels: Sequence[str],
    raters: Sequence[str],
) -> RatingPatterns:
    """Return patterns from the sorted codes of each. Raises StatsError if a rater rated an item twice."""
    rater, label = np.divmod(codes, len(labels))
    if ((np.diff(pattern) == 0) & (np.diff(rater) == 0)).any():
        raise ratings_error(frame, labels, raters)
    return RatingPatterns(n_items.astype(np.int64), pattern, rater, label, len(raters), len(labels))


def distinct_raters(ratings: Any) -> list[str]:
    """List the raters who gave a rating, sorted. Raises StatsError as `stats.ratings.ratings_frame` does."""
    if isinstance(ratings, CountedRatings):
        return list(ratings.raters)
    raters = collect(ratings_frame(ratings).select("rater").unique())
    return sorted(raters["rater"].drop_nulls().to_list())


def add_tables(*tables: pl.DataFrame) -> pl.DataFrame:
    """Add tables of disjoint sets of items that were counted with the same labels and raters.

    The tables are results of rating_patterns, count_patterns or pair_tables. Raises StatsError if their columns
    differ.

    >>> table = pl.DataFrame({"label_0": [1], "label_1": [0], "n_items": [2]})
    >>> add_tables(table, table).rows()
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


def _stored_patterns(ratings: CountedRatings, labels: Sequence[str], raters: Sequence[str]) -> RatingPatterns:
    """Return the patterns of ratings that were counted with these labels and raters. Raises StatsError for others."""
    for what, stored, names in (("labels", ratings.labels, labels), ("raters", ratings.raters, raters)):
        if stored != tuple(names):
            raise StatsError(
                f"The ratings were counted with the {what} {list_names(stored)}, found {list_names(names)}. "
                "Count them again with these."
            )
    return ratings.patterns


def _patterns_by_key(frame: LazyRatings, labels: Sequence[str], raters: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return (P, r) label codes and (P,) items: add label digit x base^rater per item, then count the sums.

    The digit of a rating is its label code + 1. If a rater rated an item twice, the sum has fewer digits than the item
    has ratings, or its digits add up to less than those of the ratings (a carry). An undeclared name adds nothing (its
    product is null), so that there are fewer digits than ratings, too.
    """
    base = len(labels) + 1
    words = digit_words(base, len(raters))
    shift = _shift(base, len(raters)) if len(words) == 1 else 0
    keys = [f"key_{number}" for number in range(len(words))]
    powers = [[base ** (g - word.start) + shift if g in word else 0 for g in range(len(raters))] for word in words]
    ex = expressions_for(frame)
    digit = _mapped(ex, "label", labels, range(1, base))
    sums, items = keys if shift else ["digit", *keys], n_items_column(frame)
    # Polars groups by two keys in three quarters of the time that it takes for a single text.
    is_text = frame.collect_schema()["item"] == ex.String
    groups = ["item", "no_item"] if is_text else ["item"]
    by_item = (
        frame.with_columns(digit.alias("digit"), ex.col("item").is_null().alias("no_item"))
        .select(
            ex.col(*groups, "digit", *items),
            *(
                (ex.col("digit") * _mapped(ex, "rater", raters, power)).alias(key)
                for key, power in zip(keys, powers, strict=True)
            ),
        )
        .group_by(*groups)
        .agg(ex.len().alias("given"), ex.col(*sums).sum(), *(ex.col(name).max() for name in items))
    )
    columns = ["given", *sums]
    counted = (
        by_item.select(ex.col("item").is_null().cast(ex.Int64), ex.col(*columns, *items).cast(ex.Int64))
        .group_by("item", *columns)
        .agg(ex.col("n_items").sum() if items else ex.len().alias("n_items"))
    )
    try:
        patterns = collect(counted).fill_null(0).sort(keys)
    except Exception as error:  # engines that look for it find that the sums of a rating given too often overflow
        raise ratings_error(frame, labels, raters) from error
    if shift:
        digit_sum, key = _split_shifted(keys[0], shift)
        patterns = patterns.with_columns(digit_sum.alias("digit"), key.alias(keys[0])).sort(keys)
    digits = digits_of(patterns.select(keys).to_numpy(), base, words)
    # in NumPy: a comparison of polars with an array loads numpy.ma, a twentieth of `agree` on a small file
    has_item, n_given, total = (column.to_numpy() for column in patterns.select(pl.col("item") == 0, "given", "digit"))
    right = has_item & (n_given == (digits > 0).sum(axis=1)) & (total == digits.sum(axis=1))
    if not right.all():
        raise ratings_error(frame, labels, raters)
    return digits - 1, patterns["n_items"].to_numpy().astype(np.int64)


def _shift(base: int, n_raters: int) -> int:
    """Return a power of two above every key: sum of digits x shift + key is one number. 0 if that does not fit.

    A key of at most n_raters ratings is below it. A key of more ratings may be above it, but then there are more
    ratings than digits, which is an error whatever the sum of digits is.
    """
    shift = 1 << (n_raters * base**n_raters).bit_length()
    return shift if shift * n_raters * base < 2**62 else 0


def _split_shifted(column: str, shift: int) -> tuple[pl.Expr, pl.Expr]:
    """Return the sum of digits and the key that `_shift` put into one number."""
    return pl.col(column) // shift, pl.col(column) % shift


def _patterns_by_list(frame: LazyRatings, labels: Sequence[str], raters: Sequence[str]) -> RatingPatterns:
    """Count equal lists of (rater, label) codes, for more raters than one key holds.

    If the longest list fits one number, with its codes as digits, the numbers are counted: that is several times
    faster, and they have the order of the lists.
    """
    lists = _by_item(_coded(frame, labels, raters).lazy()).collect()
    base, longest = len(labels) * len(raters) + 1, int(lists.select(pl.col("codes").list.len().max()).item() or 0)
    if base**longest >= MAX_LIST_KEY:
        ordered = lists.lazy().with_columns(pl.col("codes").list.sort())
        counted = ordered.group_by("codes").agg(pl.col("n_items").sum())
        return patterns_of_lists(counted, frame, labels, raters)
    keys = _list_keys(lists["codes"], base, longest)
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    n_items = np.add.reduceat(lists["n_items"].to_numpy()[order], first, dtype=np.int64) if len(first) else keys
    digits, rest = np.empty((len(first), longest), np.int64), keys[first]
    for place in reversed(range(longest)):
        rest, digits[:, place] = np.divmod(rest, base)
    pattern, places = np.nonzero(digits)
    return _sparse_patterns(n_items, pattern, digits[pattern, places] - 1, frame, labels, raters)


def _list_keys(lists: pl.Series, base: int, longest: int) -> IntArray:
    """Return (N,) one number for each list: its sorted codes + 1 as digits of `base`, from the highest place down.

    A list of fewer codes than the longest has zeros at the end.
    """
    length = lists.list.len().to_numpy()
    digits = np.full((len(length), longest), base, np.int64)  # above each digit, so that it is sorted to the end
    digits[np.arange(longest) < length[:, None]] = lists.explode().to_numpy() + 1
    digits.sort(axis=1)
    digits[digits == base] = 0
    key = np.zeros(len(length), np.int64)
    for place in range(longest):
        key = key * base + digits[:, place]
    return key


def _mapped(ex: Any, column: str, names: Sequence[str], values: Sequence[int]) -> Any:
    """Return the expression that maps each name to its value and any other name to null."""
    # a chain of comparisons streams, a lookup does not
    if len(names) <= MAX_CHAINED_NAMES:
        mapped = ex.lit(None, ex.Int64)
        for name, value in zip(names, values, strict=True):
            mapped = ex.when(ex.col(column) == name).then(ex.lit(value, ex.Int64)).otherwise(mapped)
        return mapped
    return ex.col(column).replace_strict(list(names), list(values), default=None, return_dtype=ex.Int64)


def _table(codes: dict[str, IntArray], n_items: IntArray) -> pl.DataFrame:
    """Return the codes as a sorted integer frame, in which equal rows are added."""
    table = pl.DataFrame(codes, schema=dict.fromkeys(codes, pl.Int32))
    return add_tables(table.with_columns(n_items=pl.Series(n_items, dtype=pl.Int64)))
