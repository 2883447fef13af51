"""Coin models: a rater is right with one probability on every label, and errors follow a shared kernel.

The models `one_coin`, `ordinal` (errors fall with the distance between labels), `difficulty` (two levels of items,
each with its own coins) and `rater_coins` (one coin per rater) all use these functions. Hidden classes are numbered
label by label within a level: z = level * k + label. T and Phi are the tables of `stats.accuracy.fitting.evidence`.
The last of their column blocks belongs to the system.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.fitting.information import Tangent
from stats.accuracy.models.error_kernel import distances, log_kernel, moments, tilt
from stats.arrays import FloatArray

HALF = 0.5  # right and wrong pseudo-ratings of a coin (Jeffreys' prior); base rates get HALF / N each


def prior(used: NDArray[np.bool_], levels: int) -> FloatArray:
    """Return pseudo-counts (B, levels k, 1 + 2k) for pooled raters and the system.

    The base rate of each used label gets .5/N. Each coin gets half a right and half a wrong rating, spread evenly over
    used classes and labels.
    """
    B, k = used.shape
    row = used[:, :, None]
    cell = half_ratings(used)
    level_counts = np.concatenate([np.broadcast_to(HALF / k / levels * row, (B, k, 1)), cell, cell], axis=2)
    return np.concatenate([level_counts] * levels, axis=1)


def half_ratings(used: NDArray[np.bool_]) -> FloatArray:
    """Return half a right and half a wrong rating, spread over used labels, as counts (B, k, k)."""
    k, u = used.shape[1], used.sum(axis=1)[:, None, None]
    cell = np.where(np.eye(k, dtype=bool), HALF / u, HALF / (u * (k - 1)))
    return np.asarray(cell * used[:, :, None])


def m_step(T: FloatArray, *, levels: int, distance: bool) -> FloatArray:
    """Return the log probabilities (B, Z, F) that maximise sum T * Phi."""
    B, Z, F = T.shape
    k = Z // levels
    E = T.reshape(B, levels, k, F)
    blocks = E[..., 1:].reshape(B, levels, k, -1, k).transpose(0, 1, 3, 2, 4)  # (B, level, block, right, given)
    kernel = log_kernel(tilt(blocks.sum(axis=(1, 2))), k) if distance else np.full((1, k, k), -np.log(k - 1))
    p = coins(blocks)
    wrong = np.log1p(-p)[..., None, None] + kernel[:, None, None]
    chances = np.where(np.eye(k, dtype=bool), np.log(p)[..., None, None], wrong)
    n = E[..., 0]
    share = np.log(n.sum(axis=2) / n.sum(axis=(1, 2))[:, None])
    Phi = np.empty((B, levels, k, F))
    Phi[..., 0] = share[:, :, None] + log_rates(n.sum(axis=1))[:, None]
    Phi[..., 1:] = chances.transpose(0, 1, 3, 2, 4).reshape(B, levels, k, -1)
    return Phi.reshape(B, Z, F)


def coins(blocks: FloatArray) -> FloatArray:
    """Return the probability of being right (B, levels, blocks), from counts (B, levels, blocks, k, k).

    With two blocks the raters are pooled, and their probability is held at 1/N or above. Raters below chance would be
    the mirror image of a solution with exchanged labels. A single rater may be below chance.
    """
    k = blocks.shape[-1]
    p: FloatArray = np.trace(blocks, axis1=3, axis2=4) / blocks.sum(axis=(3, 4))
    if p.shape[2] == 2:
        p[:, :, 0] = np.maximum(p[:, :, 0], 1 / k)
    return p


def log_rates(n: FloatArray) -> FloatArray:
    """Return the logarithm of the base rates (B, k) from counts; -10,000 for a label with no count."""
    pi = n / n.sum(axis=1, keepdims=True)
    return np.asarray(np.log(pi, out=np.full_like(pi, -1e4), where=pi > 0))


def split_parameters(theta: FloatArray, k: int, n_coins: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the logits of the base rates (k,), of the second level's share (1,), of the coins, and what follows."""
    coins_end = k + 1 + n_coins
    return theta[:k], theta[k : k + 1], theta[k + 1 : coins_end], theta[coins_end:]


