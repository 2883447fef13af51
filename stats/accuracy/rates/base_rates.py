"""Base rates by the models of `average`: what share of the items has each label, by the raters, without gold."""

import numpy as np

from stats.accuracy.comparison.pooling import average_models, pooled_error, weights
from stats.accuracy.fitting import information
from stats.accuracy.fitting.em import responsibilities
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import Model, data_of, solve, why_undefined
from stats.accuracy.fitting.model_data import ModelData
from stats.arrays import FloatArray
from stats.special_functions import expit, logit, stdtrit

Row = dict[str, object]


def base_rates(patterns: SystemPatterns, confidence: float) -> list[Row]:
    """Return estimate, low and high for each label, or a reason and detail.

    A model's rate is the mean posterior of the label over the items that the system answered. Rates are averaged as
    the accuracy is by `average`. The interval is Student's t on the logit scale. Its variance has a part between the
    models and a part within them: that of the base rate, from the observed information, and at least that of a share of
    known items.
    """
    why = why_undefined(patterns)
    if why is not None:
        return [{"reason": why[0], "detail": why[1]} for _ in range(patterns.n_labels)]
    data = data_of(patterns)
    models = average_models([(patterns, data)])
    w, v = weights(models, [data])
    n = patterns.count(patterns.rated & patterns.answered)
    rates = np.stack([_rates(model, data) for model in models])
    return [_row(label, models, data, (w, v), rates[:, label], n, confidence) for label in range(patterns.n_labels)]


def _rates(model: Model, data: ModelData) -> FloatArray:
    """Return the share of the answered items that have each label (k,) by one model."""
    answered = solve(model, data).T[0][:, -data.k :].sum(axis=1).reshape(-1, data.k).sum(axis=0)
    return np.asarray(answered / answered.sum())


def _row(
    label: int, models: list[Model], data: ModelData, w_and_v: tuple[FloatArray, FloatArray], rates: FloatArray, n: int,
    confidence: float,
) -> Row:  # fmt: skip
    w, v = w_and_v
    value, smooth = float(np.clip(w @ rates, 0, 1)), (rates * n + 0.5) / (n + 1)
    centre = float(w @ smooth)
    least = 1 / ((n + 1) * smooth * (1 - smooth))
    variances = [
        None if (own := _logit_variance(model, data, label)) is None else max(own, float(known))
        for model, known in zip(models, least, strict=True)
    ]
    error = pooled_error(logit(smooth), variances, float(logit(centre)), v)
    if error is None:
        return {
            "reason": "not_identified",
            "detail": "The ratings do not tell how uncertain the rate is, so it is not shown.",
        }
    half = error[0] ** 0.5 * float(stdtrit(error[1], (1 + confidence) / 2))
    low, high = expit(logit(centre) + np.array([-half, half])).tolist()
    return {"estimate": value, "low": min(low, value), "high": max(high, value)}


def _logit_variance(model: Model, data: ModelData, label: int) -> float | None:
    """Return the variance of the logit of a model's base rate, or None where the information is singular."""
    solution, view = solve(model, data), model.view(data)
    T, Phi = solution.T[0], solution.Phi[0]
    share, own = np.exp(Phi[:, 0]), np.arange(len(Phi)) % data.k == label
    p = float(share[own].sum())
    if not 1e-9 < p < 1 - 1e-9:
        return 0.0
    slope = np.zeros_like(Phi)
    slope[:, 0] = share * (own - p)
    G = responsibilities(view.evidence, solution.Phi[:1])[0][0]
    tangent = model.tangent(Phi, T + model.prior(data)[0])
    variance = information.variance(view.evidence, view.W[0], G, tangent, slope)
    n = float(view.W[0].sum())
    p = (p * n + 0.5) / (n + 1)
    return None if variance is None else float(variance / (p * (1 - p)) ** 2)
