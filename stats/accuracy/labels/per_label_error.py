"""Errors of precision and recall: intervals on the logit scale, within and between the models."""

import numpy as np

from stats.accuracy.comparison.pooling import pooled_error
from stats.accuracy.fitting.likelihood import Model, figure, logit_error, solve, variance
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import pooled_free
from stats.arrays import FloatArray
from stats.special_functions import expit, logit, stdtrit

LEAST = 1e-6  # expected items below which precision and recall are undefined


def cost_of_not_knowing(models: list[Model], data: ModelData) -> list[float]:
    """Return, for each model, the factor by which unknown right labels raise the variance of the accuracy.

    The factor is 1 or more.
    """
    costs = []
    for model in models:
        solution = solve(model, data)
        accuracy, n = float(figure(solution, data.k)[0]), float(solution.T[0][:, -data.k :].sum())
        error = logit_error(model, data, accuracy)
        costs.append(1.0 if error is None else max(1.0, error[0] * n * accuracy * (1 - accuracy)))
    return costs


def label_variances(
    models: list[Model], cost: list[float], data: ModelData, right: FloatArray, n: FloatArray, *, label: int, axis: int
) -> list[float | None]:
    """Return each model's variance of the logit of a label's precision (axis 0) or recall (1).

    `right` and `n` are its right items and all its items. The variance is that of a share of known items, times the
    cost. For the free model it comes from the information, and is no smaller than that of a share of known items.
    """
    sampling_variance = 1 / (right + 0.5) + 1 / (n - right + 0.5)
    variances: list[float | None] = [each * float(least) for each, least in zip(cost, sampling_variance, strict=True)]
    if pooled_free.MODEL in models:
        place = models.index(pooled_free.MODEL)
        free = _free_variance(data, label, axis)
        variances[place] = None if free is None else max(free, float(sampling_variance[place]))
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
    """Return the value and its interval, from right items and all items (M,) by each model; empty without items."""
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


def _free_variance(data: ModelData, label: int, axis: int) -> float | None:
    """Return the variance of the logit of a label's precision (axis 0) or recall (1) in the free model.

    Returns None where the information is singular.
    """
    model, k = pooled_free.MODEL, data.k
    solution = solve(model, data)
    T, Phi = solution.T[0], solution.Phi[0]
    slope, column = np.zeros_like(T), T.shape[1] - k + label
    if axis == 0:
        share = T[:, column] / max(T[:, column].sum(), 1e-300)
        p = share[label]
        slope[:, 0] = slope[:, column] = share * ((np.arange(k) == label) - p)
    else:
        p = slope[label, column] = np.exp(Phi[label, column])
    if not 0 < p < 1:
        return 0.0
    of_share = variance(model, data, slope)
    n = T[:, column].sum() if axis == 0 else T[label, -k:].sum()
    p = (p * n + 0.5) / (n + 1)
    return None if of_share is None else float(of_share / (p * (1 - p)) ** 2)
