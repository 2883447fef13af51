"""Count the ratings of two sides: one or several raters on one side, the other raters on the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from stats.agreement.count_tables import CountTables
from stats.arrays import FloatArray, IntArray
from stats.patterns import NO_CODES, RatingPatterns, counts_of

MAX_CELLS = 2_000_000  # cells of tables by rater that are worked on at once


@dataclass(frozen=True)
class GroupTables:
    """The items that a system and at least one other rater rated, as P patterns in Q count rows.

    - tables: C (Q, k) counts the others only. Rows also differ by the system's label, so that resampling an item
      resamples both. Its two "raters" are the system and the group (one if there are too few others).
    - answer (Q,): the system's label in an item of each count row.
    - pattern, rater, label (E,): the ratings by the others, sorted by pattern. Every pattern has one. Rater codes are
      0..n_raters-1.
    """

    tables: CountTables
    answer: IntArray
    pattern: IntArray
    rater: IntArray
    label: IntArray
    n_raters: int

    @property
    def pattern_answer(self) -> IntArray:
        """Return the system's label in an item of each pattern (P,)."""
        answer: IntArray = self.answer[self.tables.row_of]
        return answer

    @property
    def n_ratings(self) -> int:
        """Count the ratings of these items, including the system's."""
        items = self.tables.pattern_items[0]
        return int(items.sum() + items[self.pattern].sum())

    def left_out_entries(self, pattern: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """List the others' ratings of each pattern[i]: the position i of each rating, its entry, and where the ratings
        of each i begin (len(pattern),)."""
        first, last = np.searchsorted(self.pattern, pattern), np.searchsorted(self.pattern, pattern, side="right")
        n = last - first
        begin = np.cumsum(n) - n
        position = np.repeat(np.arange(len(pattern)), n)
        return position, np.arange(len(position)) + np.repeat(first - begin, n), begin


def groups_of(patterns: RatingPatterns, systems: Sequence[int]) -> Iterator[GroupTables]:
    """Yield the GroupTables of each system (a rater code). The cost depends only on the items that it shares."""
    of_rater = np.argsort(patterns.rater, kind="stable")
    first = np.searchsorted(patterns.rater[of_rater], np.arange(patterns.n_raters + 1))
    ratings_of = np.bincount(patterns.pattern, minlength=len(patterns.n_items))
    begin = np.cumsum(ratings_of) - ratings_of
    for system in systems:
        own = of_rater[first[system] : first[system + 1]]
        own = own[ratings_of[patterns.pattern[own]] >= 2]
        shared = patterns.pattern[own]
        yield _group(patterns, system, own, begin[shared], ratings_of[shared])


def _group(patterns: RatingPatterns, system: int, own: IntArray, begin: IntArray, n: IntArray) -> GroupTables:
    """Count one system. own (P,): its entries; begin, n (P,): start and number of each pattern's entries."""
    pattern = np.repeat(np.arange(len(own)), n)
    entry = np.arange(len(pattern)) + np.repeat(begin - (np.cumsum(n) - n), n)
    inside = patterns.rater[entry] == system
    n_items = patterns.n_items[patterns.pattern[own]]
    short = RatingPatterns(n_items, pattern, patterns.rater[entry], patterns.label[entry], 0, patterns.n_labels)
    C_system, C, row_of = sides_of(short, inside)
    of_others = entry[~inside]
    others, rater = np.unique(patterns.rater[of_others], return_inverse=True)
    return GroupTables(
        tables=tables_of_rows(C, row_of, n_items),
        answer=C_system.argmax(axis=1),
        pattern=pattern[~inside],
        rater=rater,
        label=patterns.label[of_others],
        n_raters=len(others),
    )


def sides_of(patterns: RatingPatterns, inside: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray, IntArray]:
    """Count the ratings of each label by the raters `inside` (E,) and by the others (Q, k); (P,) each pattern's row."""
    k = patterns.n_labels
    by_side = replace(patterns, label=np.where(inside, patterns.label, patterns.label + k), n_labels=2 * k)
    counts, row_of = counts_of(by_side)
    return counts[:, :k], counts[:, k:], row_of


def tables_of_rows(C: IntArray, row_of: IntArray, n_items: IntArray) -> CountTables:
    """Make the tables of count rows C (Q, k) and of patterns (P,) without entries, from their row and items."""
    items = np.bincount(row_of, weights=n_items, minlength=len(C)).astype(float)
    of_patterns = n_items.astype(float)
    return CountTables(
        C.astype(float), items[None, :], row_of, of_patterns[None, :], NO_CODES, NO_CODES, NO_CODES, n_raters=2
    )


def whole_sets(tables: CountTables, cells: int) -> Iterator[CountTables]:
    """Yield the sets before items were left out, in blocks that fit in memory with `cells` numbers per set."""
    whole = replace(tables, left_out=None)
    step = max(MAX_CELLS // max(cells, 1), 1)
    for start in range(0, len(whole.pattern_items), step):
        block = slice(start, start + step)
        yield replace(whole, items=whole.items[block], pattern_items=whole.pattern_items[block])


def share_of(C: npt.NDArray[np.number]) -> FloatArray:
    """Return the (Q, k) share of each label in the ratings of an item of each row."""
    share: FloatArray = C / np.maximum(C.sum(axis=1, keepdims=True), 1)
    return share
