"""The average estimator: the structured models' accuracies, averaged by how well the models fit. The default.

The models are:

- `one_coin` and `pooled_free`;
- `rater_coins`, where it is known who gave which label;
- `difficulty` with three labels or more, and where that fits better than one level, `rater_coins` with difficulty;
- `ordinal` on an ordered scale, where the other models use its error kernel;
- `confusable` on a nominal scale, with and without difficulty.

Weights are exp(-BIC/2) with n = items. Accuracies are averaged on the probability scale.

The error has two parts on the logit scale, pooled as in multiple imputation (D. B. Rubin 1987, Multiple Imputation,
ch. 3): U, the models' own variances, and B, the variance between their accuracies. The t distribution has (M - 1) (1 +
U/B)^2 degrees of freedom, with M - 1 at least 3.

All models are idealisations, and with many items BIC picks the least wrong one as if it were true. So in U and B a
model's weight uses the evidence of at most about 10 items, exp(-d/2 / (1 + n/10)). This is the coarsened posterior of
J. W. Miller & D. B. Dunson (2019), J. Am. Stat. Assoc. 114, 1113-1125, for models that are right up to a small
Kullback-Leibler distance. Here d is a model's distance from the best one by AIC or by BIC, whichever is smaller,
because AIC favours rich models and BIC plain ones. A model that 10 items would refute hardly counts, however far off
its accuracy is.

Such an interval covers what lies between its models. Without `confusable`, whose errors prefer some labels, it held
the truth in only half of the cases where 1,000 items had such errors on a nominal scale. All models but `pooled_free`,
which has too many parameters for that, took shared errors for accuracy (docs/accuracy-coverage.md).

The outer interval (`stats.accuracy.fitting.outer_interval`) takes U and B with `dawid_skene` among the models. Its
accuracy is not averaged: in simulations it takes difficulty that raters share for errors of their own.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stats.accuracy import warnings_in_words
from stats.accuracy.fitting.estimator import Estimator, LogitError, Score, SystemFit, SystemPatterns
from stats.accuracy.fitting.likelihood import Model, aic, bic, data_of, figure, fit_of, interval, solve, why_undefined
from stats.accuracy.fitting.model_data import ModelData, batches
from stats.accuracy.fitting.pattern_evidence import is_dense
from stats.accuracy.models import confusable, dawid_skene, difficulty, one_coin, ordinal, pooled_free, rater_coins
from stats.arrays import FloatArray, IntArray

COARSE = 10.0  # number of items whose evidence decides which models count in the error
LEAST_DEGREES = 3.0
_RULED_OUT = 0.05  # coarsened weight below which a model is left out of the spread


def models_for(patterns: SystemPatterns) -> list[Model]:
    """Return the models that apply to the patterns; two or more."""
    models = [one_coin.MODEL, pooled_free.MODEL, ordinal.MODEL, difficulty.model_for(patterns)]
    models += [confusable.MODEL, confusable.DIFFICULTY]
    if patterns.raters is not None:
        models.append(rater_coins.model_for(patterns))
    return [model for model in models if model.why_not(patterns) is None]


def further_model(patterns: SystemPatterns) -> Model | None:
    """Return the model with a coin for each rater and level of difficulty, or None where it does not apply.

    It is the slowest model, so it is used only for patterns that compress well.
    """
    model = rater_coins.difficulty_for(patterns)
    return model if patterns.raters is not None and is_dense(patterns) and model.why_not(patterns) is None else None


def difficulty_pays(data: ModelData) -> NDArray[np.bool_]:
    """Tell for each weighting (B,) whether two levels of difficulty fit better than one, with pooled raters.

    Where they do not, the further model can only fit worse.
    """
    two = difficulty.model_for(data.patterns)
    simple = ordinal.MODEL if data.patterns.ordered else one_coin.MODEL
    return np.asarray(bic(two, data) < bic(simple, data))


def fit(patterns: SystemPatterns) -> SystemFit:
    """Return the estimate for the system in `patterns`. Reasons are as for the models."""
    undefined = why_undefined(patterns)
    if undefined is not None:
        return SystemFit(None, patterns.count(patterns.rated & patterns.answered), *undefined)
    return fit_data(patterns, data_of(patterns))


def fit_data(patterns: SystemPatterns, data: ModelData) -> SystemFit:
    """Return the estimate from data that have one. Model fits that the data already hold are used again."""
    n = patterns.count(patterns.rated & patterns.answered)
    models, further = models_for(patterns), further_model(patterns)
    if further is not None and difficulty_pays(data)[0]:
        models.append(further)
    fits = [fit_of(model, data, n) for model in models]
    A = np.array([fit.accuracy for fit in fits])
    w, v = weights(criteria(models, data, bic))[:, 0], coarse_weights(models, data)[:, 0]
    accuracy = float(w @ A)
    spread = float(A[v >= _RULED_OUT].min()), float(A[v >= _RULED_OUT].max())
    unsettled = [note for fit, weight in zip(fits, w, strict=True) if weight >= 0.01 for note in fit.warnings]
    return SystemFit(
        accuracy,
        n,
        warnings=(*warnings_in_words.on_any(patterns, accuracy), *warnings_in_words.on_models(*spread), *unsettled),
        score=_mean_score(fits, w),
        logit_error=partial(logit_error, fits, accuracy, v),
        spread=spread,
        outer_variance=partial(outer_variance, models, fits, data, accuracy),
    )


def criteria(models: list[Model], data: ModelData, criterion: Callable[[Model, ModelData], FloatArray]) -> FloatArray:
    """Return AIC or BIC (M, B) as a difference from the best model."""
    values = np.stack([criterion(model, data) for model in models])
    return np.asarray(values - values.min(axis=0))


def weights(difference: FloatArray) -> FloatArray:
    """Return exp(-difference / 2) along the first axis, scaled to sum to 1.

    >>> weights(np.array([0.0, 2.0])).round(3).tolist()
    [0.731, 0.269]
    """
    w = np.exp(-difference / 2)
    return np.asarray(w / w.sum(axis=0))


def coarse_weights(models: list[Model], data: ModelData) -> FloatArray:
    """Return weights (M, B) from the evidence of at most COARSE items.

    Each model counts by the criterion, AIC or BIC, that is more favourable to it.
    """
    smaller = np.minimum(criteria(models, data, aic), criteria(models, data, bic))
    return weights(smaller / (1 + data.n / COARSE))


def logit_error(fits: list[SystemFit], accuracy: float, v: FloatArray) -> LogitError | None:
    """Return the variance of logit(accuracy) and its degrees of freedom; None where no model has an error.

    They come from the models' accuracies, errors and weights v.
    """
    errors = [fit.logit_error() if fit.logit_error is not None else None for fit in fits]
    has_error = np.array([error is not None for error in errors])
    if v[has_error].sum() < _RULED_OUT:
        return None
    U = float(np.average([error[0] for error in errors if error is not None], weights=v[has_error]))
    A, M = np.array([fit.accuracy for fit in fits]), len(fits)
    B = float(v @ (_logit(A) - _logit(np.array(accuracy))) ** 2) * M / (M - 1)
    degrees = max(M - 1, LEAST_DEGREES) * ((U + B) / max(B, 1e-12)) ** 2
    return U + B, degrees


def outer_variance(models: list[Model], fits: list[SystemFit], data: ModelData, accuracy: float) -> float | None:
    """Return U + B with `dawid_skene` among the models, where it is known who gave which label."""
    if data.patterns.raters is not None:
        models, fits = [*models, dawid_skene.MODEL], [*fits, fit_of(dawid_skene.MODEL, data, fits[0].n_items)]
    error = logit_error(fits, accuracy, coarse_weights(models, data)[:, 0])
    return None if error is None else error[0]


def replicate(patterns: SystemPatterns, W: FloatArray) -> FloatArray:
    """Return the average (B,) under each weighting; NaN where it is undefined."""
    estimates, models, further = np.full(len(W), np.nan), models_for(patterns), further_model(patterns)
    for data, numbers in batches(patterns, W):
        pays = np.zeros(len(numbers), bool) if further is None else difficulty_pays(data)
        for rows, chosen in ((~pays, models), (pays, [*models, further])):
            if rows.any():
                estimates[numbers[rows]] = _averaged([fits for fits in chosen if fits], data.take(np.flatnonzero(rows)))
    return estimates


def _averaged(models: list[Model], data: ModelData) -> FloatArray:
    A = np.stack([figure(solve(model, data), data.k) for model in models])
    return np.asarray((weights(criteria(models, data, bic)) * A).sum(axis=0))


def _mean_score(fits: list[SystemFit], w: FloatArray) -> Score:
    scores = [(fit.score, weight) for fit, weight in zip(fits, w, strict=True) if fit.score and weight > 1e-6]

    def score(C: IntArray, system: IntArray) -> FloatArray:
        return np.asarray(sum(weight * score(C, system) for score, weight in scores))

    return score


def _logit(p: FloatArray) -> FloatArray:
    return np.asarray(np.log(p / (1 - p)))


AVERAGE = Estimator("average", "Average of the structured models, weighted by fit", fit, interval, replicate, True)
