"""Bootstrap over items, by multinomial weights.

Drawing n items with replacement is the same as drawing multinomial weights for their patterns.
"""

from collections.abc import Callable

import numpy as np

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray

REPLICATES = 1000
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
    rng = np.random.default_rng(seed)
    if len(patterns.n_items) <= MAX_PATTERNS:
        return _around(patterns, replicate, REPLICATES, patterns.n_items, rng)
    draws = rng.multivariate_hypergeometric(patterns.n_items, MAX_PATTERNS, size=_SUBSETS, method="marginals")
    return np.concatenate([_around(patterns, replicate, REPLICATES // _SUBSETS, draw, rng) for draw in draws])


def _around(
    patterns: SystemPatterns, replicate: Replicate, n: int, n_items: IntArray, rng: np.random.Generator
) -> FloatArray:
    """Return n replicates of all items, drawn from `n_items`, minus the estimate from `n_items`."""
    seen = n_items > 0
    C, system, share = patterns.C[seen], patterns.system[seen], n_items[seen] / n_items.sum()
    total = int(patterns.n_items.sum())
    centre = replicate(C, system, share[None, :])
    blocks = [rng.multinomial(total, share, size=min(_ROWS, n - start)) for start in range(0, n, _ROWS)]
    return np.concatenate([replicate(C, system, block.astype(np.float64)) for block in blocks]) - centre
