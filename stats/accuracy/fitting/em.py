"""Expectation-maximisation (EM) for latent-class models, over many weightings of the same patterns at once.

EM is by A. P. Dempster, N. M. Laird & D. B. Rubin (1977), J. R. Stat. Soc. B 39, 1-38. Two steps are extrapolated to a
third by R. Varadhan & C. Roland (2008), Scand. J. Stat. 35, 335-353 (SQUAREM, scheme 3).

The state of the iteration is the table T of expected counts, not the probabilities. Only the M-step makes
probabilities from counts, so a model's constraints hold after any extrapolation. An extrapolation that lowers the
objective is undone, so the objective never falls.
"""

from collections.abc import Callable

import numpy as np

from stats.accuracy.fitting.em_solution import EmSolution
from stats.accuracy.fitting.evidence import Evidence
from stats.arrays import FloatArray

TOLERANCE = 1e-8  # largest change of an expected count in one EM step, as a share of the items
GAIN = 1e-6  # log-likelihood gained in three steps; what then remains is far below any standard error
MAX_STEPS = 3000
_LONGEST = 256.0  # longest extrapolation, in EM steps

MStep = Callable[[FloatArray], FloatArray]


def maximise(
    evidence: Evidence,
    W: FloatArray,
    start: FloatArray,
    prior: FloatArray,
    m_step: MStep,
    *,
    gain: float = GAIN,
    max_steps: int = MAX_STEPS,
) -> EmSolution:
    """Maximise sum_p W[b, p] log P(pattern p) + sum prior * Phi over the model's probabilities, for each weighting b.

    - W (B, p): weight of each pattern.
    - start (B, Z, F): expected counts to begin from.
    - prior (B, Z, F): pseudo-counts.
    - m_step: makes Phi from counts that include the prior.
    - gain: a weighting has converged when three steps raise its log-likelihood by no more than this.
    - max_steps: evaluations of the likelihood after which a weighting stops without convergence.

    Each weighting leaves the iteration as soon as it stops.
    """
    B, n = len(W), W.sum(axis=1)
    final, steps, converged = start.copy(), np.zeros(B, np.int64), np.zeros(B, bool)
    left, T, before = np.arange(B), start, np.full(B, -np.inf)
    while left.size:
        objective, T1 = _step(evidence, W[left], T, prior[left], m_step)
        change = T1 - T
        largest = np.abs(change).max(axis=(1, 2), initial=0.0)
        settled = (largest <= TOLERANCE * n[left]) | (objective - before[left] <= gain)
        before[left] = objective
        steps[left] += 1
        if settled.any() or (steps[left] >= max_steps).any():
            ends = settled | (steps[left] >= max_steps)
            final[left[ends]], converged[left[ends]] = T1[ends], settled[ends]
            left, T, T1, change = left[~ends], T[~ends], T1[~ends], change[~ends]
        if left.size:
            T = _further(evidence, W[left], T, T1, change, prior[left], m_step)
            steps[left] += 2
    Phi = m_step(final + prior)
    loglik, T = e_step(evidence, W, Phi)
    return EmSolution(Phi, T, loglik, steps, converged)


def e_step(evidence: Evidence, W: FloatArray, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the log-likelihood (B,) and the expected counts (B, Z, F)."""
    loglik, T = np.zeros(len(W)), np.zeros_like(Phi)
    for rows, part in evidence.blocks(Phi.shape[0] * Phi.shape[1]):
        G, log_total = responsibilities(part, Phi)
        w = W[:, rows]
        loglik += (w * log_total).sum(axis=1)
        G *= w[:, :, None]
        T += part.counts(G)
    return loglik, T


def responsibilities(evidence: Evidence, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(class | pattern) (B, p, Z) and log P(pattern) (B, p)."""
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
    """Return the objective (B,) of the probabilities that the counts T make, and the next counts."""
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
    """Take a second EM step, extrapolate both, and take an EM step from there unless the objective has fallen."""
    before, T2 = _step(evidence, W, T1, prior, m_step)
    bend = T2 - T1 - change
    length = np.sqrt((change**2).sum(axis=(1, 2)) / np.maximum((bend**2).sum(axis=(1, 2)), 1e-300))
    a = np.clip(length, 1.0, _LONGEST)[:, None, None]
    reached = np.maximum(T + 2 * a * change + a**2 * bend, 0.0)
    after, T3 = _step(evidence, W, reached, prior, m_step)
    return np.where((after >= before)[:, None, None], T3, T2)
