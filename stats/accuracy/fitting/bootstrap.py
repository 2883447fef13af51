"""Bootstrap over items, by multinomial weights.

Drawing n items with replacement is the same as drawing multinomial weights for their patterns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray
from stats.defaults import REPLICATES

MAX_PATTERNS = 2000
_SUBSETS = 4
_ROWS = 100  # replicates drawn at once

Replicate = Callable[[IntArray, IntArray, FloatArray], FloatArray]


def deviations(patterns: SystemPatterns, replicate: Replicate, *, seed: int) -> FloatArray:
    """Return bootstrap estimates (1000,) minus the estimate they scatter around; NaN where a replicate is undefined.

    With more than 2,000 patterns (many raters or labels) this is the bag of little bootstraps: 4 random subsets of
    2,000 items, each resampled to the full number of items. The cost then stays the same however many items there are.
    Source: Kleiner, Talwalkar, Sarkar & Jordan (2014), J. R. Stat. Soc. B 76, 795-816.
    """
    drawn = _drawn(patterns.n_items.astype(np.int64).tobytes(), seed)
    return np.concatenate([_around(patterns, replicate, draws) for draws in drawn])


@dataclass(frozen=True)
class _Draws:
    """Replicates of all items: weights (100, s) of the s seen patterns, in blocks, and the share (s,) of each."""

    seen: NDArray[np.bool_]
    share: FloatArray
    blocks: tuple[IntArray, ...]


@lru_cache(maxsize=1)  # several estimators take the replicates of the same patterns, one after the other
def _drawn(counts: bytes, seed: int) -> tuple[_Draws, ...]:
    """Draw the replicates for patterns with these numbers of items, as 64-bit integers."""
    n_items = np.frombuffer(counts, np.int64)
    rng, total = np.random.default_rng(seed), int(n_items.sum())
    subsets, n = [n_items], REPLICATES
    if len(n_items) > MAX_PATTERNS:
        n = REPLICATES // _SUBSETS
        subsets = list(rng.multivariate_hypergeometric(n_items, MAX_PATTERNS, size=_SUBSETS, method="marginals"))
    return tuple(_draw(subset, total, n, rng) for subset in subsets)


def _draw(n_items: IntArray, total: int, n: int, rng: np.random.Generator) -> _Draws:
    seen = n_items > 0
    share = n_items[seen] / n_items.sum()
    blocks = (rng.multinomial(total, share, size=min(_ROWS, n - start)) for start in range(0, n, _ROWS))
    return _Draws(seen, share, tuple(block.astype(np.int32 if total < 2**31 else np.int64) for block in blocks))


def _around(patterns: SystemPatterns, replicate: Replicate, draws: _Draws) -> FloatArray:
    """Return the replicates' estimates minus the estimate that they scatter around."""
    C, system = patterns.C[draws.seen], patterns.system[draws.seen]
    centre = replicate(C, system, draws.share[None, :])
    return np.concatenate([replicate(C, system, block.astype(np.float64)) for block in draws.blocks]) - centre
