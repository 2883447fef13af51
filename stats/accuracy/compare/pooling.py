"""One figure and error out of those of several models, as `stats.accuracy.average` has for an accuracy."""

from collections.abc import Sequence

import numpy as np

from stats.accuracy import average
from stats.accuracy.data import Data
from stats.accuracy.estimator import FloatArray, Patterns
from stats.accuracy.likelihood import Model, aic, bic
from stats.accuracy.logit import NORMAL

LEAST_WEIGHT = 0.05  # of the models that have an error, for the figure to have one
Error = tuple[float, float]  # variance, degrees of freedom


def average_models(sides: Sequence[tuple[Patterns, Data]]) -> list[Model]:
    """The models that `average` uses for any of these systems, rated by the same raters."""
    models = average.models_for(sides[0][0])
    further = [average.further_model(patterns) for patterns, _ in sides]
    if further[0] is not None and all(further) and any(average.difficulty_pays(data)[0] for _, data in sides):
        models.append(further[0])
    return models


def weights(models: list[Model], fits: Sequence[Data]) -> tuple[FloatArray, FloatArray]:
    """(M,) weights for the figure, by BIC, and for the error, by the coarsened evidence; criteria are means over the
    fits."""
    by_bic, by_aic = (
        np.mean([average.criteria(models, data, each)[:, 0] for data in fits], axis=0) for each in (bic, aic)
    )
    kinder = np.minimum(by_bic - by_bic.min(), by_aic - by_aic.min())
    return average.weights(by_bic - by_bic.min()), average.weights(kinder / (1 + float(fits[0].n[0]) / average.COARSE))


def pooled_error(d: FloatArray, variances: Sequence[float | None], value: float, v: FloatArray) -> Error | None:
    """Variance of the figure `value` within and between models with figures d (M,) and weights v (M,); None where
    hardly any has a variance."""
    known = np.array([variance is not None for variance in variances])
    if v[known].sum() < LEAST_WEIGHT:
        return None
    within = float(np.average([each for each in variances if each is not None], weights=v[known]))
    M = len(d)
    if M == 1:
        return within, NORMAL
    between = float(v @ (d - value) ** 2) * M / (M - 1)
    total = within + between
    return total, max(M - 1, average.LEAST_DEGREES) * (total / max(between, 1e-12)) ** 2
