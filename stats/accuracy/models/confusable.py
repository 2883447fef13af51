"""The confusable-labels model: coins as in `one_coin`, with free shares of errors for each right label.

Raters and system each have their own probability of being right. When they err, the wrong label is drawn from shares
that depend on the right label and are the same for everyone, because a labelling task has its confusable pairs whoever
does it. The model lies between `one_coin` and `pooled_free`: it has k (k - 2) more parameters than the first, and
about half as many as the second. On an ordered scale the kernel of `ordinal` does the same with one parameter. With
two levels, items differ in difficulty as in `difficulty`. The model is used by `average` only.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.information import Tangent
from stats.accuracy.fitting.likelihood import Model, Why
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import coins, difficulty
from stats.arrays import FloatArray

STRENGTH = 2.0  # pseudo-errors on each right label, spread evenly


def why_not(patterns: SystemPatterns) -> Why:
    """Return why the model does not apply: it needs three or more labels without an order.

    With two labels there is only one possible error.
    """
    if patterns.ordered or patterns.n_labels < 3:
        return "not_applicable", "Errors that fall on some labels rather than others need three unordered labels."
    return None


def m_step(T: FloatArray, *, levels: int) -> FloatArray:
    """Return the log probabilities (B, Z, F) that maximise sum T * Phi."""
    B, Z, F = T.shape
    k = Z // levels
    E = T.reshape(B, levels, k, F)
    blocks = E[..., 1:].reshape(B, levels, k, -1, k).transpose(0, 1, 3, 2, 4)  # (B, level, block, right, given)
    p = coins.coins(blocks)[..., None, None]
    chances = np.log(np.where(np.eye(k, dtype=bool), p, (1 - p) * shares(blocks.sum(axis=(1, 2)))[:, None, None]))
    n = E[..., 0]
    Phi = np.empty((B, levels, k, F))
    Phi[..., 0] = (
        np.log(n.sum(axis=2) / n.sum(axis=(1, 2))[:, None])[:, :, None] + coins.log_rates(n.sum(axis=1))[:, None]
    )
    Phi[..., 1:] = chances.transpose(0, 1, 3, 2, 4).reshape(B, levels, k, -1)
    return Phi.reshape(B, Z, F)


def shares(counts: FloatArray) -> FloatArray:
    """Return how the errors on each right label split over the wrong labels, as shares (..., k, k).

    `counts` holds the ratings by right label and given label.

    >>> shares(np.array([[9.0, 2.0, 0.0], [1.0, 9.0, 1.0], [0.0, 0.0, 9.0]])).tolist()
    [[0.0, 0.75, 0.25], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    errors = np.where(np.eye(counts.shape[-1], dtype=bool), 0.0, counts + STRENGTH / (counts.shape[-1] - 1))
    return np.asarray(errors / errors.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class _FittedConfusable:
    """Fitted probabilities of one weighting: base rates pi (k,), level shares, coins p (levels, blocks).

    `e` (k, k) are the error shares. Each K is the information about a parameter if the hidden classes were observed.
    """

    pi: FloatArray
    share: FloatArray
    p: FloatArray
    e: FloatArray
    K_pi: float
    K_share: float
    K_p: FloatArray
    K_e: FloatArray


def tangent(Phi: FloatArray, counts: FloatArray, *, levels: int) -> Tangent:
    """Return the tangent space of the model at the fitted log probabilities Phi.

    The parameters theta are one flat vector: logits of the base rates (k), logit of the second level's share, logit of
    each coin, and logits of the errors (k, k). Arguments and parameters without information are as in `coins.tangent`.
    """
    Z, F = Phi.shape
    k = Z // levels
    f = _fitted(Phi.reshape(levels, k, F), counts.reshape(levels, k, F))
    eye, n_coins = np.eye(k), f.p.size
    tilted = np.array([-f.share[-1], f.share[0]][:levels]) * (levels - 1)

    def centred(L: FloatArray) -> FloatArray:
        return np.asarray((1 - eye) * (L - (f.e * L).sum(axis=1, keepdims=True)))

    def jacobian(v: FloatArray) -> FloatArray:
        rates, level, coin, L = coins.split_parameters(v, k, n_coins)
        out = np.empty((levels, k, F))
        out[..., 0] = rates - f.pi @ rates + (tilted * level)[:, None]
        moved = (coin.reshape(f.p.shape) * (f.K_p > 0))[:, None, :, None] * (eye[:, None] - f.p[:, None, :, None])
        out[..., 1:] = (moved + centred(L.reshape(k, k))[:, None]).reshape(levels, k, -1)
        return out.reshape(Z, F)

    def jacobian_transposed(U: FloatArray) -> FloatArray:
        U = U.reshape(levels, k, F)
        blocks = U[..., 1:].reshape(levels, k, -1, k)
        own, total = np.einsum("hzbz->hb", blocks), blocks.sum(axis=(1, 3))
        rates, errors = U[..., 0].sum(axis=0), (1 - eye) * blocks.sum(axis=(0, 2))
        coin = np.where(f.K_p > 0, own - f.p * total, 0.0)
        errors = errors - f.e * errors.sum(axis=1, keepdims=True)
        level = [tilted @ U[..., 0].sum(axis=1)]
        return np.concatenate([rates - f.pi * rates.sum(), level, coin.ravel(), errors.ravel()])

    def complete_information(v: FloatArray) -> FloatArray:
        rates, level, coin, L = coins.split_parameters(v, k, n_coins)
        rates = f.K_pi * f.pi * (rates - f.pi @ rates)
        errors = f.K_e * centred(L.reshape(k, k))
        return np.concatenate([rates, f.K_share * level, f.K_p.ravel() * coin, errors.ravel()])

    K = np.concatenate([f.K_pi * f.pi, [f.K_share], f.K_p.ravel(), f.K_e.ravel()])
    return Tangent(
        jacobian,
        jacobian_transposed,
        complete_information,
        lambda r: np.divide(r, K, out=np.zeros_like(r), where=K > 0),
    )


def _fitted(Phi: FloatArray, E: FloatArray) -> _FittedConfusable:
    levels, k, _ = Phi.shape
    chance, blocks = np.exp(Phi[..., 0]), E[..., 1:].reshape(levels, k, -1, k)
    chances = np.exp(Phi[..., 1:].reshape(levels, k, -1, k))
    p = np.diagonal(chances, axis1=1, axis2=3)[..., 0]
    free = np.ones_like(p, dtype=bool)
    if blocks.shape[2] == 2:
        free[:, 0] = p[:, 0] > 1 / k + 1e-9
    by_label = blocks.sum(axis=(0, 2))
    e = shares(by_label)
    errors = by_label.sum(axis=1) - np.diagonal(by_label) + STRENGTH
    n, share = float(E[..., 0].sum()), chance.sum(axis=1)
    return _FittedConfusable(
        pi=chance.sum(axis=0),
        share=share,
        p=p,
        e=e,
        K_pi=n,
        K_share=n * float(share[0] * share[-1]) * (levels - 1),
        K_p=np.where(free, blocks.sum(axis=(1, 3)) * p * (1 - p), 0.0),
        K_e=errors[:, None] * e,
    )


def _model(name: str, levels: int) -> Model:
    def start(data: ModelData) -> FloatArray:
        return data.start(data.pooled, difficulty.levels(data.pooled.C) if levels == 2 else None)

    def n_parameters(data: ModelData) -> FloatArray:
        return data.n_classes + 3 * levels - 2 + data.n_classes * np.maximum(data.n_given - 2, 0)

    return Model(
        name=name,
        view=lambda data: data.pooled,
        start=start,
        prior=lambda data: coins.prior(data.used, levels),
        m_step=partial(m_step, levels=levels),
        n_parameters=n_parameters,
        tangent=partial(tangent, levels=levels),
        why_not=why_not,
    )


MODEL = _model("confusable", 1)
DIFFICULTY = _model("confusable, difficulty", 2)
