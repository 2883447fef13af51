"""The evidence matrix where many patterns differ only in the system's label: human patterns crossed with answers.

Given the class, the system's answer is independent of the human raters' labels, so P(human pattern h, answer a, z) =
P(h, z) P(a | z). With P (Z, H) = P(h, z) and A (Z, k + 1) = P(a | z), the chances of all pairs are A' P. EM and the
information need only such products of small matrices: exponentials and rows for H patterns in place of p, up to k + 1
times as many.

Each pair has a cell in a table (k + 1, H), whose first row is for items without an answer. Cells without items have
weight 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stats.accuracy.fitting.evidence import CELLS, Evidence, Posterior
from stats.arrays import FloatArray, IntArray

_LEAST = 1e-200  # chance of a pair from which sums over classes lose no digits


@dataclass(frozen=True)
class Crossed(Evidence):
    """The evidence of p patterns on k labels, each a pair of a human pattern and an answer.

    - humans: the evidence of the H human patterns, without the system's block.
    - cell (p,): place of the pair in the table, answer * H + human pattern, each at most once.
    """

    humans: Evidence
    cell: IntArray
    n_humans: int
    k: int

    @cached_property
    def empty(self) -> FloatArray:
        """Return 1 for the cells (k + 1, H) of no pattern and 0 for the others."""
        empty = np.ones((self.k + 1) * self.n_humans)
        empty[self.cell] = 0
        return empty.reshape(self.k + 1, -1)

    def joint(self, Phi: FloatArray) -> FloatArray:
        """Return log P(pattern, class) (B, p, Z)."""
        answer, human = np.divmod(self.cell, self.n_humans)
        of_answer = np.zeros((*Phi.shape[:2], self.k + 1))
        of_answer[:, :, 1:] = Phi[:, :, -self.k :]
        of_human = self.humans.joint(Phi[:, :, : -self.k]).swapaxes(1, 2)
        return (of_human[:, :, human] + of_answer[:, :, answer]).swapaxes(1, 2)

    def counts(self, G: FloatArray) -> FloatArray:
        """Return the sums of the rows of X (B, Z, F), weighted by G (B, p, Z)."""
        table = self._table(G.swapaxes(1, 2))
        return self._counted(table.sum(axis=2), table.sum(axis=3))

    def blocks(self, width: int) -> Iterator[tuple[slice, "Crossed"]]:
        """Yield the rows in portions, so that `width` numbers per row fit in memory."""
        step = max(1, CELLS // width)
        for start in range(0, len(self.cell), step):
            rows = slice(start, start + step)
            yield rows, replace(self, cell=self.cell[rows])

    def e_step(self, W: FloatArray, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log-likelihood (B,) and the expected counts (B, Z, F) under weightings W (B, p)."""
        factors = self._factors(W, Phi)
        if factors is None:
            return super().e_step(W, Phi)
        return factors.loglik, self._counted(*factors.expected)

    def posterior(self, w: FloatArray, Phi: FloatArray) -> Posterior:
        """Return the posterior of one weighting w (p,) under Phi (Z, F)."""
        factors = self._factors(w[None], Phi[None])
        return super().posterior(w, Phi) if factors is None else _CrossedPosterior(self, factors)

    def _factors(self, W: FloatArray, Phi: FloatArray) -> "_Factors | None":
        """Return the factors of the pairs' chances, or None where the chance of a pair is too small for a number.

        The chances of a human pattern are relative to its most probable class, so those of a pair are that small only
        where no class that explains the humans' labels can explain the answer.
        """
        L = self.humans.joint(Phi[:, :, : -self.k]).swapaxes(1, 2)
        top = L.max(axis=1)
        L -= top[:, None]
        P = np.exp(L, out=L)
        A = np.ones((*Phi.shape[:2], self.k + 1))
        np.exp(Phi[:, :, -self.k :], out=A[:, :, 1:])
        total = A.swapaxes(1, 2) @ P
        total += self.empty
        return _Factors(P, A, top, total, self._table(W)) if total.min() > _LEAST else None

    def _table(self, values: FloatArray) -> FloatArray:
        """Return values of the patterns (..., p) as cells (..., k + 1, H), 0 where there is no pattern."""
        table = np.zeros((*values.shape[:-1], (self.k + 1) * self.n_humans))
        table[..., self.cell] = values
        return table.reshape(*values.shape[:-1], self.k + 1, -1)

    def _counted(self, of_humans: FloatArray, of_answers: FloatArray) -> FloatArray:
        """Return counts (B, Z, F) from those of the human patterns (B, Z, H) and of the answers (B, Z, k + 1)."""
        return np.concatenate([self.humans.counts(of_humans.swapaxes(1, 2)), of_answers[:, :, 1:]], axis=2)


@dataclass(frozen=True)
class _Factors:
    """The chances P (B, Z, H), A (B, Z, k + 1) and their product `total` (B, k + 1, H), and the cells' weights.

    P is relative to exp(top), with top (B, H).
    """

    P: FloatArray
    A: FloatArray
    top: FloatArray
    total: FloatArray
    weight: FloatArray

    @cached_property
    def scaled(self) -> FloatArray:
        """Return the weight of each cell divided by its chance."""
        return np.asarray(self.weight / self.total)

    @property
    def loglik(self) -> FloatArray:
        """Return the log-likelihood (B,)."""
        of_humans = (self.weight.sum(axis=1) * self.top).sum(axis=1)
        return np.asarray(of_humans + (self.weight * np.log(self.total)).sum(axis=(1, 2)))

    @property
    def expected(self) -> tuple[FloatArray, FloatArray]:
        """Return the expected items by class and human pattern (B, Z, H), and by class and answer (B, Z, k + 1)."""
        return self.P * (self.A @ self.scaled), self.A * (self.P @ self.scaled.swapaxes(1, 2))


@dataclass(frozen=True)
class _CrossedPosterior:
    """The posterior of one weighting, by its factors (B = 1)."""

    evidence: Crossed
    factors: _Factors

    @property
    def loglik(self) -> float:
        return float(self.factors.loglik[0])

    @cached_property
    def counts(self) -> FloatArray:
        return np.asarray(self.evidence._counted(*self.factors.expected)[0])

    @cached_property
    def _by_human(self) -> FloatArray:
        return np.asarray(self.factors.A[0] @ self.factors.scaled[0])

    @cached_property
    def _by_answer(self) -> FloatArray:
        return np.asarray(self.factors.P[0] @ self.factors.scaled[0].T)

    def missing(self, V: FloatArray) -> FloatArray:
        """Return M V, from sums over pairs of weight * P(z | pair) * (v_h + v_a - their mean over the classes)."""
        k, P, A, R = self.evidence.k, self.factors.P[0], self.factors.A[0], self.factors.scaled[0]
        PV = P * self.evidence.humans.joint(V[None, :, :-k])[0].T
        AV = np.zeros_like(A)
        AV[:, 1:] = A[:, 1:] * V[:, -k:]
        centre = R * ((A.T @ PV + AV.T @ P) / self.factors.total[0])
        of_humans = PV * self._by_human + P * (AV @ R - A @ centre)
        of_answers = A * (PV @ R.T - P @ centre.T) + AV * self._by_answer
        return np.asarray(self.evidence._counted(of_humans[None], of_answers[None])[0])
