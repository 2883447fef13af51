"""The same ratings again, a little changed: one item left out, or items drawn anew, as numbers of items per pattern."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from stats.agreement.tables import Tables
from stats.intervals import FloatArray

CELLS = 2_000_000  # numbers that a block of sets holds at once, per table (16 MB)

Estimate = Callable[[Tables], FloatArray]


def leave_one_out(estimate: Estimate, tables: Tables, width: int) -> FloatArray:
    """(B, P) the estimate of each set without one item of each pattern; NaN where the set has no such item.

    All items of a pattern give the same value, so that each pattern is computed once. `width`: numbers that
    the estimate holds for each set.
    """
    values = np.full(tables.pattern_items.shape, np.nan)
    base, pattern = np.nonzero(tables.pattern_items >= 1)
    step = max(CELLS // width, 1)
    for start in range(0, len(base), step):
        some = base[start : start + step], pattern[start : start + step]
        values[some] = estimate(replace(tables, left_out=some))
    return values


def bootstrap(estimate: Estimate, tables: Tables, replicates: int, seed: int) -> FloatArray:
    """(B, replicates) the estimate of items drawn with replacement from each set."""
    return np.array([
        np.concatenate([estimate(drawn) for drawn in _drawn(tables, position, replicates, seed)])
        for position in range(len(tables.items))
    ])  # fmt: skip


def _drawn(tables: Tables, position: int, replicates: int, seed: int) -> Iterator[Tables]:
    """The replicates of one set, as blocks of tables.

    Count rows are drawn first and patterns within them by a generator of their own: one seed draws the same
    items for every coefficient, whether it knows the raters or not, so that coefficients can be compared.
    """
    rows, patterns = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    items, pattern_items = tables.items[position], tables.pattern_items[position]
    order = np.argsort(tables.row_of, kind="stable")
    members = np.split(order, np.searchsorted(tables.row_of[order], np.arange(1, len(items))))
    step = max(CELLS // len(pattern_items), 1)
    for start in range(0, replicates, step):
        size = min(step, replicates - start)
        new = rows.multinomial(int(items.sum()), items / items.sum(), size).astype(float)
        if len(items) == len(pattern_items):
            yield replace(tables, items=new, pattern_items=new[:, tables.row_of])
            continue
        of_patterns = np.empty((size, len(pattern_items)))
        for row, some in enumerate(members):
            share = pattern_items[some] / max(items[row], 1)
            of_patterns[:, some] = patterns.multinomial(new[:, row].astype(np.int64), share)
        yield replace(tables, items=new, pattern_items=of_patterns)
