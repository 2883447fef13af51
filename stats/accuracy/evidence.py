"""What was said of each pattern, as a matrix that the latent-class models multiply with their log chances.

Every item has a hidden class z of Z (its right label; in `difficulty` label and level). A model is a table Phi
(Z, F) of logarithms: column 0 log P(z); then a block of k columns per kind of rater, log P(label | z); the last
block is the system's. A pattern is a row x (F,) of counts: 1, the raters' labels, the system's label (zeros where
it gave none). So log P(pattern, z) = x . Phi[z], and the expected counts of the complete data are G' X: the same
two products serve all models, EM as well as the information matrix. B models are handled at once, Phi (B, Z, F).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.accuracy.estimator import FloatArray, IntArray, Patterns

CELLS = 4_000_000  # numbers held at once in one block, and the most that a dense X of rater-level patterns may have
_EMPTY = 20  # cells of X for each that is filled, from which on it pays to skip the zeros


@dataclass(frozen=True)
class Dense:
    """X (p, F), for patterns that compress."""

    X: FloatArray

    def joint(self, Phi: FloatArray) -> FloatArray:
        """(B, p, Z) log P(pattern, class)."""
        B, Z, F = Phi.shape
        return _by_pattern((Phi.reshape(B * Z, F) @ self.X.T).reshape(B, Z, -1))

    def counts(self, G: FloatArray) -> FloatArray:
        """(B, Z, F) sums of the rows of X, weighted by G (B, p, Z)."""
        B, p, Z = G.shape
        return np.asarray((G.swapaxes(1, 2).reshape(B * Z, p) @ self.X).reshape(B, Z, -1))

    def blocks(self, width: int) -> Iterator[tuple[slice, "Dense"]]:
        """Rows in portions, so that `width` numbers per row fit in memory."""
        step = max(1, CELLS // width)
        for start in range(0, len(self.X), step):
            rows = slice(start, start + step)
            yield rows, Dense(self.X[rows])


@dataclass(frozen=True)
class Sparse:
    """The ones of X, for many raters: entry e stands in row pattern[e] (sorted, every row has one) and column
    feature[e]; column 0 is not among them."""

    pattern: IntArray
    feature: IntArray
    first: IntArray  # (p,) first entry of each pattern
    F: int

    def joint(self, Phi: FloatArray) -> FloatArray:
        """(B, p, Z) log P(pattern, class)."""
        L = np.empty((*Phi.shape[:2], len(self.first)))
        for model, out in zip(Phi, L, strict=True):
            for z, chances in enumerate(model):
                np.add.reduceat(chances.take(self.feature), self.first, out=out[z])
            out += model[:, :1]
        return _by_pattern(L)

    def counts(self, G: FloatArray) -> FloatArray:
        """(B, Z, F) sums of the rows of X, weighted by G (B, p, Z)."""
        T = np.empty((len(G), G.shape[2], self.F))
        for shares, out in zip(G.swapaxes(1, 2), T, strict=True):
            for z, share in enumerate(np.ascontiguousarray(shares)):
                out[z] = np.bincount(self.feature, weights=share.take(self.pattern), minlength=self.F)
            out[:, 0] = shares.sum(axis=1)
        return T

    def blocks(self, width: int) -> Iterator[tuple[slice, "Sparse"]]:
        """All rows at once: what is large here are the entries, which are taken one class at a time."""
        yield slice(None), self


def _by_pattern(L: FloatArray) -> FloatArray:
    """(B, Z, p) as (B, p, Z), without moving it: what is done class by class then runs along the patterns, which are
    many, and not along the classes, which are few."""
    return L.swapaxes(1, 2)


Evidence = Dense | Sparse


def pooled(C: IntArray, system: IntArray) -> Dense:
    """One block for all raters: X = [1, C, system's label], F = 1 + 2k.

    >>> pooled(np.array([[2, 1]]), np.array([1])).X
    array([[1., 2., 1., 0., 1.]])
    """
    k = C.shape[1]
    return Dense(np.hstack([np.ones((len(C), 1)), C, system[:, None] == np.arange(k)]))


def is_dense(patterns: Patterns) -> bool:
    """Whether rater-level patterns are few enough to be held with a column for each rater and label."""
    raters = 0 if patterns.raters is None else patterns.raters.n_raters
    return len(patterns.C) * (1 + (raters + 1) * patterns.n_labels) <= CELLS


def by_rater(patterns: Patterns) -> Evidence:
    """A block for each rater, F = 1 + (r + 1) k, of patterns that know who gave which label; sparse where it would be
    large or mostly empty."""
    if patterns.raters is None:
        raise TypeError("These patterns do not say who gave which label.")
    given, k, p = patterns.raters, patterns.n_labels, len(patterns.C)
    answered = np.flatnonzero(patterns.answered)
    pattern = np.concatenate([given.pattern, answered])
    feature = np.concatenate([given.rater * k + given.label, given.n_raters * k + patterns.system[answered]]) + 1
    F = 1 + (given.n_raters + 1) * k
    if is_dense(patterns) and p * F < _EMPTY * len(pattern):
        X = np.zeros((p, F))
        X[:, 0] = 1
        X[pattern, feature] = 1
        return Dense(X)
    order = np.argsort(pattern, kind="stable")
    pattern = pattern[order]
    return Sparse(pattern, feature[order], np.searchsorted(pattern, np.arange(p)), F)
