"""Hold rating patterns in sparse form and derive count rows and pair tables from them.

A rating pattern is one way in which an item was rated (rater -> label). All of this is integer arithmetic. Its cost
depends on the number of distinct patterns, not on the number of ratings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from stats.arrays import BoolArray, FloatArray, IntArray
from stats.distinct_keys import distinct_keys

MAX_KEY = 2**53  # a key word stays below this: exact in int64 and in the float64 that bincount adds in
MAX_PAIRS_AT_ONCE = 4_000_000  # pairs of ratings that are listed at once
MAX_CELLS = 16_000_000  # cells (rater, label, rater, label) that are held as a dense table (128 MB)
MAX_ONE_HOT_CELLS = 4_000_000  # cells of a dense block of patterns (32 MB)
LISTING_COST = 500  # multiplications of a matrix product that take as long as listing one pair
NO_CODES = np.empty(0, np.int64)


class PairCells(NamedTuple):
    """Cells of the contingency tables of rater pairs: the codes of two raters a < b and their labels, (C,) each.

    n_items (C,) are the items with these ratings, more than 0. Cells are sorted by the codes, in this order.
    """

    rater_a: IntArray
    rater_b: IntArray
    label_a: IntArray
    label_b: IntArray
    n_items: IntArray


@dataclass(frozen=True)
class RatingPatterns:
    """P rating patterns with E ratings in all.

    n_items (P,): items that show each pattern. pattern, rater, label (E,): one entry per rating of a pattern, as
    position of the pattern, rater code and label code. Entries are sorted by pattern, then rater. Two patterns may be
    equal.
    """

    n_items: IntArray
    pattern: IntArray
    rater: IntArray
    label: IntArray
    n_raters: int
    n_labels: int


def patterns_of(codes: IntArray, n_items: IntArray, n_labels: int) -> RatingPatterns:
    """Return the sparse form of a dense (P, r) matrix of label codes, in which -1 means "not rated"."""
    pattern, rater = np.nonzero(codes >= 0)
    return RatingPatterns(n_items, pattern, rater, codes[pattern, rater], codes.shape[1], n_labels)


def counts_of(patterns: RatingPatterns, *, without: int = -1) -> tuple[IntArray, IntArray]:
    """Return (Q, k) distinct count rows, the raters who gave each label, in a fixed order; and (P,) each pattern's row.

    The rater with code `without` is not counted. A pattern without other ratings has a row of zeros.
    """
    kept = patterns.rater != without
    pattern, label = patterns.pattern[kept], patterns.label[kept]
    n_patterns = len(patterns.n_items)
    base = int(np.bincount(pattern, minlength=1).max()) + 2
    words = digit_words(base, patterns.n_labels)
    keys = np.zeros((n_patterns, len(words)), np.int64)
    first, row_of = np.zeros(0, np.intp), np.zeros(n_patterns, np.int64)
    for number, word in enumerate(words):
        power = np.zeros(patterns.n_labels)
        power[word.start : word.stop] = float(base) ** np.arange(len(word))
        keys[:, number] = np.bincount(pattern, weights=power[label], minlength=n_patterns)
        # one word after the other, as positions, so that no combined key overflows
        values, _, position = distinct_keys(keys[:, number])
        _, first, row_of = distinct_keys(row_of * len(values) + position)
    return digits_of(keys[first], base, words), row_of


def without_raters(patterns: RatingPatterns, marked: BoolArray) -> RatingPatterns:
    """Return the patterns without the ratings of the marked raters (r,). The codes of the others close the gaps."""
    if not marked.any():
        return patterns
    kept, code = ~marked[patterns.rater], np.cumsum(~marked) - 1
    return RatingPatterns(
        patterns.n_items,
        patterns.pattern[kept],
        code[patterns.rater[kept]],
        patterns.label[kept],
        int((~marked).sum()),
        patterns.n_labels,
    )


def pairs_of(patterns: RatingPatterns) -> pl.DataFrame:
    """Return the non-zero cells of each rater pair's contingency table, as `stats.counts.pair_tables` does."""
    codes = dict.fromkeys(PairCells._fields[:4], pl.Int32)
    return pl.DataFrame(pair_cells(patterns)._asdict(), schema={**codes, "n_items": pl.Int64})


