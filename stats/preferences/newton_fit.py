"""Fit a choice among first, second and tie by maximum likelihood, with Newton's method on counts.

The utilities of the three are linear in the parameters, so that the likelihood is concave. With strengths l of the
models and the tie parameter t they are l[first], l[second] and t + (l[first] + l[second]) / 2 (Davidson 1970).
"""

from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from scipy.sparse import csr_array

from stats.arrays import FloatArray, IntArray

MAX_STEPS = 100
PRECISE = 1e-10  # largest change of a parameter in the last step
NULL = 1e-13  # eigenvalues of the information below this part of the largest are zero
LARGEST = 12.0  # log odds: a finite maximum beyond it would take e^12 votes


@dataclass(frozen=True)
class ChoiceFit:
    """The maximum: parameters (p,), their information (p, p), the expected row of the design (C, p) of each count."""

    estimate: FloatArray
    information: FloatArray
    expected: csr_array
    converged: bool

    def covariance(self) -> FloatArray:
        """Return the inverse information. Directions that the votes do not determine have no part in it."""
        return pseudo_inverse(self.information)

    def undetermined(self) -> FloatArray:
        """Return for each parameter how much of it lies in directions that the votes do not determine, 0..1."""
        values, vectors = np.linalg.eigh(self.information)
        free: FloatArray = (vectors[:, values <= NULL * values[-1]] ** 2).sum(axis=1)
        return free


def pseudo_inverse(information: FloatArray) -> FloatArray:
    """Return the inverse in the directions whose eigenvalue is not zero."""
    values, vectors = np.linalg.eigh(information)
    is_positive = values > NULL * max(values[-1], 1e-300)
    inverse: FloatArray = (vectors[:, is_positive] / values[is_positive]) @ vectors[:, is_positive].T
    return inverse


def design(
    first: IntArray, second: IntArray, n_models: int, group: IntArray | None = None, n_groups: int = 0
) -> list[csr_array]:
    """Return the design (C, p) of each outcome. Parameters: the strengths, the tie, and a position bias per group."""
    c, p = np.arange(len(first)), n_models + 1 + n_groups
    ones, half = np.ones(len(first)), np.full(len(first), 0.5)
    of_first = [(c, first, ones)]
    of_second = [(c, second, ones)]
    of_tie = [(c, np.full(len(first), n_models), ones), (c, first, half), (c, second, half)]
    if group is not None:
        of_first.append((c, n_models + 1 + group, ones))
        of_tie.append((c, n_models + 1 + group, half))
    shape = (len(first), p)
    return [
        csr_array(
            (
                np.concatenate([v for *_, v in entries]),
                (np.concatenate([r for r, *_ in entries]), np.concatenate([k for _, k, _ in entries])),
            ),
            shape=shape,
        )
        for entries in (of_first, of_second, of_tie)
    ]


def fit_choices(X: list[csr_array], counts: FloatArray, *, n_models: int) -> ChoiceFit:
    """Return the maximum of the likelihood of `counts` (C, 3). Without ties the tie parameter is left out."""
    outcomes = [0, 1, 2] if counts[:, 2].any() else [0, 1]
    X, counts = [X[k] for k in outcomes], counts[:, outcomes]
    total = counts.sum(axis=1)
    theta, converged = np.zeros(X[0].shape[1]), False
    best = _log_likelihood(X, counts, theta)
    for _ in range(MAX_STEPS):
        gradient, information, _ = _derivatives(X, counts, total, theta)
        step = pseudo_inverse(information) @ gradient
        size = 1.0
        while (likelihood := _log_likelihood(X, counts, theta + size * step)) < best - 1e-9 * abs(best) and size > 1e-6:
            size /= 2
        theta, best = theta + size * step, likelihood
        if np.abs(size * step).max() < PRECISE:
            converged = True
            break
        if np.abs(theta[:n_models]).max() > 4 * LARGEST:
            break
    _, information, expected = _derivatives(X, counts, total, theta)
    return ChoiceFit(theta, information, expected, converged)


def _utilities(X: list[csr_array], theta: FloatArray) -> FloatArray:
    return np.stack([x @ theta for x in X], axis=1)


def _log_likelihood(X: list[csr_array], counts: FloatArray, theta: FloatArray) -> float:
    u = _utilities(X, theta)
    top = u.max(axis=1, keepdims=True)
    return float((counts * (u - top - np.log(np.exp(u - top).sum(axis=1, keepdims=True)))).sum())


def _derivatives(
    X: list[csr_array], counts: FloatArray, total: FloatArray, theta: FloatArray
) -> tuple[FloatArray, FloatArray, csr_array]:
    u = _utilities(X, theta)
    p = np.exp(u - u.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    gradient = sum(x.T @ (counts[:, k] - total * p[:, k]) for k, x in enumerate(X))
    expected: csr_array = reduce(add, [x.multiply(p[:, [k]]).tocsr() for k, x in enumerate(X)])
    information = sum((x.T @ x.multiply((total * p[:, k])[:, None])).toarray() for k, x in enumerate(X))
    information = information - (expected.T @ expected.multiply(total[:, None])).toarray()
    return np.asarray(gradient), np.asarray(information), csr_array(expected)
