"""Expectation-maximisation for latent-class models, over many weightings of the same patterns at once.

Source: A. P. Dempster, N. M. Laird & D. B. Rubin (1977), J. R. Stat. Soc. B 39, 1-38; extrapolation of two steps
to a third by R. Varadhan & C. Roland (2008), Scand. J. Stat. 35, 335-353 (SQUAREM, scheme 3). The state is the
table T of expected counts: the models' constraints then hold whatever is extrapolated, because the M-step alone
makes chances of counts. An extrapolation that lowers the objective is taken back, so it never falls.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.estimator import FloatArray, IntArray
from stats.accuracy.evidence import Evidence

TOLERANCE = 1e-8  # largest change of an expected count in one EM step, as a share of the items
GAIN = 1e-6  # gain of log-likelihood in three steps: what is left to gain is far below any standard error
MAX_STEPS = 3000
_LONGEST = 256.0  # longest extrapolation, in EM steps

MStep = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Solution:
    """Where EM ended, for B weightings. Phi (B, Z, F) log chances, T (B, Z, F) expected counts without the prior,
    loglik (B,) without the prior, steps (B,) evaluations of the likelihood, converged (B,)."""

    Phi: FloatArray
    T: FloatArray
    loglik: FloatArray
    steps: IntArray
    converged: NDArray[np.bool_]

    def take(self, rows: IntArray) -> "Solution":
        """Some of the weightings."""
        return Solution(self.Phi[rows], self.T[rows], self.loglik[rows], self.steps[rows], self.converged[rows])


Solutions = dict[str, Solution]  # of models, by name


def maximise(
    evidence: Evidence,
    W: FloatArray,
    start: FloatArray,
    prior: FloatArray,
    m_step: MStep,
    *,
    gain: float = GAIN,
    max_steps: int = MAX_STEPS,
) -> Solution:
    """Maximum over the model's chances of sum_p W[b, p] log P(pattern p) + sum prior * Phi, for each b.

    W (B, p); start (B, Z, F) expected counts to begin from; prior (B, Z, F) pseudo-counts; m_step makes Phi of
    counts that hold the prior; gain of three steps below which a weighting has arrived and leaves the iteration, as
    it does after max_steps evaluations of the likelihood.
    """
    B, n = len(W), W.sum(axis=1)
    final, steps, converged = start.copy(), np.zeros(B, np.int64), np.zeros(B, bool)
    left, T, before = np.arange(B), start, np.full(B, -np.inf)
    while left.size:
        objective, T1 = _step(evidence, W[left], T, prior[left], m_step)
        change = T1 - T
        largest = np.abs(change).max(axis=(1, 2), initial=0.0)
        there = (largest <= TOLERANCE * n[left]) | (objective - before[left] <= gain)
        before[left] = objective
        steps[left] += 1
        if there.any() or (steps[left] >= max_steps).any():
            ends = there | (steps[left] >= max_steps)
            final[left[ends]], converged[left[ends]] = T1[ends], there[ends]
            left, T, T1, change = left[~ends], T[~ends], T1[~ends], change[~ends]
        if left.size:
            T = _further(evidence, W[left], T, T1, change, prior[left], m_step)
            steps[left] += 2
    Phi = m_step(final + prior)
    loglik, T = e_step(evidence, W, Phi)
    return Solution(Phi, T, loglik, steps, converged)


def e_step(evidence: Evidence, W: FloatArray, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log-likelihood (B,) and expected counts (B, Z, F)."""
    loglik, T = np.zeros(len(W)), np.zeros_like(Phi)
    for rows, part in evidence.blocks(Phi.shape[0] * Phi.shape[1]):
        G, log_total = responsibilities(part, Phi)
        w = W[:, rows]
        loglik += (w * log_total).sum(axis=1)
        G *= w[:, :, None]
        T += part.counts(G)
    return loglik, T


def responsibilities(evidence: Evidence, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(class | pattern) (B, p, Z) and log P(pattern) (B, p)."""
    L = evidence.joint(Phi)
    top = L.max(axis=2, keepdims=True)
    L -= top
    G = np.exp(L, out=L)
    total = G.sum(axis=2, keepdims=True)
    G /= total
    return G, (top + np.log(total))[:, :, 0]


def _step(
    evidence: Evidence, W: FloatArray, T: FloatArray, prior: FloatArray, m_step: MStep
) -> tuple[FloatArray, FloatArray]:
    """Objective (B,) of the chances that the counts T make, and the next counts."""
    Phi = m_step(T + prior)
    loglik, T1 = e_step(evidence, W, Phi)
    return loglik + (prior * Phi).sum(axis=(1, 2)), T1


def _further(
    evidence: Evidence,
    W: FloatArray,
    T: FloatArray,
    T1: FloatArray,
    change: FloatArray,
    prior: FloatArray,
    m_step: MStep,
) -> FloatArray:
    """A second EM step, the extrapolation of both, and an EM step from there if the objective has not fallen."""
    before, T2 = _step(evidence, W, T1, prior, m_step)
    bend = T2 - T1 - change
    length = np.sqrt((change**2).sum(axis=(1, 2)) / np.maximum((bend**2).sum(axis=(1, 2)), 1e-300))
    a = np.clip(length, 1.0, _LONGEST)[:, None, None]
    reached = np.maximum(T + 2 * a * change + a**2 * bend, 0.0)
    after, T3 = _step(evidence, W, reached, prior, m_step)
    return np.where((after >= before)[:, None, None], T3, T2)
