"""Free-row models: a rater has a free probability for each label given each right label.

`pooled_free` has one matrix for all raters and one for the system. `dawid_skene` has one for each rater. Source: A. P.
Dawid & A. M. Skene (1979), Appl. Stat. 28, 20-28.
"""

import numpy as np

from stats.accuracy.fitting.likelihood import solve
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import one_coin
from stats.accuracy.models.coins import HALF, log_rates
from stats.arrays import FloatArray

STRENGTH = 2.0  # pseudo-ratings of each row


def prior(data: ModelData, raters: int) -> FloatArray:
    """Return pseudo-counts (B, k, 1 + (raters + 1) k).

    The base rate of each used label gets .5/N. Each matrix row gets two ratings, in the proportions that the one-coin
    model finds in the same data. Without them the row of a rare label would follow its few items, and its class would
    drift to a mixture of other labels.
    """
    k, row = data.k, data.used[:, :, None]
    chances = STRENGTH * np.exp(solve(one_coin.MODEL, data).Phi) * row
    rater, system = chances[:, :, 1 : 1 + k], chances[:, :, 1 + k :]
    return np.concatenate([HALF / k * row, np.tile(rater, raters), system], axis=2)


def m_step(T: FloatArray) -> FloatArray:
    """Return the log probabilities (B, k, F) that maximise sum T * Phi. Each row of each block is scaled to sum to 1.

    Labels without a count get a log probability near -infinity instead of an error.
    """
    B, k, F = T.shape
    E = T[:, :, 1:].reshape(B, k, -1, k)
    total = E.sum(axis=3, keepdims=True)
    P = np.divide(E, total, out=np.full_like(E, 1 / k), where=total > 0)
    Phi = np.empty_like(T)
    Phi[:, :, 0] = log_rates(T[:, :, 0])
    Phi[:, :, 1:] = np.log(np.maximum(P, 1e-300)).reshape(B, k, F - 1)
    return Phi
