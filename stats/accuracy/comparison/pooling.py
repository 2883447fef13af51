"""Pooling of several models into one value and error, as `stats.accuracy.estimators.average` does for an accuracy."""

from collections.abc import Sequence

import numpy as np

from stats.accuracy.estimators import average
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import Model, aic, bic
from stats.accuracy.fitting.logit import NORMAL
from stats.accuracy.fitting.model_data import ModelData
from stats.arrays import FloatArray

LEAST_WEIGHT = 0.05  # least total weight of the models with an error; below it the pooled value has none
Error = tuple[float, float]  # variance, degrees of freedom


def average_models(sides: Sequence[tuple[SystemPatterns, ModelData]]) -> list[Model]:
    """Return the models that `average` uses for any of these systems, all rated by the same raters."""
    models = average.models_for(sides[0][0])
    further = [average.further_model(patterns) for patterns, _ in sides]
    if further[0] is not None and all(further) and any(average.difficulty_pays(data)[0] for _, data in sides):
        models.append(further[0])
    return models


def weights(models: list[Model], fits: Sequence[ModelData]) -> tuple[FloatArray, FloatArray]:
    """Return the models' weights (M,) for the value, by BIC, and for the error, by the coarsened evidence.

    Criteria are means over the fits.
    """
    by_bic, by_aic = (
        np.mean([average.criteria(models, data, each)[:, 0] for data in fits], axis=0) for each in (bic, aic)
    )
    smaller = np.minimum(by_bic - by_bic.min(), by_aic - by_aic.min())
    return average.weights(by_bic - by_bic.min()), average.weights(smaller / (1 + float(fits[0].n[0]) / average.COARSE))


def pooled_error(d: FloatArray, variances: Sequence[float | None], value: float, v: FloatArray) -> Error | None:
    """Return the variance of `value` and its degrees of freedom, within and between models.

    The models have values d (M,) and weights v (M,). Returns None where models with a variance have hardly any weight.
    """
    has_variance = np.array([variance is not None for variance in variances])
    if v[has_variance].sum() < LEAST_WEIGHT:
        return None
    within = float(np.average([each for each in variances if each is not None], weights=v[has_variance]))
    M = len(d)
    if M == 1:
        return within, NORMAL
    between = float(v @ (d - value) ** 2) * M / (M - 1)
    total = within + between
    return total, max(M - 1, average.LEAST_DEGREES) * (total / max(between, 1e-12)) ** 2
