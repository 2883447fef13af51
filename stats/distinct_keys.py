"""Number the distinct whole numbers of an array, without a sort where a table of all possible ones is small."""

from typing import NamedTuple

import numpy as np

from stats.arrays import IntArray

MAX_PLACES_PER_KEY, MAX_PLACES = 8, 20_000_000  # of the table: with more, a sort is as fast, or takes less memory


class DistinctKeys(NamedTuple):
    """The distinct keys (D,), ascending; where each comes first (D,); and the place of each key among them (N,)."""

    values: IntArray
    first: IntArray
    place: IntArray


def distinct_keys(keys: IntArray) -> DistinctKeys:
    """Return the distinct keys of (N,) keys: as `np.unique` does, with its index and its inverse.

    >>> distinct_keys(np.array([7, 2, 7, 5]))
    DistinctKeys(values=array([2, 5, 7]), first=array([1, 3, 0]), place=array([2, 0, 2, 1]))
    """
    n_places = int(keys.max()) + 1 if len(keys) else 0
    if n_places > min(MAX_PLACES_PER_KEY * len(keys), MAX_PLACES) or (len(keys) and keys.min() < 0):
        return DistinctKeys(*np.unique(keys, return_index=True, return_inverse=True))
    first = np.full(n_places, -1)
    first[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)  # of equal places the last write counts
    values = np.flatnonzero(first >= 0)
    number = np.empty(n_places, np.int64)
    number[values] = np.arange(len(values))
    return DistinctKeys(values, first[values], number[keys])
