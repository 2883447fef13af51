"""Average of the structured models, weighted by how well they fit: the default figure.

The models are `one_coin` and `pooled_free`; where it is known who gave which label, `rater_coins`; with three labels or
more, `difficulty`, and if that pays, `rater_coins` with difficulty; on an ordered scale `ordinal`, and the others with
its kernel; on a nominal scale `confusable`, with and without difficulty. Weights are exp(-BIC/2) with n = items,
figures are averaged on the probability scale.

The error is made of two parts on the logit scale, pooled like imputations (D. B. Rubin 1987, Multiple Imputation, ch.
3): the models' own variances U, and the variance between their figures B, with t of (M - 1) (1 + U/B)^2 degrees, M - 1
at least 3. All models are idealisations, and with many items BIC picks the least wrong one as if it were true. So in
U and B they count by the evidence of no more than about 10 items, exp(-d/2 / (1 + n/10)): the coarsened posterior of
J. W. Miller & D. B. Dunson (2019), J. Am. Stat. Assoc. 114, 1113-1125, for models that are right up to a small
Kullback-Leibler distance. Here d is a model's distance from the best by AIC or by BIC, whichever is smaller, because
the one is kind to rich models and the other to plain ones. A model that 10 items would refute hardly counts, however
far off its figure is.

An interval of this kind covers what lies between its models. Without `confusable`, whose errors prefer some labels, it
held the truth in half of the cases only where 1,000 items had such errors on a nominal scale, since all models but
`pooled_free`, which has too many chances for that, took shared errors for accuracy (docs/accuracy-coverage.md).
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stats.accuracy import confusable, difficulty, notes, one_coin, ordinal, pooled_free, rater_coins
from stats.accuracy.data import Data, batches
from stats.accuracy.estimator import Estimator, Fit, FloatArray, IntArray, LogitError, Patterns, Score
from stats.accuracy.evidence import is_dense
from stats.accuracy.likelihood import Model, aic, bic, data_of, figure, fit_of, interval, solve, why_undefined

COARSE = 10.0  # items whose evidence decides which models count in the error
LEAST_DEGREES = 3.0
_RULED_OUT = 0.05  # coarsened weight below which a model is not among the spread


def models_for(patterns: Patterns) -> list[Model]:
    """The models that apply to such patterns; two or more."""
    models = [one_coin.MODEL, pooled_free.MODEL, ordinal.MODEL, difficulty.model_for(patterns)]
    models += [confusable.MODEL, confusable.DIFFICULTY]
    if patterns.raters is not None:
        models.append(rater_coins.model_for(patterns))
    return [model for model in models if model.why_not(patterns) is None]


def further_model(patterns: Patterns) -> Model | None:
    """A coin for each rater and level of difficulty: the slowest, and for patterns that compress only."""
    model = rater_coins.difficulty_for(patterns)
    return model if patterns.raters is not None and is_dense(patterns) and model.why_not(patterns) is None else None


def difficulty_pays(data: Data) -> NDArray[np.bool_]:
    """(B,) whether two levels of difficulty fit better than one, with pooled raters: else the further model can only
    be worse."""
    two = difficulty.model_for(data.patterns)
    one = ordinal.MODEL if data.patterns.ordered else one_coin.MODEL
    return np.asarray(bic(two, data) < bic(one, data))


def fit(patterns: Patterns) -> Fit:
    """The estimate for the system in `patterns`; reasons as for the models."""
    undefined = why_undefined(patterns)
    if undefined is not None:
        return Fit(None, patterns.count(patterns.rated & patterns.answered), *undefined)
    return fit_data(patterns, data_of(patterns))


def fit_data(patterns: Patterns, data: Data) -> Fit:
    """The same from the data of patterns that have an estimate, with what the models have found already."""
    n = patterns.count(patterns.rated & patterns.answered)
    models, further = models_for(patterns), further_model(patterns)
    if further is not None and difficulty_pays(data)[0]:
        models.append(further)
    fits = [fit_of(model, data, n) for model in models]
    A = np.array([found.accuracy for found in fits])
    w, v = weights(criteria(models, data, bic))[:, 0], coarse_weights(models, data)[:, 0]
    accuracy = float(w @ A)
    spread = float(A[v >= _RULED_OUT].min()), float(A[v >= _RULED_OUT].max())
    unsettled = [note for found, weight in zip(fits, w, strict=True) if weight >= 0.01 for note in found.warnings]
    return Fit(
        accuracy,
        n,
        warnings=(*notes.on_any(patterns, accuracy), *notes.on_models(*spread), *unsettled),
        score=_mean_score(fits, w),
        logit_error=partial(logit_error, fits, accuracy, v),
        spread=spread,
    )


def criteria(models: list[Model], data: Data, criterion: Callable[[Model, Data], FloatArray]) -> FloatArray:
    """(M, B) AIC or BIC, as a difference from the best model."""
    found = np.stack([criterion(model, data) for model in models])
    return np.asarray(found - found.min(axis=0))


def weights(difference: FloatArray) -> FloatArray:
    """exp(-difference / 2) along the first axis, scaled to sum to 1.

    >>> weights(np.array([0.0, 2.0])).round(3).tolist()
    [0.731, 0.269]
    """
    w = np.exp(-difference / 2)
    return np.asarray(w / w.sum(axis=0))


def coarse_weights(models: list[Model], data: Data) -> FloatArray:
    """(M, B) weights by the evidence of at most COARSE items, each model by the criterion that is kinder to it."""
    kinder = np.minimum(criteria(models, data, aic), criteria(models, data, bic))
    return weights(kinder / (1 + data.n / COARSE))


def logit_error(fits: list[Fit], accuracy: float, v: FloatArray) -> LogitError | None:
    """Variance of logit(accuracy) and its degrees of freedom, from the models' figures, errors and weights v; None
    where no model has an error."""
    errors = [found.logit_error() if found.logit_error is not None else None for found in fits]
    known = np.array([error is not None for error in errors])
    if v[known].sum() < _RULED_OUT:
        return None
    U = float(np.average([error[0] for error in errors if error is not None], weights=v[known]))
    A, M = np.array([found.accuracy for found in fits]), len(fits)
    B = float(v @ (_logit(A) - _logit(np.array(accuracy))) ** 2) * M / (M - 1)
    degrees = max(M - 1, LEAST_DEGREES) * ((U + B) / max(B, 1e-12)) ** 2
    return U + B, degrees


def replicate(patterns: Patterns, W: FloatArray) -> FloatArray:
    """(B,) the average under each weighting; NaN where it is undefined."""
    estimates, models, further = np.full(len(W), np.nan), models_for(patterns), further_model(patterns)
    for data, numbers in batches(patterns, W):
        pays = np.zeros(len(numbers), bool) if further is None else difficulty_pays(data)
        for some, chosen in ((~pays, models), (pays, [*models, further])):
            if some.any():
                estimates[numbers[some]] = _averaged([one for one in chosen if one], data.take(np.flatnonzero(some)))
    return estimates


def _averaged(models: list[Model], data: Data) -> FloatArray:
    A = np.stack([figure(solve(model, data), data.k) for model in models])
    return np.asarray((weights(criteria(models, data, bic)) * A).sum(axis=0))


def _mean_score(fits: list[Fit], w: FloatArray) -> Score:
    scores = [(found.score, weight) for found, weight in zip(fits, w, strict=True) if found.score and weight > 1e-6]

    def score(C: IntArray, system: IntArray) -> FloatArray:
        return np.asarray(sum(weight * one(C, system) for one, weight in scores))

    return score


def _logit(p: FloatArray) -> FloatArray:
    return np.asarray(np.log(p / (1 - p)))


AVERAGE = Estimator("average", "Average of the structured models, weighted by fit", fit, interval, replicate, True)
