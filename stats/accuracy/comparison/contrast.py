"""Contrast of raters and system within one fitted model: their accuracies and the variance of the difference."""

from dataclasses import dataclass

import numpy as np

from stats.accuracy.fitting.likelihood import Model, figure, gradient, solve, variance
from stats.accuracy.fitting.model_data import ModelData
from stats.arrays import FloatArray, IntArray


def answered_counts(model: Model, data: ModelData) -> FloatArray:
    """Return the expected counts (Z, F) over the items that the system answered."""
    solution, view = solve(model, data), model.view(data)
    if data.patterns.answered.all():
        return np.asarray(solution.T[0])
    answer = np.zeros((1, 1, solution.T.shape[2]))
    answer[:, :, -data.k :] = 1
    answered = view.evidence.joint(answer)[0, :, 0]  # 1 where the system gave a label
    return view.evidence.posterior(view.W[0] * answered, solution.Phi[0]).counts


@dataclass(frozen=True)
class ContrastFit:
    """One model's fit, and the expected counts T (Z, F) of the items that the system answered."""

    model: Model
    data: ModelData
    T: FloatArray

    @property
    def n_raters(self) -> int:
        """Return how many raters the model tells apart; 1 for pooled raters (a model by rater has two or more)."""
        return int(self.T.shape[1] - 1) // self.data.k - 1

    @property
    def ratings(self) -> IntArray:
        """Return the number of ratings by rater (r,)."""
        return np.asarray(np.rint(self.blocks.sum(axis=(0, 2))), dtype=np.int64)

    @property
    def blocks(self) -> FloatArray:
        """Return the expected counts of the raters' labels (Z, r, k)."""
        return self.T[:, 1 : -self.data.k].reshape(len(self.T), -1, self.data.k)

    @property
    def system_accuracy(self) -> float:
        """Return the system's accuracy in this fit."""
        return float(figure(solve(self.model, self.data), self.data.k)[0])

    def rater_accuracy(self, rater: int | None) -> float:
        """Return P(right) of a rating by one rater, or by any rater if None.

        Half a right and half a wrong rating are added, as for the system.
        """
        blocks, Z = self._of(rater), np.arange(len(self.T))
        return float((blocks[Z, :, Z % self.data.k].sum() + 0.5) / (blocks.sum() + 1))

    @property
    def rater_accuracies(self) -> FloatArray:
        """Return the `rater_accuracy` of each rater (r,)."""
        Z, n = np.arange(len(self.T)), self.blocks.sum(axis=(0, 2))
        return np.asarray((self.blocks[Z, :, Z % self.data.k].sum(axis=0) + 0.5) / (n + 1))

    def difference_variance(self, rater: int | None) -> float | None:
        """Return the variance of the system's accuracy minus the rater's; None where the information is singular."""
        solution = solve(self.model, self.data)
        slope = gradient(solution, self.data.k) - self._gradient(rater, np.exp(solution.Phi[0]))
        return variance(self.model, self.data, slope)

    def rater_variance(self, rater: int | None) -> float | None:
        """Return the variance of the rater's accuracy, or of all raters' if None.

        Returns None where the information is singular.
        """
        return variance(self.model, self.data, self._gradient(rater, np.exp(solve(self.model, self.data).Phi[0])))

    def _of(self, rater: int | None) -> FloatArray:
        return self.blocks if rater is None else self.blocks[:, rater : rater + 1]

    def _gradient(self, rater: int | None, chances: FloatArray) -> FloatArray:
        """Return the derivative (Z, F) by Phi of sum P(class, rater | rated) P(right | class, rater)."""
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