@dataclass(frozen=True)
class _FittedCoins:
    """Fitted probabilities of one weighting: base rates pi (k,), level shares, coins p (levels, blocks), kernel.

    `centred_distances` (k, k) are those of an error. Each K is the information about a parameter if the hidden classes
    were observed.
    """

    pi: FloatArray
    share: FloatArray
    p: FloatArray
    centred_distances: FloatArray
    K_pi: float
    K_share: float
    K_p: FloatArray
    K_distance: float


def tangent(Phi: FloatArray, counts: FloatArray, *, levels: int, distance: bool) -> Tangent:
    """Return the tangent space of a coin model at the fitted log probabilities Phi.

    The parameters theta are one flat vector: logits of the base rates (k), logit of the second level's share, logit of
    each coin, and log AD. Phi (Z, F) and counts (Z, F), expected counts plus prior, belong to one weighting.

    A parameter that the model lacks has zero information and moves nothing. This holds for the second level, the
    kernel, and a raters' coin held at 1/N.
    """
    Z, F = Phi.shape
    k = Z // levels
    f = _fitted(Phi.reshape(levels, k, F), counts.reshape(levels, k, F), distance)
    eye, n_coins = np.eye(k), f.p.size
    tilted = np.array([-f.share[-1], f.share[0]][:levels]) * (levels - 1)

    def jacobian(v: FloatArray) -> FloatArray:
        rates, level, coin, t = split_parameters(v, k, n_coins)
        out = np.empty((levels, k, F))
        out[..., 0] = rates - f.pi @ rates + (tilted * level)[:, None]
        moved = (coin.reshape(f.p.shape) * (f.K_p > 0))[:, None, :, None] * (eye[:, None] - f.p[:, None, :, None])
        out[..., 1:] = (moved + (t * f.centred_distances)[:, None]).reshape(levels, k, -1)
        return out.reshape(Z, F)

    def jacobian_transposed(U: FloatArray) -> FloatArray:
        U = U.reshape(levels, k, F)
        blocks = U[..., 1:].reshape(levels, k, -1, k)
        own, total = np.einsum("hzbz->hb", blocks), blocks.sum(axis=(1, 3))
        rates = U[..., 0].sum(axis=0)
        level, t = tilted @ U[..., 0].sum(axis=1), (blocks.sum(axis=(0, 2)) * f.centred_distances).sum()
        coin = np.where(f.K_p > 0, own - f.p * total, 0.0)
        return np.concatenate([rates - f.pi * rates.sum(), [level], coin.ravel(), [t]])

    def complete_information(v: FloatArray) -> FloatArray:
        rates, level, coin, t = split_parameters(v, k, n_coins)
        rates = f.K_pi * f.pi * (rates - f.pi @ rates)
        return np.concatenate([rates, f.K_share * level, f.K_p.ravel() * coin, f.K_distance * t])

    K = np.concatenate([f.K_pi * f.pi, [f.K_share], f.K_p.ravel(), [f.K_distance]])
    return Tangent(
        jacobian,
        jacobian_transposed,
        complete_information,
        lambda r: np.divide(r, K, out=np.zeros_like(r), where=K > 0),
    )


def _fitted(Phi: FloatArray, E: FloatArray, distance: bool) -> _FittedCoins:
    levels, k, _ = Phi.shape
    chance, blocks = np.exp(Phi[..., 0]), E[..., 1:].reshape(levels, k, -1, k)
    p = np.exp(np.diagonal(Phi[:, :, 1:].reshape(levels, k, -1, k), axis1=1, axis2=3)[..., 0])
    free = np.ones_like(p, dtype=bool)
    if blocks.shape[2] == 2:
        free[:, 0] = p[:, 0] > 1 / k + 1e-9
    centred_distances, information = np.zeros((k, k)), 0.0
    if distance:
        by_label = blocks.sum(axis=(0, 2))
        (mean,), (spread,) = moments(tilt(by_label[None]), k)
        off = distances(k) >= 0
        centred_distances = np.where(off, mean[:, None] - distances(k), 0.0)
        information = float((np.where(off, by_label, 0.0).sum(axis=1) * spread).sum())
    n, share = float(E[..., 0].sum()), chance.sum(axis=1)
    return _FittedCoins(
        pi=chance.sum(axis=0),
        share=share,
        p=p,
        centred_distances=centred_distances,
        K_pi=n,
        K_share=n * float(share[0] * share[-1]) * (levels - 1),
        K_p=np.where(free, blocks.sum(axis=(1, 3)) * p * (1 - p), 0.0),
        K_distance=information,
    )
