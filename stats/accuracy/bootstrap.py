"""Bootstrap over items: drawing n items with replacement is drawing multinomial weights for their patterns."""

from collections.abc import Callable

import numpy as np

from stats.accuracy.estimator import FloatArray, IntArray, Patterns

REPLICATES = 1000
MAX_PATTERNS = 2000
_SUBSETS = 4
_ROWS = 100  # replicates drawn at once

Replicate = Callable[[IntArray, IntArray, FloatArray], FloatArray]


def deviations(patterns: Patterns, replicate: Replicate, *, seed: int) -> FloatArray:
    """(1000,) bootstrap estimates minus the estimate they scatter around; NaN where a replicate is undefined.

    With more than 2,000 patterns (many raters or labels) this is the bag of little bootstraps (Kleiner,
    Talwalkar, Sarkar & Jordan 2014, J. R. Stat. Soc. B 76, 795-816): 4 random subsets of 2,000 items, each
    resampled to the full number of items, so that the cost stays the same however many items there are.
    """
    rng = np.random.default_rng(seed)
    if len(patterns.n_items) <= MAX_PATTERNS:
        return _around(patterns, replicate, REPLICATES, patterns.n_items, rng)
    draws = rng.multivariate_hypergeometric(patterns.n_items, MAX_PATTERNS, size=_SUBSETS, method="marginals")
    return np.concatenate([_around(patterns, replicate, REPLICATES // _SUBSETS, draw, rng) for draw in draws])


def _around(
    patterns: Patterns, replicate: Replicate, n: int, n_items: IntArray, rng: np.random.Generator
) -> FloatArray:
    """n replicates of all the items, drawn from `n_items`, minus the estimate from `n_items`."""
    seen = n_items > 0
    C, system, share = patterns.C[seen], patterns.system[seen], n_items[seen] / n_items.sum()
    total = int(patterns.n_items.sum())
    centre = replicate(C, system, share[None, :])
    blocks = [rng.multinomial(total, share, size=min(_ROWS, n - start)) for start in range(0, n, _ROWS)]
    return np.concatenate([replicate(C, system, block.astype(np.float64)) for block in blocks]) - centre
