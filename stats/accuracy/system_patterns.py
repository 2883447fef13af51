"""Count the patterns of the human raters and one system, for every system with one group-by over the ratings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import IntArray
from stats.counts import distinct_raters, long_patterns
from stats.distinct_keys import distinct_keys
from stats.patterns import MAX_KEY, counts_of, digit_words
from stats.patterns import RatingPatterns as RaterPatterns
from stats.unnamed import name_nobody

SYSTEMS = 6  # counted at once


@dataclass(frozen=True)
class SystemTable:
    """P distinct items, by the labels of the human raters and the systems.

    - humans: who gave which label, without the systems.
    - C (Q, k): distinct counts of the human raters, sorted.
    - row (P,): which of these counts a pattern has.
    - answers: each system's label codes (P,), -1 where it gave none.
    - has_names: false where the human raters are votes without names, so that nothing may rest on who gave which label.
    """

    humans: RaterPatterns
    C: IntArray
    row: IntArray
    answers: dict[str, IntArray]
    ordered: bool
    has_names: bool = True


def tables(
    ratings: pl.DataFrame, *, systems: Sequence[str], labels: Sequence[str], ordered: bool = False
) -> dict[str, SystemTable]:
    """Return the table of each system. Raises StatsError as `stats.counts.rating_patterns`.

    One group-by counts as many systems as fit the integer key of an item beside the human raters, at most SYSTEMS.
    With more systems patterns hardly repeat.
    """
    raters = distinct_raters(ratings)
    fitting = len(digit_words(len(labels) + 1, 64)[0]) - (len(raters) - len(systems))
    step = min(SYSTEMS, fitting) if fitting > 0 else len(systems)
    system_tables: dict[str, SystemTable] = {}
    for start in range(0, len(systems), step):
        some = systems[start : start + step]
        others = [system for system in systems if system not in some]
        part = ratings.filter(~pl.col("rater").is_in(others)) if others else ratings
        table = _tabulate(part, [name for name in raters if name not in others], some, labels, ordered)
        system_tables |= dict.fromkeys(some, table)
    return system_tables


def one_table(
    ratings: pl.DataFrame,
    *,
    systems: Sequence[str],
    others: Sequence[str],
    labels: Sequence[str],
    ordered: bool = False,
) -> SystemTable:
    """Return one table of all these systems, to compare them. The raters in `others` are left out."""
    raters = [name for name in distinct_raters(ratings) if name not in set(others)]
    part = ratings.filter(~pl.col("rater").is_in(list(others))) if others else ratings
    return _tabulate(part, raters, systems, labels, ordered)


def _tabulate(
    ratings: pl.DataFrame, raters: list[str], systems: Sequence[str], labels: Sequence[str], ordered: bool
) -> SystemTable:
    everyone = long_patterns(ratings, labels=labels, raters=raters)
    table = split(everyone, {system: raters.index(system) for system in systems}, ordered)
    return replace(table, has_names=not name_nobody(raters))


def split(everyone: RaterPatterns, systems: dict[str, int], ordered: bool) -> SystemTable:
    """Return the table with the raters of these codes as systems and all others as human raters."""
    humans = _without(everyone, list(systems.values()))
    C, row = counts_of(humans)
    order = np.lexsort(C.T[::-1])
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    answers = {system: _answers(everyone, code) for system, code in systems.items()}
    return SystemTable(humans, C[order], position[row], answers, ordered)


def patterns_of(table: SystemTable, system: str) -> SystemPatterns:
    """Return the counts with one system's answer, sorted, without items that neither it nor a human rater labelled.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "bob", "A"), ("1", "bot", "A")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> patterns = patterns_of(tables(frame, systems=["bot"], labels=["A", "B"])["bot"], "bot")
    >>> patterns.C.tolist(), patterns.system.tolist(), patterns.n_items.tolist()
    ([[1, 0], [1, 1]], [-1, 0], [1, 1])
    """
    k, n_items = table.C.shape[1], table.humans.n_items
    key, _, pattern = distinct_keys(table.row * (k + 1) + table.answers[system] + 1)
    C, answer = table.C[key // (k + 1)], key % (k + 1) - 1
    items = np.bincount(pattern, weights=n_items, minlength=len(key)).astype(np.int64)
    has_labels = (answer >= 0) | (C.sum(axis=1) > 0)
    return SystemPatterns(C[has_labels], answer[has_labels], items[has_labels], table.ordered)


def patterns_by_rater(table: SystemTable, system: str) -> SystemPatterns:
    """Return finer patterns: one for each way in which the raters, by name, and the system labelled an item.

    If a row of labels fits an integer key (20 raters over 5 labels), equal patterns become one. With more raters they
    hardly repeat and stay separate. Of votes without names nobody knows whose they are, so the patterns have no raters.
    """
    return located(table, table.answers[system])[0]


def is_canonical(table: SystemTable) -> bool:
    """Check whether a row of labels fits an integer key.

    Then a system's patterns by rater are the same, in the same order, whichever other systems the table has.
    """
    return bool((table.C.shape[1] + 1) ** (table.humans.n_raters + 1) <= MAX_KEY)


def located(table: SystemTable, answer: IntArray) -> tuple[SystemPatterns, IntArray]:
    """Return the patterns by rater for a system with these answers (P,), and the pattern of each row of the table (P,).

    The pattern is -1 for rows that are in none.
    """
    humans, k = table.humans, table.C.shape[1]
    first, place = np.arange(len(humans.n_items)), np.arange(len(humans.n_items))
    if is_canonical(table):
        power = float(k + 1) ** np.arange(humans.n_raters)
        weight = (humans.label + 1) * power[humans.rater]
        key = np.bincount(humans.pattern, weights=weight, minlength=len(first)).astype(np.int64)
        key = key * (k + 1) + answer + 1
        _, first, place = distinct_keys(key)
    items = np.bincount(place, weights=humans.n_items, minlength=len(first)).astype(np.int64)
    C, answered = table.C[table.row[first]], answer[first]
    has_labels = (answered >= 0) | (C.sum(axis=1) > 0)
    raters = _chosen(humans, first[has_labels], items[has_labels]) if table.has_names else None
    number = np.where(has_labels, np.cumsum(has_labels) - 1, -1)
    return SystemPatterns(C[has_labels], answered[has_labels], items[has_labels], table.ordered, raters), number[place]


def _chosen(patterns: RaterPatterns, chosen: IntArray, n_items: IntArray) -> RaterPatterns:
    """Return some of the patterns, in this order."""
    number = np.full(len(patterns.n_items), -1)
    number[chosen] = np.arange(len(chosen))
    pattern = number[patterns.pattern]
    entries = np.argsort(pattern, kind="stable")[np.count_nonzero(pattern < 0) :]
    return replace(
        patterns,
        n_items=n_items,
        pattern=pattern[entries],
        rater=patterns.rater[entries],
        label=patterns.label[entries],
    )


def _without(patterns: RaterPatterns, raters: Sequence[int]) -> RaterPatterns:
    """Return the patterns without some raters' labels. The codes of the others move up."""
    left = np.setdiff1d(np.arange(patterns.n_raters), raters)
    code = np.full(patterns.n_raters, -1)
    code[left] = np.arange(len(left))
    kept = code[patterns.rater] >= 0
    return replace(
        patterns,
        pattern=patterns.pattern[kept],
        rater=code[patterns.rater[kept]],
        label=patterns.label[kept],
        n_raters=len(left),
    )


def _answers(patterns: RaterPatterns, rater: int) -> IntArray:
    of_rater = patterns.rater == rater
    answer = np.full(len(patterns.n_items), -1)
    answer[patterns.pattern[of_rater]] = patterns.label[of_rater]
    return answer
