"""GLAD: raters differ in ability and items in ease, so that raters who err together on difficult items are not taken
for independent.

J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma & J. Movellan (2009), Whose vote should count more, Advances in Neural
Information Processing Systems 22, 2035-2043. P(rater is right about item) = 1 / (1 + exp(-ability * ease)), and errors
spread evenly over the other labels. As there, log ease ~ Normal(1, 1).

Two things are other than there. The ease of an item is summed over at LEVELS values (Gauss-Hermite) in place of being
estimated: an item with three ratings says little about its own ease, and an estimate of it would be far too sure. And
two pseudo-ratings by a rater of ability 1, the mean of the prior there, hold each ability, as in
`stats.accuracy.models.rater_coins`.

So it is a latent-class model with a class for each label and level of ease, numbered z = level * k + label, and EM
works on it as on the others. The tables are those of `stats.accuracy.fitting.evidence`.
"""

from functools import partial

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from stats.accuracy.fitting.em import MAX_STEPS, maximise
from stats.accuracy.fitting.em_solution import EmSolution
from stats.accuracy.fitting.evidence import Evidence
from stats.accuracy.fitting.likelihood import MAX_MULTIPLICATIONS
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models.coins import HALF, log_rates
from stats.arrays import FloatArray

LEVELS = 7  # of ease; with 15 the labels of the five public sets are the same but for one in a thousand
STRENGTH = 2.0  # pseudo-ratings of each ability
_NODES, _WEIGHTS = hermegauss(LEVELS)
EASE = np.exp(1 + _NODES)
SHARE = _WEIGHTS / _WEIGHTS.sum()  # of the items at each level of ease
_NEWTON_STEPS, _CLOSE = 50, 1e-9


def solve(data: ModelData) -> EmSolution:
    """Return the fit: abilities and base rates at their largest posterior, with Z = LEVELS k classes."""
    view = data.by_rater
    start = data.start(view, np.tile(SHARE, (len(view.C), 1)))
    affordable = int(np.clip(MAX_MULTIPLICATIONS // (len(view.C) * start.shape[1]), 100, MAX_STEPS))
    step = partial(m_step, k=data.k)
    return maximise(view.evidence, view.W, start, prior(data), step, max_steps=affordable)


def posterior(evidence: Evidence, solution: EmSolution, k: int) -> FloatArray:
    """Return the probabilities (rows, k) of each label, whatever the ease, under the first weighting."""
    G = evidence.responsibilities(solution.Phi[:1])[0][0]
    return np.asarray(G.reshape(len(G), LEVELS, k).sum(axis=1))


def prior(data: ModelData) -> FloatArray:
    """Return pseudo-counts (B, Z, F): HALF an item for the base rates, and STRENGTH ratings of ability 1 a rater."""
    k, used = data.k, data.used
    B = len(used)
    row = used[:, None, :, None]
    items = np.broadcast_to(HALF / k / LEVELS * row, (B, LEVELS, k, 1))
    chances = np.exp(_chances(np.ones((B, 1)), k)[:, :, 0])
    ratings = STRENGTH * SHARE[:, None, None] * chances * row / used.sum(axis=1)[:, None, None, None]
    return np.concatenate([items, np.tile(ratings, data.n_raters + 1)], axis=3).reshape(B, LEVELS * k, -1)


def m_step(T: FloatArray, *, k: int) -> FloatArray:
    """Return the log probabilities (B, Z, F) that maximise sum T * Phi."""
    B, Z, F = T.shape
    E = T.reshape(B, LEVELS, k, F)
    blocks = E[..., 1:].reshape(B, LEVELS, k, -1, k)  # (B, level, right, rater, given)
    ability = abilities(np.einsum("bhzrz->bhr", blocks), blocks.sum(axis=(2, 4)))
    Phi = np.empty((B, LEVELS, k, F))
    Phi[..., 0] = np.log(SHARE)[:, None] + log_rates(E[..., 0].sum(axis=1))[:, None]
    Phi[..., 1:] = _chances(ability, k).transpose(0, 1, 3, 2, 4).reshape(B, LEVELS, k, -1)
    return Phi.reshape(B, Z, F)


def abilities(right: FloatArray, total: FloatArray) -> FloatArray:
    """Return the most likely ability of each rater (B, r), from right and all ratings (B, LEVELS, r) by level of ease.

    Newton's method; the likelihood of one ability has one maximum. It is below 0 for a rater who is more often wrong
    than right.

    >>> ease = EASE[:, None]
    >>> abilities((100 / (1 + np.exp(-1.5 * ease)))[None], np.full((1, LEVELS, 1), 100.0)).round(6)
    array([[1.5]])
    """
    ability, ease = np.ones((right.shape[0], right.shape[2])), EASE[:, None]
    for _ in range(_NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(ability[:, None] * ease, -500, 500)))
        slope = ((right - total * chance) * ease).sum(axis=1)
        bend = (total * chance * (1 - chance) * ease**2).sum(axis=1)
        change = np.clip(slope / np.maximum(bend, 1e-12), -1, 1)
        ability = ability + change
        if np.abs(change).max() < _CLOSE:
            break
    return ability


def _chances(ability: FloatArray, k: int) -> FloatArray:
    """Return log P(given | right) (B, LEVELS, r, right, given) of raters with these abilities (B, r)."""
    x = ability[:, None] * EASE[:, None]
    right, wrong = -np.logaddexp(0, -x), -np.logaddexp(0, x) - np.log(k - 1)
    return np.where(np.eye(k, dtype=bool), right[..., None, None], wrong[..., None, None])