def pair_cells(patterns: RatingPatterns) -> PairCells:
    """Return the non-zero cells of the contingency tables of all pairs of raters."""
    side = patterns.n_raters * patterns.n_labels
    ratings_of = np.bincount(patterns.pattern, minlength=len(patterns.n_items))
    listed = int((ratings_of * (ratings_of - 1) // 2).sum())
    multiplications = len(patterns.n_items) * side * side
    if side * side > MAX_CELLS:
        sums = [_summed(cell, n_items) for cell, n_items in _pairs_listed(patterns, ratings_of)]
        cell, n_items = (
            _summed(*(np.concatenate(arrays) for arrays in zip(*sums, strict=True))) if sums else (NO_CODES, NO_CODES)
        )
    else:
        by_product = multiplications < LISTING_COST * listed
        table = _pairs_by_product(patterns) if by_product else np.zeros(side * side)
        for cell, n_items in () if by_product else _pairs_listed(patterns, ratings_of):
            table += np.bincount(cell, weights=n_items, minlength=side * side)
        cell = np.flatnonzero(table)
        n_items = table[cell].astype(np.int64)
    return _split_cells(cell, n_items, patterns)


def entry_pairs(pattern: IntArray, ratings_of: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the positions a < b of every two ratings of one pattern, sorted by pattern, in blocks of whole patterns.

    pattern (E,): the pattern of each rating, sorted. ratings_of (P,): the number of ratings of each pattern.
    """
    last_of = np.cumsum(ratings_of)
    pairs_until = np.cumsum(ratings_of * (ratings_of - 1) // 2)
    start = 0
    while start < len(ratings_of):
        before = int(pairs_until[start - 1]) if start else 0
        stop = max(int(np.searchsorted(pairs_until, before + MAX_PAIRS_AT_ONCE, side="right")), start + 1)
        entry = np.arange(last_of[start] - ratings_of[start], last_of[stop - 1])
        # each rating meets those that follow it in its pattern, where raters are sorted
        following = last_of[pattern[entry]] - entry - 1
        a = np.repeat(entry, following)
        yield a, a + 1 + np.arange(len(a)) - np.repeat(np.cumsum(following) - following, following)
        start = stop


def digit_words(base: int, digits: int) -> list[range]:
    """Cut the positions 0..digits-1 into ranges whose digits, in this base (2 or more), fit one integer key."""
    size = 1
    while base ** (size + 1) <= MAX_KEY:
        size += 1
    return [range(start, min(start + size, digits)) for start in range(0, digits, size)]


def digits_of(keys: IntArray, base: int, words: list[range]) -> IntArray:
    """Return the (P, d) digits of (P, words) keys, least significant first."""
    digits = np.empty((len(keys), words[-1].stop), np.int64)
    for number, word in enumerate(words):
        rest = keys[:, number]
        for position in word:
            rest, digits[:, position] = np.divmod(rest, base)
    return digits


def _pairs_by_product(patterns: RatingPatterns) -> FloatArray:
    """Return the (side * side,) cells of Z' diag(n_items) Z for the one-hot matrix Z (P, side), in blocks."""
    side = patterns.n_raters * patterns.n_labels
    table = np.zeros((side, side))
    step = max(MAX_ONE_HOT_CELLS // side, 1)
    column = patterns.rater * patterns.n_labels + patterns.label
    for start in range(0, len(patterns.n_items), step):
        first, last = np.searchsorted(patterns.pattern, (start, start + step))
        Z = np.zeros((min(step, len(patterns.n_items) - start), side))
        Z[patterns.pattern[first:last] - start, column[first:last]] = 1
        table += Z.T @ (Z * patterns.n_items[start : start + step, None])
    return table.ravel()


def _pairs_listed(patterns: RatingPatterns, ratings_of: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the cell and the items of every pair of ratings of a pattern, in blocks of patterns."""
    side = patterns.n_raters * patterns.n_labels
    column = patterns.rater * patterns.n_labels + patterns.label
    for a, b in entry_pairs(patterns.pattern, ratings_of):
        yield column[a] * side + column[b], patterns.n_items[patterns.pattern[a]]


def _summed(cell: IntArray, n_items: IntArray) -> tuple[IntArray, IntArray]:
    """Add the items of equal cells."""
    sums = pl.DataFrame({"cell": cell, "n_items": n_items}).group_by("cell").agg(pl.col("n_items").sum())
    return sums["cell"].to_numpy(), sums["n_items"].to_numpy()


def _split_cells(cell: IntArray, n_items: IntArray, patterns: RatingPatterns) -> PairCells:
    """Split the cells into rater and label codes, with each pair of raters once."""
    (a, b), k = np.divmod(cell, max(patterns.n_raters * patterns.n_labels, 1)), patterns.n_labels
    listed = np.flatnonzero(a // k < b // k)
    (rater_a, label_a), (rater_b, label_b) = np.divmod(a[listed], k), np.divmod(b[listed], k)
    order = np.argsort(((rater_a * patterns.n_raters + rater_b) * k + label_a) * k + label_b)
    return PairCells(*(codes[order] for codes in (rater_a, rater_b, label_a, label_b, n_items[listed])))
