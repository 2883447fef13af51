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
from stats.accuracy.fitting.information import Tangent
from stats.accuracy.fitting.newton import Attempt, EmStep, finish
from stats.arrays import FloatArray

TOLERANCE = 1e-8  # largest change of an expected count in one EM step, as a share of the items
GAIN = 1e-6  # log-likelihood gained in three steps; what then remains is far below any standard error
MAX_STEPS = 3000
NEAR = 1.0  # log-likelihood gained in three steps, below which Newton's method may finish
FIRST_ATTEMPT = 20  # evaluations of the likelihood before it tries: most models need fewer
_LONGEST = 256.0  # longest extrapolation, in EM steps

MStep = Callable[[FloatArray], FloatArray]
TangentAt = Callable[[FloatArray, FloatArray], Tangent]


def maximise(
    evidence: Evidence,
    W: FloatArray,
    start: FloatArray,
    prior: FloatArray,
    m_step: MStep,
    *,
    gain: float = GAIN,
    max_steps: int = MAX_STEPS,
    tangent: TangentAt | None = None,
) -> EmSolution:
    """Maximise sum_p W[b, p] log P(pattern p) + sum prior * Phi over the model's probabilities, for each weighting b.

    - W (B, p): weight of each pattern.
    - start (B, Z, F): expected counts to begin from.
    - prior (B, Z, F): pseudo-counts.
    - m_step: makes Phi from counts that include the prior.
    - gain: a weighting has converged when three steps raise its log-likelihood by no more than this.
    - max_steps: evaluations of the likelihood after which a weighting stops without convergence.
    - tangent: makes the tangent space of the model at log probabilities and counts with prior, both (Z, F). With it,
      Newton's method finishes a weighting that needs many steps (`stats.accuracy.fitting.newton`).

    Each weighting leaves the iteration as soon as it stops.
    """
    B, n = len(W), W.sum(axis=1)
    final, steps, converged = start.copy(), np.zeros(B, np.int64), np.zeros(B, bool)
    left, T, before = np.arange(B), start, np.full(B, -np.inf)
    next_attempt = np.full(B, FIRST_ATTEMPT if tangent is not None else max_steps)
    while left.size:
        objective, T1 = _step(evidence, W[left], T, prior[left], m_step)
        change = T1 - T
        largest = np.abs(change).max(axis=(1, 2), initial=0.0)
        gained = objective - before[left]
        settled = (largest <= TOLERANCE * n[left]) | (gained <= gain)
        before[left] = objective
        steps[left] += 1
        for row in np.flatnonzero((gained <= NEAR) & ~settled & (steps[left] >= next_attempt[left])):
            weighting = slice(left[row], left[row] + 1)
            attempt = _finish(evidence, W[weighting], T1[row], prior[weighting], m_step, tangent)
            steps[weighting] += attempt.steps
            next_attempt[weighting] = 2 * steps[weighting]
            if attempt.T is not None:
                T1[row], settled[row] = attempt.T, True
        if settled.any() or (steps[left] >= max_steps).any():
            ends = settled | (steps[left] >= max_steps)
            final[left[ends]], converged[left[ends]] = T1[ends], settled[ends]
            left, T, T1, change = left[~ends], T[~ends], T1[~ends], change[~ends]
        if left.size:
            T = _further(evidence, W[left], T, T1, change, prior[left], m_step)
            steps[left] += 2
    Phi = m_step(final + prior)
    loglik, T = evidence.e_step(W, Phi)
    return EmSolution(Phi, T, loglik, steps, converged)


def _step(
    evidence: Evidence, W: FloatArray, T: FloatArray, prior: FloatArray, m_step: MStep
) -> tuple[FloatArray, FloatArray]:
    """Return the objective (B,) of the probabilities that the counts T make, and the next counts."""
    Phi = m_step(T + prior)
    loglik, T1 = evidence.e_step(W, Phi)
    return loglik + (prior * Phi).sum(axis=(1, 2)), T1


def _finish(
    evidence: Evidence, W: FloatArray, T: FloatArray, prior: FloatArray, m_step: MStep, tangent: TangentAt | None
) -> Attempt:
    """Let Newton's method go on from the counts T (Z, F) of one weighting, W (1, p) with its prior (1, Z, F)."""
    if tangent is None:
        return Attempt(None, 0)

    def em_step(counts: FloatArray) -> EmStep:
        Phi = m_step(counts[None] + prior)
        posterior = evidence.posterior(W[0], Phi[0])
        return EmStep(Phi[0], posterior, posterior.loglik + float((prior * Phi).sum()))

    return finish(T, em_step, lambda Phi, counts: tangent(Phi, counts + prior[0]))


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
