"""What a latent-class model says of single items: P(the system's own answer is right)."""

import numpy as np

from stats.accuracy.em import Solution, responsibilities
from stats.accuracy.estimator import FloatArray, IntArray, Score
from stats.accuracy.evidence import CELLS, pooled


def own_answer_score(Phi: FloatArray) -> Score:
    """P(the own answer is right | ratings, answer) from log chances (Z, 1 + 2k); see `Fit.score`."""

    def score(C: IntArray, system: IntArray) -> FloatArray:
        k, found = C.shape[1], np.empty(len(C))
        step = max(1, CELLS // len(Phi))
        for start in range(0, len(C), step):
            rows = slice(start, start + step)
            G = responsibilities(pooled(C[rows], system[rows]), Phi[None])[0][0]
            labels = G.reshape(len(G), -1, k).sum(axis=1)
            found[rows] = labels[np.arange(len(G)), system[rows]]
        return found

    return score


def pooled_chances(solution: Solution, k: int) -> FloatArray:
    """(Z, 1 + 2k) log chances of the first weighting with one matrix for all raters.

    The matrices of single raters are pooled by their ratings: a score is asked for counts of labels, and an audit
    is right whatever score it is given.
    """
    Phi: FloatArray = solution.Phi[0]
    T = solution.T[0]
    if Phi.shape[1] == 1 + 2 * k:
        return Phi
    given = T[:, 1:-k].reshape(len(T), -1, k).sum(axis=1) + 1 / k
    rater = np.log(given / given.sum(axis=1, keepdims=True))
    return np.concatenate([Phi[:, :1], rater, Phi[:, -k:]], axis=1)
