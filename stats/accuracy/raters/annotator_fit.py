"""Fit of the models of `average` to the human ratings alone.

No system takes part, so the raters' accuracies are the same whatever system they are compared with.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.accuracy.comparison.contrast import ContrastFit
from stats.accuracy.comparison.pooling import Error, pooled_error
from stats.accuracy.estimators import average, lehner
from stats.accuracy.estimators.lehner_fit import why_no_accuracy
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import Model, Why, aic, bic, solve
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.fitting.pattern_evidence import pooled
from stats.accuracy.fitting.score import pooled_chances
from stats.accuracy.models import pooled_free
from stats.accuracy.raters.pair_agreement import PairAgreement, pair_agreement
from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns as RaterPatterns
from stats.patterns import counts_of
from stats.special_functions import logit

EXACT = 30  # raters; up to here the variance of each comes from the information matrix, one solution per rater
Posterior = Callable[[IntArray], FloatArray]  # counts (rows, k) -> probability of each label (rows, k)


@dataclass(frozen=True)
class AnnotatorFit:
    """The raters' accuracies by the models.

    - accuracy: probability that a rating is right, over all ratings.
    - error: variance of its logit, and degrees of freedom.
    - each (r,): accuracy of each rater.
    - variance (r,): variance of the logits of these, within the models.
    - between: variance of the logit between the models.
    - posterior: returns the label probabilities of an item from its counts.
    - agreement: of the raters on pairs of ratings.
    """

    accuracy: float
    error: Error
    each: FloatArray
    variance: FloatArray
    between: float
    posterior: Posterior
    agreement: PairAgreement


def fit_annotators(humans: RaterPatterns, *, ordered: bool, has_names: bool = True) -> AnnotatorFit | Why:
    """Fit the models to the raters of these patterns. Returns reason and sentence where nothing can be estimated.

    Each model is weighted as in `average`. The accuracies of single raters come from the models in which raters
    differ. Without names (`has_names` is false) these models do not count, and each rater has the accuracy of all.
    """
    C, row = counts_of(humans)
    patterns = SystemPatterns(C[row], np.full(len(row), -1), humans.n_items, ordered, humans if has_names else None)
    W = patterns.n_items[None, :].astype(np.float64)
    raters = lehner.rater_figures(patterns.C, W)
    why = why_no_accuracy(raters, patterns.C, patterns.n_items)
    if why is not None:
        return why
    agreement = pair_agreement(patterns.C, patterns.n_items)
    assert agreement is not None  # else there is a reason
    data = ModelData(patterns, W, raters)
    models, further = average.models_for(patterns), average.further_model(patterns)
    if further is not None and average.difficulty_pays(data)[0]:
        models.append(further)
    fits = [ContrastFit(model, data, solve(model, data).T[0]) for model in models]
    accuracy_weights, error_weights = _weights(models, data)
    A = np.array([fitted.rater_accuracy(None) for fitted in fits])
    accuracy = float(accuracy_weights @ A)
    with_known_labels = 1 / (float(humans.n_items[humans.pattern].sum()) * accuracy * (1 - accuracy))
    variances = [_logit_variance(fitted, None) for fitted in fits]
    error = pooled_error(logit(A), variances, float(logit(accuracy)), error_weights)
    if error is None:  # no model has one: as if the right labels were known
        error = with_known_labels, 1.0
    between = float(error_weights @ (logit(A) - logit(accuracy)) ** 2)
    within = max(error[0] - between, with_known_labels)
    posterior = _posterior(fits, accuracy_weights)
    if not has_names:
        each, variance = np.full(humans.n_raters, accuracy), np.full(humans.n_raters, within)
        return AnnotatorFit(accuracy, error, each, variance, between, posterior, agreement)
    by_rater = [fitted for fitted in fits if fitted.n_raters == humans.n_raters]
    rater_weights, rater_error_weights = _weights([fitted.model for fitted in by_rater], data)
    each = rater_weights @ np.stack([fitted.rater_accuracies for fitted in by_rater])
    variance = _each_variance(by_rater, rater_error_weights, each, within)
    return AnnotatorFit(accuracy, error, each, variance, between, posterior, agreement)


def _weights(models: list[Model], data: ModelData) -> tuple[FloatArray, FloatArray]:
    """Return weights (M,) for the accuracy, by BIC, and for the error, by the evidence of few items.

    The models have parameters of a system. They are not counted, because no system is in these ratings.
    """
    k, of_system = data.k, np.zeros(len(models))
    for place, model in enumerate(models):
        levels = solve(model, data).Phi.shape[1] // k
        free = model is pooled_free.MODEL
        of_system[place] = data.n_classes[0] * (data.n_given[0] - 1) if free else levels
    by_bic = np.array([bic(model, data)[0] for model in models]) - of_system * np.log(data.n[0])
    by_aic = np.array([aic(model, data)[0] for model in models]) - of_system * 2
    by_bic, by_aic = by_bic - by_bic.min(), by_aic - by_aic.min()
    of_few_items = np.minimum(by_bic, by_aic) / (1 + float(data.n[0]) / average.COARSE)
    return average.weights(by_bic), average.weights(of_few_items)


def _logit_variance(fitted: ContrastFit, rater: int | None) -> float | None:
    """Return the variance of the logit of a rater's accuracy in one model; at least that of a share of known items."""
    accuracy = fitted.rater_accuracy(rater)
    n = float(fitted.ratings.sum() if rater is None else fitted.ratings[rater])
    variance, spread = fitted.rater_variance(rater), accuracy * (1 - accuracy)
    return None if variance is None else max(variance / spread**2, 1 / ((n + 1) * spread))


def _each_variance(own: list[ContrastFit], v: FloatArray, each: FloatArray, of_all: float) -> FloatArray:
    """Return the variance (r,) of the logit of each rater's accuracy.

    It comes from the information matrix. For more than EXACT raters it is the variance of a share of items whose right
    labels are known, times a factor for not knowing them. The factor is the same for all raters.
    """
    n, mean = np.maximum(own[0].ratings, 1).astype(np.float64), own[0].rater_accuracy(None)
    sampling_variance = 1 / ((n + 1) * each * (1 - each))
    cost = max(1.0, of_all * float(n.sum()) * mean * (1 - mean))
    if len(each) > EXACT:
        return sampling_variance * cost
    variances = sampling_variance * cost
    for rater in range(len(each)):
        weighted = [(weight, _logit_variance(fitted, rater)) for fitted, weight in zip(own, v, strict=True)]
        defined = [(weight, variance) for weight, variance in weighted if variance is not None and weight > 0]
        if defined:
            within = sum(weight * variance for weight, variance in defined) / sum(weight for weight, _ in defined)
            variances[rater] = max(within, sampling_variance[rater])
    return np.asarray(variances)


def _posterior(fits: list[ContrastFit], w: FloatArray) -> Posterior:
    """Return the posterior of an item's label from its counts, averaged over the models.

    The raters' matrices are pooled.
    """
    k = fits[0].data.k
    weighted = [(pooled_chances(solve(fitted.model, fitted.data), k), weight)
             for fitted, weight in zip(fits, w, strict=True) if weight > 1e-6]  # fmt: skip

    def posterior(C: IntArray) -> FloatArray:
        evidence, total = pooled(C, np.full(len(C), -1)), np.zeros(C.shape)
        for Phi, weight in weighted:
            G = evidence.responsibilities(Phi[None])[0][0]
            total += weight * G.reshape(len(C), -1, k).sum(axis=1)
        return total

    return posterior
