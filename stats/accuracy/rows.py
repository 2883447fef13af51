"""Models in which a rater has a chance for each label given each right label: rows of k free chances.

The family of `pooled_free` (one matrix for all raters, one for the system) and `dawid_skene` (one for each rater).
Source: A. P. Dawid & A. M. Skene (1979), Appl. Stat. 28, 20-28.
"""

import numpy as np

from stats.accuracy import one_coin
from stats.accuracy.coins import HALF, log_rates
from stats.accuracy.data import Data
from stats.accuracy.estimator import FloatArray
from stats.accuracy.likelihood import solve

STRENGTH = 2.0  # pseudo-ratings of each row


def prior(data: Data, raters: int) -> FloatArray:
    """(B, k, 1 + (raters + 1) k) pseudo-counts: .5/N for the base rate of each used label, and two ratings for each
    row of a matrix, in the proportions that the one-coin model finds in the same data.

    Without them the row of a rare label is whatever its few items say, and its class drifts to a mixture of others.
    """
    k, row = data.k, data.used[:, :, None]
    chances = STRENGTH * np.exp(solve(one_coin.MODEL, data).Phi) * row
    rater, system = chances[:, :, 1 : 1 + k], chances[:, :, 1 + k :]
    return np.concatenate([HALF / k * row, np.tile(rater, raters), system], axis=2)


def m_step(T: FloatArray) -> FloatArray:
    """Log chances (B, k, F) that maximise sum T * Phi: each row of each block is scaled to sum to 1."""
    B, k, F = T.shape
    E = T[:, :, 1:].reshape(B, k, -1, k)
    total = E.sum(axis=3, keepdims=True)
    P = np.divide(E, total, out=np.full_like(E, 1 / k), where=total > 0)
    Phi = np.empty_like(T)
    Phi[:, :, 0] = log_rates(T[:, :, 0])
    Phi[:, :, 1:] = np.log(np.maximum(P, 1e-300)).reshape(B, k, F - 1)
    return Phi
