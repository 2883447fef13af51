"""The evidence matrix: patterns as rows that latent-class models multiply with their log probabilities.

Every item has a hidden class z of Z: its right label, or in `difficulty` its label and level. A model is a table Phi
(Z, F) of logarithms. Column 0 is log P(z). A block of k columns follows for each kind of rater, log P(label | z). The
last block belongs to the system.

A pattern is a row x (F,) of counts: 1, the raters' labels, the system's label (zeros where it gave none). So log
P(pattern, z) = x . Phi[z], and the expected counts of the complete data are G' X. These two products serve all models,
in EM and in the information matrix. B models are handled at once, as Phi (B, Z, F).

`stats.accuracy.fitting.crossed` has the same matrix in a form that is faster where many patterns differ only in the
system's label. `stats.accuracy.fitting.pattern_evidence` chooses the form.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from stats.arrays import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS = 4_000_000  # limit on the numbers in one block, and on the size of a dense X of rater-level patterns
MANY_CLASSES = 16  # from here on operations may as well run along the classes in memory


class Posterior(Protocol):
    """The hidden classes of all patterns under one weighting w (p,) and one model Phi (Z, F)."""

    @property
    def loglik(self) -> float:
        """Return the sum of w log P(pattern)."""
        ...

    @property
    def counts(self) -> FloatArray:
        """Return the expected counts of the complete data (Z, F)."""
        ...

    def missing(self, V: FloatArray) -> FloatArray:
        """Return M V (Z, F): the covariance, over the hidden classes, of the complete-data counts with their product
        with V (Z, F)."""
        ...


class Evidence(ABC):
    """The matrix X (p, F) of the patterns."""

    @abstractmethod
    def joint(self, Phi: FloatArray) -> FloatArray:
        """Return log P(pattern, class) (B, p, Z)."""

    @abstractmethod
    def counts(self, G: FloatArray) -> FloatArray:
        """Return the sums of the rows of X (B, Z, F), weighted by G (B, p, Z)."""

    @abstractmethod
    def blocks(self, width: int) -> Iterator[tuple[slice, "Evidence"]]:
        """Yield the rows in portions, so that `width` numbers per row fit in memory."""

    def responsibilities(self, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(class | pattern) (B, p, Z) and log P(pattern) (B, p)."""
        L = self.joint(Phi)
        top = L.max(axis=2, keepdims=True)
        L -= top
        G = np.exp(L, out=L)
        total = G.sum(axis=2, keepdims=True)
        G /= total
        return G, (top + np.log(total))[:, :, 0]

    def e_step(self, W: FloatArray, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log-likelihood (B,) and the expected counts (B, Z, F) under weightings W (B, p)."""
        loglik, T = np.zeros(len(W)), np.zeros_like(Phi)
        for rows, part in self.blocks(Phi.shape[0] * Phi.shape[1]):
            G, log_total = part.responsibilities(Phi)
            w = W[:, rows]
            loglik += (w * log_total).sum(axis=1)
            G *= w[:, :, None]
            T += part.counts(G)
        return loglik, T

    def posterior(self, w: FloatArray, Phi: FloatArray) -> Posterior:
        """Return the posterior of one weighting w (p,) under Phi (Z, F)."""
        G, log_total = self.responsibilities(Phi[None])
        return _Responsibilities(self, w, G[0], float((w * log_total[0]).sum()))


@dataclass(frozen=True)
class _Responsibilities:
    """A posterior that holds P(class | pattern) G (p, Z)."""

    evidence: Evidence
    w: FloatArray
    G: FloatArray
    loglik: float

    @cached_property
    def counts(self) -> FloatArray:
        return np.asarray(self.evidence.counts((self.G * self.w[:, None])[None])[0])

    def missing(self, V: FloatArray) -> FloatArray:
        total = np.zeros((1, *V.shape))
        for rows, part in self.evidence.blocks(len(V)):
            product = part.joint(V[None])[0]
            product -= (self.G[rows] * product).sum(axis=1, keepdims=True)
            product *= self.G[rows] * self.w[rows, None]
            total += part.counts(product[None])
        return np.asarray(total[0])


@dataclass(frozen=True)
class Dense(Evidence):
    """A full matrix X (p, F), for patterns that compress well."""

    X: FloatArray

    def joint(self, Phi: FloatArray) -> FloatArray:
        """Return log P(pattern, class) (B, p, Z)."""
        B, Z, F = Phi.shape
        return _by_pattern((Phi.reshape(B * Z, F) @ self.X.T).reshape(B, Z, -1))

    def counts(self, G: FloatArray) -> FloatArray:
        """Return the sums of the rows of X (B, Z, F), weighted by G (B, p, Z)."""
        B, p, Z = G.shape
        return np.asarray((G.swapaxes(1, 2).reshape(B * Z, p) @ self.X).reshape(B, Z, -1))

    def blocks(self, width: int) -> Iterator[tuple[slice, "Dense"]]:
        """Yield the rows in portions, so that `width` numbers per row fit in memory."""
        step = max(1, CELLS // width)
        for start in range(0, len(self.X), step):
            rows = slice(start, start + step)
            yield rows, Dense(self.X[rows])


@dataclass(frozen=True)
class Sparse(Evidence):
    """A matrix X (p, F) that is mostly 0, for many raters or many labels."""

    X: "csr_array[np.float64]"

    def joint(self, Phi: FloatArray) -> FloatArray:
        """Return log P(pattern, class) (B, p, Z)."""
        B, Z, F = Phi.shape
        L = (self.X @ np.ascontiguousarray(Phi.reshape(B * Z, F).T)).reshape(-1, B, Z).swapaxes(0, 1)
        return L if Z >= MANY_CLASSES else _by_pattern(np.ascontiguousarray(L.swapaxes(1, 2)))

    def counts(self, G: FloatArray) -> FloatArray:
        """Return the sums of the rows of X (B, Z, F), weighted by G (B, p, Z)."""
        B, p, Z = G.shape
        T = self.X.T @ np.ascontiguousarray(G.swapaxes(0, 1)).reshape(p, B * Z)
        return np.ascontiguousarray(T.T).reshape(B, Z, -1)

    def blocks(self, width: int) -> Iterator[tuple[slice, "Sparse"]]:
        """Yield the rows in portions, so that `width` numbers per row fit in memory."""
        step, p = max(1, CELLS // width), self.X.shape[0]
        for start in range(0, p, step):
            rows = slice(start, start + step)
            yield rows, self if step >= p else Sparse(self.X[rows])


def _by_pattern(L: FloatArray) -> FloatArray:
    """View (B, Z, p) as (B, p, Z) without moving the data.

    Operations per class then run along the many patterns in memory, not along the few classes.
    """
    return L.swapaxes(1, 2)
