"""Errors of precision and recall: intervals on the logit scale, within and between the models."""

import numpy as np
from scipy.special import expit, logit, stdtrit

from stats.accuracy import information, pooled_free
from stats.accuracy.compare.pooling import pooled_error
from stats.accuracy.data import Data
from stats.accuracy.em import responsibilities
from stats.accuracy.estimator import FloatArray
from stats.accuracy.likelihood import Model, figure, logit_error, solve

LEAST = 1e-6  # expected items below which there is no share of them


def cost_of_not_knowing(models: list[Model], data: Data) -> list[float]:
    """How much larger the variance of the accuracy is by each model than with known right labels; 1 or more."""
    costs = []
    for model in models:
        solution = solve(model, data)
        accuracy, n = float(figure(solution, data.k)[0]), float(solution.T[0][:, -data.k :].sum())
        error = logit_error(model, data, accuracy)
        costs.append(1.0 if error is None else max(1.0, error[0] * n * accuracy * (1 - accuracy)))
    return costs


def label_variances(
    models: list[Model], cost: list[float], data: Data, right: FloatArray, n: FloatArray, *, label: int, axis: int
) -> list[float | None]:
    """Variance of the logit of a label's precision (axis 0) or recall (1) by each model, from its right and all items.

    That of a share of known items times the cost; for the free model from its information, and no less.
    """
    known = 1 / (right + 0.5) + 1 / (n - right + 0.5)
    variances: list[float | None] = [each * float(least) for each, least in zip(cost, known, strict=True)]
    if pooled_free.MODEL in models:
        place = models.index(pooled_free.MODEL)
        free = _free_variance(data, label, axis)
        variances[place] = None if free is None else max(free, float(known[place]))
    return variances


def bounds(
    name: str,
    right: FloatArray,
    n: FloatArray,
    w: FloatArray,
    v: FloatArray,
    own: list[float | None],
    confidence: float,
) -> dict[str, object]:
    """The figure and its interval, from right items and all items (M,) by each model; empty where there are none."""
    if w @ n < LEAST:
        return {}
    value = float(np.clip(w @ right / (w @ n), 0, 1))
    smooth = (right + 0.5) / (n + 1)  # keeps off 0 and 1
    centre = float(w @ right + 0.5) / float(w @ n + 1)
    error = pooled_error(logit(smooth), own, float(logit(centre)), v)
    if error is None:
        return {name: value}
    half = error[0] ** 0.5 * float(stdtrit(error[1], (1 + confidence) / 2))
    low, high = expit(logit(centre) + np.array([-half, half])).tolist()
    return {name: value, f"{name}_low": min(low, value), f"{name}_high": max(high, value)}


def _free_variance(data: Data, label: int, axis: int) -> float | None:
    """Variance of the logit of a label's precision (axis 0) or recall (1) in the free model; None where the information
    is singular."""
    model, k = pooled_free.MODEL, data.k
    solution, view = solve(model, data), model.view(data)
    T, Phi = solution.T[0], solution.Phi[0]
    slope, given = np.zeros_like(T), T.shape[1] - k + label
    if axis == 0:
        share = T[:, given] / max(T[:, given].sum(), 1e-300)
        p = share[label]
        slope[:, 0] = slope[:, given] = share * ((np.arange(k) == label) - p)
    else:
        p = slope[label, given] = np.exp(Phi[label, given])
    if not 0 < p < 1:
        return 0.0
    G = responsibilities(view.evidence, solution.Phi[:1])[0][0]
    found = information.variance(view.evidence, view.W[0], G, model.tangent(Phi, T + model.prior(data)[0]), slope)
    n = T[:, given].sum() if axis == 0 else T[label, -k:].sum()
    p = (p * n + 0.5) / (n + 1)
    return None if found is None else float(found / (p * (1 - p)) ** 2)
