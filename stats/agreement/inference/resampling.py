"""Resample the items, as numbers of items per pattern: leave one out, or draw bootstrap samples."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from stats.agreement.count_tables import CountTables
from stats.arrays import FloatArray

MAX_CELLS = 2_000_000  # numbers that a block of sets holds at once in each table (16 MB)

Estimate = Callable[[CountTables], FloatArray]


def leave_one_out(estimate: Estimate, tables: CountTables, width: int) -> FloatArray:
    """Compute the estimate of each set without one item of each pattern: (B, P), NaN if the set has no such item.

    All items of a pattern have the same value, so that each pattern is computed once. `width` is how many numbers the
    estimate holds for each set.
    """
    values = np.full(tables.pattern_items.shape, np.nan)
    base, pattern = np.nonzero(tables.pattern_items >= 1)
    step = max(MAX_CELLS // width, 1)
    for start in range(0, len(base), step):
        block = base[start : start + step], pattern[start : start + step]
        values[block] = estimate(replace(tables, left_out=block))
    return values


def bootstrap(estimate: Estimate, tables: CountTables, replicates: int, seed: int) -> FloatArray:
    """Compute the estimate from items drawn with replacement from each set: (B, replicates)."""
    return np.array([
        np.concatenate([estimate(drawn) for drawn in _drawn(tables, position, replicates, seed)])
        for position in range(len(tables.items))
    ])  # fmt: skip


def _drawn(tables: CountTables, position: int, replicates: int, seed: int) -> Iterator[CountTables]:
    """Yield the replicates of one set, as blocks of tables.

    Count rows are drawn first. A second generator draws the patterns within them. So one seed draws the same items for
    every coefficient, with and without rater identity, and coefficients can be compared.
    """
    rows, patterns = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    items, pattern_items = tables.items[position], tables.pattern_items[position]
    order = np.argsort(tables.row_of, kind="stable")
    members = np.split(order, np.searchsorted(tables.row_of[order], np.arange(1, len(items))))
    step = max(MAX_CELLS // len(pattern_items), 1)
    for start in range(0, replicates, step):
        size = min(step, replicates - start)
        new = rows.multinomial(int(items.sum()), items / items.sum(), size).astype(float)
        if len(items) == len(pattern_items):
            yield replace(tables, items=new, pattern_items=new[:, tables.row_of])
            continue
        of_patterns = np.empty((size, len(pattern_items)))
        for row, in_row in enumerate(members):
            share = pattern_items[in_row] / max(items[row], 1)
            of_patterns[:, in_row] = patterns.multinomial(new[:, row].astype(np.int64), share)
        yield replace(tables, items=new, pattern_items=of_patterns)
