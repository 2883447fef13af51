"""A coin for each rater: as `one_coin`, but raters differ in accuracy. Part of `average`.

Errors are spread evenly, on an ordered scale by distance as in `ordinal`; with two levels, items differ in difficulty
as in `difficulty`. A rater's coin is drawn to the one that pooled raters have under the same model by two
pseudo-ratings, so that a rater of a few items does not count as perfect. One rater may be worse than chance.
"""

from functools import partial

import numpy as np

from stats.accuracy import coins, difficulty, one_coin, ordinal
from stats.accuracy.data import Data
from stats.accuracy.estimator import FloatArray, Patterns
from stats.accuracy.likelihood import Model, always, solve

STRENGTH = 2.0  # pseudo-ratings of each coin


def prior(data: Data, like: Model) -> FloatArray:
    """(B, Z, 1 + (r + 1) k) pseudo-counts: base rates and the system's coins as in `coins.prior`, raters' coins from
    the pooled model `like`."""
    k, Phi = data.k, solve(like, data).Phi
    pooled = coins.prior(data.used, Phi.shape[1] // k)
    row = (pooled[:, :, :1] > 0) / data.n_classes[:, None, None]
    rater = STRENGTH * np.exp(Phi[:, :, 1 : 1 + k]) * row
    return np.concatenate([pooled[:, :, :1], np.tile(rater, data.n_raters), pooled[:, :, -k:]], axis=2)


def _model(name: str, like: Model, *, levels: int, distance: bool) -> Model:
    def start(data: Data) -> FloatArray:
        return data.start(data.by_rater, difficulty.levels(data.by_rater.C) if levels == 2 else None)

    def n_parameters(data: Data) -> FloatArray:
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
        gain=like.gain,
    )


EVEN = _model("rater coins", one_coin.MODEL, levels=1, distance=False)
ORDERED = _model("ordered rater coins", ordinal.MODEL, levels=1, distance=True)
DIFFICULTY = _model("rater coins, difficulty", difficulty.EVEN, levels=2, distance=False)
ORDERED_DIFFICULTY = _model("ordered rater coins, difficulty", difficulty.ORDERED, levels=2, distance=True)


def model_for(patterns: Patterns) -> Model:
    """With one level, for patterns that know the raters."""
    return ORDERED if patterns.ordered and patterns.n_labels > 2 else EVEN


def difficulty_for(patterns: Patterns) -> Model:
    """With two levels."""
    return ORDERED_DIFFICULTY if patterns.ordered else DIFFICULTY
