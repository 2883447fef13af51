"""Item scores from a latent-class model: P(the system's own answer is right)."""

import numpy as np

from stats.accuracy.fitting.em_solution import EmSolution
from stats.accuracy.fitting.estimator import Score
from stats.accuracy.fitting.evidence import CELLS
from stats.accuracy.fitting.pattern_evidence import pooled
from stats.arrays import FloatArray, IntArray


def own_answer_score(Phi: FloatArray) -> Score:
    """Return P(the system's answer is right | ratings, answer) as a function of (C, system).

    Phi (Z, 1 + 2k) are log probabilities. See `SystemFit.score`.
    """

    def score(C: IntArray, system: IntArray) -> FloatArray:
        k, scores = C.shape[1], np.empty(len(C))
        step = max(1, CELLS // len(Phi))
        for start in range(0, len(C), step):
            rows = slice(start, start + step)
            G = pooled(C[rows], system[rows]).responsibilities(Phi[None])[0][0]
            labels = G.reshape(len(G), -1, k).sum(axis=1)
            scores[rows] = labels[np.arange(len(G)), system[rows]]
        return scores

    return score


def pooled_chances(solution: EmSolution, k: int) -> FloatArray:
    """Return log probabilities (Z, 1 + 2k) of the first weighting, with one matrix for all raters.

    The raters' matrices are pooled by their numbers of ratings, because a score takes counts of labels. An audit is
    right with any score, so the pooling cannot bias it.
    """
    Phi: FloatArray = solution.Phi[0]
    T = solution.T[0]
    if Phi.shape[1] == 1 + 2 * k:
        return Phi
    counts = T[:, 1:-k].reshape(len(T), -1, k).sum(axis=1) + 1 / k
    rater = np.log(counts / counts.sum(axis=1, keepdims=True))
    return np.concatenate([Phi[:, :1], rater, Phi[:, -k:]], axis=1)
