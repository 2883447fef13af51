"""A fitted model's accuracy of the raters beside that of the system, and the variance of their difference."""

from dataclasses import dataclass

import numpy as np

from stats.accuracy import information
from stats.accuracy.data import Data
from stats.accuracy.em import responsibilities
from stats.accuracy.estimator import FloatArray, IntArray
from stats.accuracy.likelihood import Model, figure, gradient, solve


def answered_counts(model: Model, data: Data) -> FloatArray:
    """(Z, F) expected counts over the items that the system answered."""
    solution, view = solve(model, data), model.view(data)
    if data.patterns.answered.all():
        return np.asarray(solution.T[0])
    answer = np.zeros((1, 1, solution.T.shape[2]))
    answer[:, :, -data.k :] = 1
    answered = view.evidence.joint(answer)[0, :, 0]  # 1 where there is a label of the system's
    G = responsibilities(view.evidence, solution.Phi[:1])[0][0]
    return np.asarray(view.evidence.counts((G * (view.W[0] * answered)[:, None])[None])[0])


@dataclass(frozen=True)
class Fitted:
    """One model's fit, and the expected counts T (Z, F) of the items that the system answered."""

    model: Model
    data: Data
    T: FloatArray

    @property
    def n_raters(self) -> int:
        """Raters with chances of their own; 1 for pooled ones (a model by name has two or more)."""
        return int(self.T.shape[1] - 1) // self.data.k - 1

    @property
    def ratings(self) -> IntArray:
        """(r,) by rater."""
        return np.asarray(np.rint(self.blocks.sum(axis=(0, 2))), dtype=np.int64)

    @property
    def blocks(self) -> FloatArray:
        """(Z, r, k) expected counts of the raters' labels."""
        return self.T[:, 1 : -self.data.k].reshape(len(self.T), -1, self.data.k)

    @property
    def system_accuracy(self) -> float:
        return float(figure(solve(self.model, self.data), self.data.k)[0])

    def rater_accuracy(self, rater: int | None) -> float:
        """P(right) of a rating by one rater, or by anybody; with half a right and half a wrong rating, as the system's
        has."""
        blocks, Z = self._of(rater), np.arange(len(self.T))
        return float((blocks[Z, :, Z % self.data.k].sum() + 0.5) / (blocks.sum() + 1))

    def difference_variance(self, rater: int | None) -> float | None:
        """Of the system's accuracy less the rater's; None where the information is singular."""
        solution, view = solve(self.model, self.data), self.model.view(self.data)
        G = responsibilities(view.evidence, solution.Phi[:1])[0][0]
        tangent = self.model.tangent(solution.Phi[0], solution.T[0] + self.model.prior(self.data)[0])
        slope = gradient(solution, self.data.k) - self._gradient(rater, np.exp(solution.Phi[0]))
        return information.variance(view.evidence, view.W[0], G, tangent, slope)

    def _of(self, rater: int | None) -> FloatArray:
        return self.blocks if rater is None else self.blocks[:, rater : rater + 1]

    def _gradient(self, rater: int | None, chances: FloatArray) -> FloatArray:
        """(Z, F) derivative by Phi of sum P(class, rater | rated) P(right | class, rater)."""
        k, Z = self.data.k, np.arange(len(self.T))
        share = self._of(rater).sum(axis=2) / self._of(rater).sum()
        first = range(1, self.T.shape[1] - k, k)
        starts = list(first) if rater is None else [first[rater]]
        out = np.zeros_like(self.T)
        for number, start in enumerate(starts):
            moved = share[:, number] * chances[Z, start + Z % k]
            out[Z, start + Z % k] += moved
            out[:, 0] += moved
        return out
