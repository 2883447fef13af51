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
from typing import Protocol

import numpy as np

from stats.arrays import FloatArray, IntArray

CELLS = 4_000_000  # limit on the numbers in one block, and on the size of a dense X of rater-level patterns


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
    """The positions of the ones in X, for many raters.

    Entry e is in row pattern[e] and column feature[e]. Rows are sorted and each has at least one entry. Column 0 is
    left out, because it is always 1.
    """

    pattern: IntArray
    feature: IntArray
    first: IntArray  # (p,) first entry of each pattern
    F: int

    def joint(self, Phi: FloatArray) -> FloatArray:
        """Return log P(pattern, class) (B, p, Z)."""
        L = np.empty((*Phi.shape[:2], len(self.first)))
        for model, out in zip(Phi, L, strict=True):
            for z, chances in enumerate(model):
                np.add.reduceat(chances.take(self.feature), self.first, out=out[z])
            out += model[:, :1]
        return _by_pattern(L)

    def counts(self, G: FloatArray) -> FloatArray:
        """Return the sums of the rows of X (B, Z, F), weighted by G (B, p, Z)."""
        T = np.empty((len(G), G.shape[2], self.F))
        for shares, out in zip(G.swapaxes(1, 2), T, strict=True):
            for z, share in enumerate(np.ascontiguousarray(shares)):
                out[z] = np.bincount(self.feature, weights=share.take(self.pattern), minlength=self.F)
            out[:, 0] = shares.sum(axis=1)
        return T

    def blocks(self, width: int) -> Iterator[tuple[slice, "Sparse"]]:
        """Yield the rows in portions, so that `width` numbers per row fit in memory."""
        step, ends = max(1, CELLS // width), np.append(self.first, len(self.pattern))
        for start in range(0, len(self.first), step):
            rows = slice(start, min(start + step, len(self.first)))
            entries = slice(ends[rows.start], ends[rows.stop])
            first = self.first[rows] - ends[rows.start]
            yield rows, Sparse(self.pattern[entries] - start, self.feature[entries], first, self.F)


def _by_pattern(L: FloatArray) -> FloatArray:
    """View (B, Z, p) as (B, p, Z) without moving the data.

    Operations per class then run along the many patterns in memory, not along the few classes.
    """
    return L.swapaxes(1, 2)
