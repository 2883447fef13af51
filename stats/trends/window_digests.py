"""Digest what the items of each window show, so that a later run knows which windows did not change.

The digest of a window is the sum, modulo 2^64 twice, of a hash of the ratings of each of its items. So it depends on
neither the order of the items, nor how the window is divided into units, nor what other windows there are.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from stats.patterns import RatingPatterns
from stats.trends.window_sums import WindowUnits

Hashes = npt.NDArray[np.uint64]  # (n, 2): 128 bits each
_WORD = np.dtype("<u8")
_STEP, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def window_digests(
    patterns: RatingPatterns, raters: Sequence[str], labels: Sequence[str], units: WindowUnits
) -> list[bytes]:
    """Return the digest of each window: 16 bytes, equal where its items have the same ratings.

    raters and labels are the names of the codes in the patterns.

    >>> from stats.trends.window_sums import window_units
    >>> patterns = RatingPatterns(np.ones(2, int), *np.array([[0, 0, 1], [0, 1, 0], [0, 0, 1]]), 2, 2)
    >>> members, counts = np.array([[0, 1, 2, 2], [0, 1, 0, 1]]), np.array([[0, 1], [0, 0], [1, 1]])
    >>> same, too, both = window_digests(
    ...     patterns, ["ann", "bob"], ["X", "Y"], window_units(tuple(members), tuple(counts), n_windows=3, n_patterns=2)
    ... )
    >>> same == too, same == both
    (True, False)
    """
    of_rating = _mixed(_hashes(raters)[patterns.rater] * _FIRST + _hashes(labels)[patterns.label])
    of_pattern = _mixed(_sums(of_rating, patterns.pattern, len(patterns.n_items)))
    items, members = units.items.tocoo(), units.members.tocoo()
    n_items = np.rint(items.data).astype(np.uint64)[:, None]
    of_unit = _sums(of_pattern[items.col] * n_items, items.row, units.items.shape[0])
    of_window = _sums(of_unit[members.col], members.row, units.members.shape[0])
    return [row.tobytes() for row in _mixed(of_window).astype(_WORD)]


def _hashes(names: Sequence[str]) -> Hashes:
    """Hash each name."""
    digests = b"".join(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest() for name in names)
    return np.frombuffer(digests, _WORD).astype(np.uint64).reshape(-1, 2)


def _sums(values: Hashes, row: npt.NDArray[np.signedinteger[Any]], n_rows: int) -> Hashes:
    """Add up the values of each row, modulo 2^64."""
    order = np.argsort(row, kind="stable")
    first = np.flatnonzero(np.diff(row[order], prepend=-1))
    sums = np.zeros((n_rows, 2), np.uint64)
    if len(first):
        sums[row[order][first]] = np.add.reduceat(values[order], first, axis=0)
    return sums


def _mixed(hashes: Hashes) -> Hashes:
    """Spread each pair of words over all its bits, so that sums of them say nothing of what was added.

    Each word goes through the last steps of SplitMix64, with the other one added before. No two pairs get the same.
    """
    a, b = hashes[:, 0], hashes[:, 1]
    for _ in range(2):
        a = _spread(a + b * _STEP)
        b = _spread(b + a + _STEP)
    return np.column_stack([a, b])


def _spread(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    mixed: npt.NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed
