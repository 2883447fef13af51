"""What the latent-class models have in common: how one is fitted to a system, its figure, error and replicates.

A model is a `Model` in a file of its own; `estimator` makes the entry of ESTIMATORS of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from stats.accuracy import information, lehner, logit, notes
from stats.accuracy.data import Data, View, batches
from stats.accuracy.em import GAIN, MAX_STEPS, MStep, Solution, maximise, responsibilities
from stats.accuracy.estimator import Estimator, Fit, FloatArray, Interval, LogitError, Patterns
from stats.accuracy.lehner_fit import why_no_accuracy
from stats.accuracy.score import own_answer_score, pooled_chances

WORK = 200_000_000  # patterns x classes x steps that EM may take: some ten seconds
Why = tuple[str, str] | None  # reason code and sentence


def always(_: Patterns) -> Why:
    """Applicable to all patterns."""
    return None


@dataclass(frozen=True)
class Model:
    """A latent-class model. Shapes as in `stats.accuracy.evidence`, B weightings at once.

    view, start, prior: what EM works on, the expected counts it starts from, the pseudo-counts (B, Z, F).
    m_step:       counts with prior (B, Z, F) -> log chances (B, Z, F).
    n_parameters: (B,) free parameters; those of labels that nobody used do not count.
    tangent:      log chances and counts with prior (Z, F) of one weighting -> how the parameters move them.
    why_not:      reason and sentence where the model does not apply to such patterns.
    symmetric:    errors are taken to fall alike on all labels.
    gain:         of log-likelihood below which EM stops.
    """

    name: str
    view: Callable[[Data], View]
    start: Callable[[Data], FloatArray]
    prior: Callable[[Data], FloatArray]
    m_step: MStep
    n_parameters: Callable[[Data], FloatArray]
    tangent: Callable[[FloatArray, FloatArray], information.Tangent]
    why_not: Callable[[Patterns], Why] = always
    symmetric: bool = True
    gain: float = GAIN


def estimator(title: str, model_for: Callable[[Patterns], Model], *, name: str, by_rater: bool = False) -> Estimator:
    """The entry of ESTIMATORS for a model, which may depend on whether the labels are ordered."""
    return Estimator(
        name,
        title,
        lambda patterns: fit(model_for(patterns), patterns),
        interval,
        lambda patterns, W: replicate(model_for(patterns), patterns, W),
        by_rater,
    )


def fit(model: Model, patterns: Patterns) -> Fit:
    """The model's estimate for the system in `patterns`, with reasons and warnings.

    `n_items` counts the items that the system answered and somebody rated. Undefined, with its reason: where the
    raters' accuracy is (`zero_denominator`, `not_identified`: without raters better than chance nothing tells a
    solution from its mirror image with exchanged labels), no item in common (`too_few_items`), and where the model
    itself does not apply (`not_applicable`, `not_identified`).
    """
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_undefined(patterns) or model.why_not(patterns)
    if undefined is not None:
        return Fit(None, n, *undefined)
    found = fit_of(model, data_of(patterns), n)
    about = notes.on_any(patterns, found.accuracy or 0.0, symmetric=model.symmetric)
    return replace(found, warnings=(*about, *found.warnings))


def fit_of(model: Model, data: Data, n: int) -> Fit:
    """The estimate from data that have one, without warnings on the data."""
    solution = solve(model, data)
    accuracy = float(figure(solution, data.k)[0])
    return Fit(
        accuracy,
        n,
        warnings=tuple(notes.on_steps(int(solution.steps[0]), bool(solution.converged[0]))),
        score=own_answer_score(pooled_chances(solution, data.k)),
        logit_error=partial(logit_error, model, data, accuracy),
    )


def solve(model: Model, data: Data) -> Solution:
    """The model's maximum, computed once for the same data."""
    if model.name not in data.solutions:
        view, start = model.view(data), model.start(data)
        affordable = int(np.clip(WORK // (len(view.C) * start.shape[1]), 100, MAX_STEPS))
        data.solutions[model.name] = maximise(
            view.evidence, view.W, start, model.prior(data), model.m_step, gain=model.gain, max_steps=affordable
        )
    return data.solutions[model.name]


def figure(solution: Solution, k: int) -> FloatArray:
    """(B,) accuracy: mean over the answered items of P(the system's own answer is right), with half a right and half
    a wrong item added.

    The half items are those of the coins' prior: with one coin this is exactly the coin's chance. They keep the
    figure off 0 and 1, where it has no logit.
    """
    system = solution.T[:, :, -k:]
    Z = np.arange(system.shape[1])
    return np.asarray((system[:, Z, Z % k].sum(axis=1) + 0.5) / (system.sum(axis=(1, 2)) + 1))


def bic(model: Model, data: Data) -> FloatArray:
    """(B,) Bayesian information criterion with n = items: parameters log n - 2 log-likelihood."""
    return np.asarray(model.n_parameters(data) * np.log(data.n) - 2 * solve(model, data).loglik)


def aic(model: Model, data: Data) -> FloatArray:
    """(B,) Akaike's information criterion: 2 parameters - 2 log-likelihood."""
    return np.asarray(2 * model.n_parameters(data) - 2 * solve(model, data).loglik)


def logit_error(model: Model, data: Data, accuracy: float) -> LogitError | None:
    """Variance of logit(accuracy) of the first weighting, by the observed information and the delta method; None
    where the information is singular. At least that of a system whose right labels are known."""
    solution, view = solve(model, data), model.view(data)
    G = responsibilities(view.evidence, solution.Phi[:1])[0][0]
    tangent = model.tangent(solution.Phi[0], solution.T[0] + model.prior(data)[0])
    variance = information.variance(view.evidence, view.W[0], G, tangent, gradient(solution, data.k))
    if variance is None:
        return None
    answers = float(solution.T[0, :, -data.k :].sum())
    known = logit.least_variance(accuracy, answers)
    return max(variance / (accuracy * (1 - accuracy)) ** 2, known), logit.NORMAL


def gradient(solution: Solution, k: int) -> FloatArray:
    """(Z, F) derivative by Phi of the accuracy, sum of P(class | answered) P(right | class), of the first weighting.

    The system may have left out more items of one class than of another, so the shares are those of its answers.
    """
    T: FloatArray = solution.T[0]
    system, out = T[:, -k:], np.zeros_like(T)
    own = np.arange(len(system)), np.arange(len(system)) % k
    share = system.sum(axis=1) / system.sum()
    chance = share * np.exp(solution.Phi[0][:, -k:][own])
    out[:, 0] = chance - share * chance.sum()  # a frequent class draws the mean to its own chance
    out[:, -k:][own] = chance
    return out


def why_undefined(patterns: Patterns) -> Why:
    """Reason and sentence where no estimator has a figure, else None."""
    raters = lehner.rater_figures(patterns.C, patterns.n_items[None, :].astype(np.float64))
    undefined = why_no_accuracy(raters, patterns.n_labels)
    if undefined is None and patterns.count(patterns.rated & patterns.answered) == 0:
        undefined = ("too_few_items", "The system answered none of the items that somebody rated.")
    return undefined


def data_of(patterns: Patterns) -> Data:
    """The data of patterns for which `why_undefined` is None, with what the models have found in them already."""
    ((data, _),) = batches(patterns, patterns.n_items[None, :].astype(np.float64))
    return data if patterns.solutions is None else replace(data, solutions=patterns.solutions)


def interval(patterns: Patterns, fitted: Fit, confidence: float, seed: int) -> Interval:
    """Wald interval on the logit scale from the observed information, so that it stays inside (0, 1)."""
    if fitted.accuracy is None or fitted.logit_error is None:
        return Interval(None, None, None)
    error = fitted.logit_error()
    if error is None:
        return Interval(None, None, None, (notes.NO_INFORMATION,))
    variance, degrees = error
    return logit.interval(fitted.accuracy, variance, confidence, degrees)


def replicate(model: Model, patterns: Patterns, W: FloatArray) -> FloatArray:
    """(B,) the model's figure under each weighting; NaN where it is undefined."""
    estimates = np.full(len(W), np.nan)
    if model.why_not(patterns) is None:
        for data, numbers in batches(patterns, W):
            estimates[numbers] = figure(solve(model, data), data.k)
    return estimates
