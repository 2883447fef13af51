"""A rater, or several, on one side and the other raters on the other side: the ratings of each side as counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from stats.agreement.tables import Tables
from stats.intervals import FloatArray
from stats.patterns import IntArray, Patterns, counts_of

CELLS = 2_000_000  # cells of tables by rater that are worked on at once


@dataclass(frozen=True)
class Group:
    """The items that a system and at least one other rater rated, as P patterns in Q count rows.

    tables: C (Q, k) counts the others only, and an item's own system label tells rows apart too, so that
    leaving out items or drawing them anew goes by the pair; its two "raters" are the system and the group (one
    if the design has too few others). answer (Q,): the system's label in an item of each row. pattern, rater,
    label (E,): the ratings by the others, sorted by pattern, each of which has at least one; their codes are
    0..n_raters-1.
    """

    tables: Tables
    answer: IntArray
    pattern: IntArray
    rater: IntArray
    label: IntArray
    n_raters: int

    @property
    def pattern_answer(self) -> IntArray:
        """(P,) the system's label in an item of each pattern."""
        answer: IntArray = self.answer[self.tables.row_of]
        return answer

    @property
    def n_ratings(self) -> int:
        """Ratings of these items, the system's own among them."""
        items = self.tables.pattern_items[0]
        return int(items.sum() + items[self.pattern].sum())

    def left_out_entries(self, pattern: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """The others' ratings of pattern[i], all i: the position i and the entry of each; and (len(pattern),) where
        the entries of each i begin."""
        first, last = np.searchsorted(self.pattern, pattern), np.searchsorted(self.pattern, pattern, side="right")
        n = last - first
        begin = np.cumsum(n) - n
        position = np.repeat(np.arange(len(pattern)), n)
        return position, np.arange(len(position)) + np.repeat(first - begin, n), begin


def groups_of(patterns: Patterns, systems: Sequence[int]) -> Iterator[Group]:
    """For each system (a rater code) the items that it shares with others; cost by the ratings of these items only."""
    of_rater = np.argsort(patterns.rater, kind="stable")
    first = np.searchsorted(patterns.rater[of_rater], np.arange(patterns.n_raters + 1))
    ratings_of = np.bincount(patterns.pattern, minlength=len(patterns.n_items))
    begin = np.cumsum(ratings_of) - ratings_of
    for system in systems:
        own = of_rater[first[system] : first[system + 1]]
        own = own[ratings_of[patterns.pattern[own]] >= 2]
        some = patterns.pattern[own]
        yield _group(patterns, system, own, begin[some], ratings_of[some])


def _group(patterns: Patterns, system: int, own: IntArray, begin: IntArray, n: IntArray) -> Group:
    """own (P,): the system's entries; begin, n (P,): where the entries of their patterns start, and how many."""
    pattern = np.repeat(np.arange(len(own)), n)
    entry = np.arange(len(pattern)) + np.repeat(begin - (np.cumsum(n) - n), n)
    inside = patterns.rater[entry] == system
    n_items = patterns.n_items[patterns.pattern[own]]
    short = Patterns(n_items, pattern, patterns.rater[entry], patterns.label[entry], 0, patterns.n_labels)
    C_system, C, row_of = sides_of(short, inside)
    of_others = entry[~inside]
    others, rater = np.unique(patterns.rater[of_others], return_inverse=True)
    return Group(
        tables=tables_of_rows(C, row_of, n_items),
        answer=C_system.argmax(axis=1),
        pattern=pattern[~inside],
        rater=rater,
        label=patterns.label[of_others],
        n_raters=len(others),
    )


def sides_of(patterns: Patterns, inside: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray, IntArray]:
    """(Q, k) ratings of each label by the raters `inside` (E,), and by the others; (P,) the row of each pattern."""
    k = patterns.n_labels
    both = replace(patterns, label=np.where(inside, patterns.label, patterns.label + k), n_labels=2 * k)
    counts, row_of = counts_of(both)
    return counts[:, :k], counts[:, k:], row_of


def tables_of_rows(C: IntArray, row_of: IntArray, n_items: IntArray) -> Tables:
    """Tables of count rows C (Q, k) and of patterns with their row and items (P,), without entries."""
    none = np.empty(0, np.int64)
    items = np.bincount(row_of, weights=n_items, minlength=len(C)).astype(float)
    of_patterns = n_items.astype(float)
    return Tables(C.astype(float), items[None, :], row_of, of_patterns[None, :], none, none, none, n_raters=2)


def whole_sets(tables: Tables, cells: int) -> Iterator[Tables]:
    """The sets that items were left out of, or else all, as blocks of few enough for `cells` numbers per set."""
    whole = replace(tables, left_out=None)
    step = max(CELLS // max(cells, 1), 1)
    for start in range(0, len(whole.pattern_items), step):
        some = slice(start, start + step)
        yield replace(whole, items=whole.items[some], pattern_items=whole.pattern_items[some])


def share_of(C: npt.NDArray[np.number]) -> FloatArray:
    """(Q, k) share of each label in the ratings of an item of each row."""
    share: FloatArray = C / np.maximum(C.sum(axis=1, keepdims=True), 1)
    return share
