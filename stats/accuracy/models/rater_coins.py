"""The rater-coins model: as `one_coin`, but each rater has their own coin.

Errors are spread evenly, or by distance as in `ordinal` on an ordered scale. With two levels, items differ in
difficulty as in `difficulty`. Two pseudo-ratings draw each rater's coin to the coin of the pooled raters under the
same model, so that a rater with few items does not count as perfect. A single rater may be worse than chance. The
model is used by `average` only.
"""

from functools import partial

import numpy as np

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import Model, always, solve
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import coins, difficulty, one_coin, ordinal
from stats.arrays import FloatArray

STRENGTH = 2.0  # pseudo-ratings of each coin


def prior(data: ModelData, like: Model) -> FloatArray:
    """Return pseudo-counts (B, Z, 1 + (r + 1) k).

    Base rates and the system's coins are as in `coins.prior`. The raters' coins come from the pooled model `like`.
    """
    k, Phi = data.k, solve(like, data).Phi
    pooled = coins.prior(data.used, Phi.shape[1] // k)
    row = (pooled[:, :, :1] > 0) / data.n_classes[:, None, None]
    rater = STRENGTH * np.exp(Phi[:, :, 1 : 1 + k]) * row
    return np.concatenate([pooled[:, :, :1], np.tile(rater, data.n_raters), pooled[:, :, -k:]], axis=2)


def _model(name: str, like: Model, *, levels: int, distance: bool) -> Model:
    def start(data: ModelData) -> FloatArray:
        return data.start(data.by_rater, difficulty.levels(data.by_rater.C) if levels == 2 else None)

    def n_parameters(data: ModelData) -> FloatArray:
        return data.n_classes - 1 + levels * (data.n_raters + 1) + (levels - 1) + distance

    return Model(
        name=name,
        view=lambda data: data.by_rater,
        start=start,
        prior=lambda data: prior(data, like),
        m_step=partial(coins.m_step, levels=levels, distance=distance),
        n_parameters=n_parameters,
        tangent=partial(coins.tangent, levels=levels, distance=distance),
        why_not=always if levels == 1 else difficulty.why_not,
    )


EVEN = _model("rater coins", one_coin.MODEL, levels=1, distance=False)
ORDERED = _model("ordered rater coins", ordinal.MODEL, levels=1, distance=True)
DIFFICULTY = _model("rater coins, difficulty", difficulty.EVEN, levels=2, distance=False)
ORDERED_DIFFICULTY = _model("ordered rater coins, difficulty", difficulty.ORDERED, levels=2, distance=True)


def model_for(patterns: SystemPatterns) -> Model:
    """Return the model with one level. The patterns must know the raters."""
    return ORDERED if patterns.ordered and patterns.n_labels > 2 else EVEN


def difficulty_for(patterns: SystemPatterns) -> Model:
    """Return the model with two levels."""
    return ORDERED_DIFFICULTY if patterns.ordered else DIFFICULTY
