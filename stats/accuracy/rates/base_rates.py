"""Base rates by the models of `average`: what share of the items has each label, by the raters, without gold."""

import numpy as np

from stats.accuracy.comparison.pooling import average_models, pooled_error, weights
from stats.accuracy.fitting.estimator import Interval, SystemPatterns
from stats.accuracy.fitting.likelihood import Model, data_of, solve, variance, why_undefined
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.fitting.outer_interval import outer_interval
from stats.accuracy.models import dawid_skene
from stats.arrays import FloatArray
from stats.defaults import OUTER_ERROR
from stats.special_functions import expit, logit, stdtrit

Row = dict[str, object]


def base_rates(patterns: SystemPatterns, confidence: float, outer_error: float = OUTER_ERROR) -> list[Row]:
    """Return estimate, low, high, outer_low and outer_high for each label, or a reason and detail.

    A model's rate is the mean posterior of the label over the items that the system answered. Rates are averaged as
    the accuracy is by `average`. The interval is Student's t on the logit scale. Its variance has a part between the
    models and a part within them: that of the base rate, from the observed information, and at least that of a share of
    known items.

    The outer interval is made as that of an accuracy (`stats.accuracy.fitting.outer_interval`): normal, with
    `dawid_skene` among the models of the variance, and outer_error^2 added to it.
    """
    why = why_undefined(patterns)
    if why is not None:
        return [{"reason": why[0], "detail": why[1]} for _ in range(patterns.n_labels)]
    data = data_of(patterns)
    models = average_models([(patterns, data)])
    wider = models if patterns.raters is None else [*models, dawid_skene.MODEL]
    w, v = weights(models, [data])
    rates = _Rates(wider, data, patterns.count(patterns.rated & patterns.answered))
    return [_row(rates, label, (w, v, weights(wider, [data])[1]), confidence, outer_error)
            for label in range(patterns.n_labels)]  # fmt: skip


class _Rates:
    """The rates (M, k) by the models, smoothed by half an item, and the variances of their logits by label."""

    def __init__(self, models: list[Model], data: ModelData, n: int) -> None:
        self.models, self.data, self.n = models, data, n
        self.raw = np.stack([_rates(model, data) for model in models])
        self.smooth = (self.raw * n + 0.5) / (n + 1)
        self.logit_variances = [_logit_variances(model, data) for model in models]

    def variances(self, label: int) -> list[float | None]:
        """Return the variance of the logit by each model, at least that of a share of known items."""
        smooth = self.smooth[:, label]
        least = 1 / ((self.n + 1) * smooth * (1 - smooth))
        of_models = [variances[label] for variances in self.logit_variances]
        return [
            None if own is None else max(own, float(least_variance))
            for own, least_variance in zip(of_models, least, strict=True)
        ]


def _rates(model: Model, data: ModelData) -> FloatArray:
    """Return the share of the answered items that have each label (k,) by one model."""
    answered = solve(model, data).T[0][:, -data.k :].sum(axis=1).reshape(-1, data.k).sum(axis=0)
    return np.asarray(answered / answered.sum())


def _row(
    rates: _Rates, label: int, weight: tuple[FloatArray, FloatArray, FloatArray], confidence: float, outer_error: float
) -> Row:
    """Return the row of a label. weight: of the models for the value and its error, and with `dawid_skene` for it."""
    w, v, outer_v = weight
    smooth, M = rates.smooth[:, label], len(w)
    value, centre = float(np.clip(w @ rates.raw[:M, label], 0, 1)), float(w @ smooth[:M])
    variances, middle = rates.variances(label), float(logit(centre))
    error = pooled_error(logit(smooth[:M]), variances[:M], middle, v)
    if error is None:
        return {
            "reason": "not_identified",
            "detail": "The ratings do not tell how uncertain the rate is, so it is not shown.",
        }
    half = error[0] ** 0.5 * float(stdtrit(error[1], (1 + confidence) / 2))
    low, high = expit(middle + np.array([-half, half])).tolist()
    row: Row = {"estimate": value, "low": min(low, value), "high": max(high, value)}
    wider = pooled_error(logit(smooth), variances, middle, outer_v)
    if wider is None:
        return row
    inner = Interval(None, min(low, value), max(high, value))
    ends = outer_interval(centre, wider[0], inner, confidence, outer_error)
    return row if ends is None else row | {"outer_low": ends[0], "outer_high": ends[1]}


def _logit_variances(model: Model, data: ModelData) -> list[float | None]:
    """Return the variance of the logit of each label's base rate by a model; None where the information is singular."""
    Phi, n = solve(model, data).Phi[0], float(data.n[0])
    share, labels = np.exp(Phi[:, 0]), np.arange(len(Phi)) % data.k

    def of_label(label: int) -> float | None:
        own = labels == label
        p = float(share[own].sum())
        if not 1e-9 < p < 1 - 1e-9:
            return 0.0
        slope = np.zeros_like(Phi)
        slope[:, 0] = share * (own - p)
        of_rate = variance(model, data, slope)
        p = (p * n + 0.5) / (n + 1)
        return None if of_rate is None else float(of_rate / (p * (1 - p)) ** 2)

    return [of_label(label) for label in range(data.k)]
