"""Shared steps of the latent-class models: fit to a system, accuracy, error and replicates.

Each model is a `Model` in its own file. `estimator` turns a model into an entry of ESTIMATORS.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from stats.accuracy import warnings_in_words
from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.lehner_fit import why_no_accuracy
from stats.accuracy.fitting import information, logit
from stats.accuracy.fitting.em import MAX_STEPS, MStep, maximise
from stats.accuracy.fitting.em_solution import EmSolution
from stats.accuracy.fitting.estimator import Estimator, Interval, LogitError, SystemFit, SystemPatterns
from stats.accuracy.fitting.model_data import ModelData, ModelView, batches
from stats.accuracy.fitting.score import own_answer_score, pooled_chances
from stats.arrays import FloatArray

MAX_MULTIPLICATIONS = 200_000_000  # limit on patterns x classes x steps of EM: about ten seconds
Why = tuple[str, str] | None  # reason code and sentence


def always(_: SystemPatterns) -> Why:
    """Return None: the model applies to all patterns."""
    return None


@dataclass(frozen=True)
class Model:
    """A latent-class model. Shapes are as in `stats.accuracy.fitting.evidence`, for B weightings at once.

    - view, start, prior: the patterns EM works on, the expected counts it starts from, the pseudo-counts (B, Z, F).
    - m_step: counts with prior (B, Z, F) -> log probabilities (B, Z, F).
    - n_parameters: (B,) free parameters, without those of unused labels.
    - tangent: log probabilities and counts with prior (Z, F) of one weighting -> how the parameters move them.
    - why_not: reason and sentence where the model does not apply to the patterns.
    - symmetric: true if the model assumes that errors are equally likely on all labels.
    """

    name: str
    view: Callable[[ModelData], ModelView]
    start: Callable[[ModelData], FloatArray]
    prior: Callable[[ModelData], FloatArray]
    m_step: MStep
    n_parameters: Callable[[ModelData], FloatArray]
    tangent: Callable[[FloatArray, FloatArray], information.Tangent]
    why_not: Callable[[SystemPatterns], Why] = always
    symmetric: bool = True


def estimator(
    title: str, model_for: Callable[[SystemPatterns], Model], *, name: str, by_rater: bool = False
) -> Estimator:
    """Return the ESTIMATORS entry of a model, which may depend on the patterns: on whether the labels are ordered."""
    return Estimator(
        name,
        title,
        lambda patterns: fit(model_for(patterns), patterns),
        interval,
        lambda patterns, W: replicate(model_for(patterns), patterns, W),
        by_rater,
    )


def fit(model: Model, patterns: SystemPatterns) -> SystemFit:
    """Return the model's estimate for the system in `patterns`, with reasons and warnings.

    `n_items` counts the items that the system answered and at least one human rated. The estimate is undefined in
    three cases, each with a reason:

    - The raters' accuracy is undefined (`zero_denominator`, `not_identified`). Unless raters are better than chance, a
      solution cannot be told from its mirror image with exchanged labels.
    - The system and the raters have no item in common (`too_few_items`).
    - The model itself does not apply (`not_applicable`, `not_identified`).
    """
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_undefined(patterns) or model.why_not(patterns)
    if undefined is not None:
        return SystemFit(None, n, *undefined)
    system_fit = fit_of(model, data_of(patterns), n)
    data_warnings = warnings_in_words.on_any(patterns, system_fit.accuracy or 0.0, symmetric=model.symmetric)
    return replace(system_fit, warnings=(*data_warnings, *system_fit.warnings))


def fit_of(model: Model, data: ModelData, n: int) -> SystemFit:
    """Return the estimate, without warnings about the data.

    The data must have an estimate: `why_undefined` is None for their patterns.
    """
    solution = solve(model, data)
    accuracy = float(figure(solution, data.k)[0])
    return SystemFit(
        accuracy,
        n,
        warnings=tuple(warnings_in_words.on_steps(int(solution.steps[0]), bool(solution.converged[0]))),
        score=own_answer_score(pooled_chances(solution, data.k)),
        logit_error=cache(partial(logit_error, model, data, accuracy)),
    )


def solve(model: Model, data: ModelData) -> EmSolution:
    """Return the model's maximum. It is computed once per data set and kept in `data.solutions`."""
    if model.name not in data.solutions:
        view, start = model.view(data), model.start(data)
        affordable = int(np.clip(MAX_MULTIPLICATIONS // (len(view.C) * start.shape[1]), 100, MAX_STEPS))
        data.solutions[model.name] = maximise(
            view.evidence,
            view.W,
            start,
            model.prior(data),
            model.m_step,
            max_steps=affordable,
            tangent=model.tangent,
        )
    return data.solutions[model.name]


def figure(solution: EmSolution, k: int) -> FloatArray:
    """Return the accuracy (B,), with half a right and half a wrong item added.

    It is the mean over the answered items of P(the system's own answer is right). The half items are those of the
    coins' prior, so with one coin the result is exactly the coin's probability. They keep the accuracy off 0 and 1,
    where it has no logit.
    """
    system = solution.T[:, :, -k:]
    Z = np.arange(system.shape[1])
    return np.asarray((system[:, Z, Z % k].sum(axis=1) + 0.5) / (system.sum(axis=(1, 2)) + 1))


def bic(model: Model, data: ModelData) -> FloatArray:
    """Return the Bayesian information criterion (B,): parameters * log n - 2 log-likelihood.

    n is the number of items.
    """
    return np.asarray(model.n_parameters(data) * np.log(data.n) - 2 * solve(model, data).loglik)


def aic(model: Model, data: ModelData) -> FloatArray:
    """Return Akaike's information criterion (B,), 2 parameters - 2 log-likelihood."""
    return np.asarray(2 * model.n_parameters(data) - 2 * solve(model, data).loglik)


def logit_error(model: Model, data: ModelData, accuracy: float) -> LogitError | None:
    """Return the variance of logit(accuracy) of the first weighting, and its degrees of freedom.

    The variance comes from the observed information by the delta method. It is at least the variance for a system
    whose right labels are known. Returns None where the information is singular.
    """
    solution = solve(model, data)
    if "accuracy" not in solution.variances:
        solution.variances["accuracy"] = variance(model, data, gradient(solution, data.k))
    of_accuracy = solution.variances["accuracy"]
    if of_accuracy is None:
        return None
    answers = float(solution.T[0, :, -data.k :].sum())
    least = logit.least_variance(accuracy, answers)
    return max(of_accuracy / (accuracy * (1 - accuracy)) ** 2, least), logit.NORMAL


def variance(model: Model, data: ModelData, slope: FloatArray) -> float | None:
    """Return the variance of a figure A of the first weighting, from the observed information and dA/dPhi (Z, F).

    Returns None where the information is singular.
    """
    solution, view = solve(model, data), model.view(data)
    tangent = model.tangent(solution.Phi[0], solution.T[0] + model.prior(data)[0])
    return information.variance(view.evidence.posterior(view.W[0], solution.Phi[0]), tangent, slope)


def gradient(solution: EmSolution, k: int) -> FloatArray:
    """Return dA/dPhi (Z, F) of the accuracy A = sum P(class | answered) P(right | class), for the first weighting.

    The class shares are those of the answered items, because the system may skip more items of one class than of
    another.
    """
    T: FloatArray = solution.T[0]
    system, out = T[:, -k:], np.zeros_like(T)
    own = np.arange(len(system)), np.arange(len(system)) % k
    share = system.sum(axis=1) / system.sum()
    chance = share * np.exp(solution.Phi[0][:, -k:][own])
    out[:, 0] = chance - share * chance.sum()  # a frequent class draws the mean to its own chance
    out[:, -k:][own] = chance
    return out


def why_undefined(patterns: SystemPatterns) -> Why:
    """Return reason and sentence where no estimator can return an accuracy, else None."""
    raters = lehner.rater_figures(patterns.C, patterns.n_items[None, :].astype(np.float64))
    undefined = why_no_accuracy(raters, patterns.C, patterns.n_items)
    if undefined is None and patterns.count(patterns.rated & patterns.answered) == 0:
        undefined = ("too_few_items", "The system answered none of the items that somebody rated.")
    return undefined


def data_of(patterns: SystemPatterns) -> ModelData:
    """Return the model data of patterns for which `why_undefined` is None.

    The data share the model fits that the patterns already hold.
    """
    ((data, _),) = batches(patterns, patterns.n_items[None, :].astype(np.float64))
    return data if patterns.solutions is None else replace(data, solutions=patterns.solutions)


def interval(patterns: SystemPatterns, fitted: SystemFit, confidence: float, seed: int) -> Interval:
    """Return the Wald interval on the logit scale, from the observed information. It stays inside (0, 1)."""
    if fitted.accuracy is None or fitted.logit_error is None:
        return Interval(None, None, None)
    error = fitted.logit_error()
    if error is None:
        return Interval(None, None, None, (warnings_in_words.NO_INFORMATION,))
    variance, degrees = error
    return logit.interval(fitted.accuracy, variance, confidence, degrees)


def replicate(model: Model, patterns: SystemPatterns, W: FloatArray) -> FloatArray:
    """Return the model's accuracy (B,) under each weighting; NaN where it is undefined."""
    estimates = np.full(len(W), np.nan)
    if model.why_not(patterns) is None:
        for data, numbers in batches(patterns, W):
            estimates[numbers] = figure(solve(model, data), data.k)
    return estimates
