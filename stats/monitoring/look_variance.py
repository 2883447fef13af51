"""Estimate how uncertain the mean of a look is: the correlation of a day's items, and the swings from week to week.

The variance of a look with n items is s2 I ((1 - rho) / n + rho). s2 is the variance of the reference's item scores.
Each look uses only looks before it, so that a chart up to a day equals the full chart up to that day. Gaps between the
days are ignored. The rules and their constants were chosen by simulation, not derived.
"""

import numpy as np

from stats.arrays import FloatArray

PRIOR_LOOKS = 10  # the expected correlation weighs as much as so many looks
MAX_CORRELATION = 0.5
BLOCK = 5  # looks in a row that are compared as one
PRIOR_BLOCKS = 6
MAX_BLOCK_TERM = 9.0  # so that one real change does not widen the limits for ever


def look_variances(
    n_items: FloatArray, variances: FloatArray, rho: FloatArray, inflation: FloatArray | float
) -> FloatArray:
    """Return s2 I ((1 - rho) / n + rho). The arguments are broadcast."""
    return np.asarray(variances * inflation * ((1 - rho) / n_items + rho))


def day_correlations(means: FloatArray, n_items: FloatArray, variances: FloatArray, prior: FloatArray) -> FloatArray:
    """Return rho at each look (B, T), in 0..0.5: the correlation of the items of one day.

    It compares the squared differences of neighbouring looks with what independent items would show. `prior` (B,) is
    the expected value, which weighs as much as 10 looks.

    means, n_items (B, T); variances (B,).
    """
    h = 1 / n_items[:, 1:] + 1 / n_items[:, :-1]
    w = (1 + 5 * h) ** -2
    above = _sums_before(w * (np.diff(means) ** 2 / variances[:, None] - h))
    below = _sums_before(w * (2 - h))
    rho = (2 * PRIOR_LOOKS * prior[:, None] + above) / (2 * PRIOR_LOOKS + below)
    return np.asarray(np.clip(rho, 0, MAX_CORRELATION))


def block_inflation(means: FloatArray, n_items: FloatArray, variances: FloatArray, rho: FloatArray) -> FloatArray:
    """Return I at each look (B, T), 1 or more: how much further blocks of five looks differ than their looks explain.

    It is above 1 where looks in a row are alike, such as the days of one week. Only blocks that were complete before
    the look count. rho (B, T): of each look's own day.
    """
    B, T = means.shape
    n_blocks = T // BLOCK
    inside = np.s_[:, : n_blocks * BLOCK]
    weights = 1 / look_variances(n_items, variances[:, None], rho, 1.0)[inside].reshape(B, n_blocks, BLOCK)
    weight = weights.sum(axis=2)
    mean = (weights * means[inside].reshape(B, n_blocks, BLOCK)).sum(axis=2) / weight
    q = np.minimum(MAX_BLOCK_TERM, np.diff(mean) ** 2 / (1 / weight[:, 1:] + 1 / weight[:, :-1]))
    by_pairs = np.ones((B, max(n_blocks, 1)))  # column p: with p pairs of blocks
    by_pairs[:, 1:] = (PRIOR_BLOCKS + np.cumsum(q, axis=1)) / (PRIOR_BLOCKS + 1 + np.arange(q.shape[1]))
    pairs_before = np.maximum(np.arange(T) // BLOCK - 1, 0)
    return np.maximum(1.0, by_pairs[:, pairs_before])


def _sums_before(terms: FloatArray) -> FloatArray:
    """Return (B, T) the sums of the (B, T - 1) terms of neighbours that both lie before each look."""
    sums = np.zeros((terms.shape[0], terms.shape[1] + 1))
    np.cumsum(terms[:, :-1], axis=1, out=sums[:, 2:])
    return sums
