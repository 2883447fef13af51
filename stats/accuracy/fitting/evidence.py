"""The evidence matrix: patterns as rows that latent-class models multiply with their log probabilities.

Every item has a hidden class z of Z: its right label, or in `difficulty` its label and level. A model is a table Phi
(Z, F) of logarithms. Column 0 is log P(z). A block of k columns follows for each kind of rater, log P(label | z). The
last block belongs to the system.

A pattern is a row x (F,) of counts: 1, the raters' labels, the system's label (zeros where it gave none). So log
P(pattern, z) = x . Phi[z], and the expected counts of the complete data are G' X. These two products serve all models,
in EM and in the information matrix. B models are handled at once, as Phi (B, Z, F).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray

CELLS = 4_000_000  # limit on the numbers in one block, and on the size of a dense X of rater-level patterns
_EMPTY = 20  # cells of X per filled cell from which the sparse form is faster


@dataclass(frozen=True)
class Dense:
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
class Sparse:
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


Evidence = Dense | Sparse


def pooled(C: IntArray, system: IntArray) -> Dense:
    """Return evidence with one block for all raters: X = [1, C, system's label], F = 1 + 2k.

    >>> pooled(np.array([[2, 1]]), np.array([1])).X
    array([[1., 2., 1., 0., 1.]])
    """
    k = C.shape[1]
    return Dense(np.hstack([np.ones((len(C), 1)), C, system[:, None] == np.arange(k)]))


def is_dense(patterns: SystemPatterns) -> bool:
    """Tell whether rater-level patterns are few enough for a matrix with a column per rater and label."""
    raters = 0 if patterns.raters is None else patterns.raters.n_raters
    return len(patterns.C) * (1 + (raters + 1) * patterns.n_labels) <= CELLS


def by_rater(patterns: SystemPatterns) -> Evidence:
    """Return evidence with one block per rater, F = 1 + (r + 1) k, from patterns that know who gave which label.

    The matrix is sparse where it would be large or mostly empty. Raises TypeError if the patterns do not know the
    raters.
    """
    if patterns.raters is None:
        raise TypeError("These patterns do not say who gave which label.")
    ratings, k, p = patterns.raters, patterns.n_labels, len(patterns.C)
    answered = np.flatnonzero(patterns.answered)
    pattern = np.concatenate([ratings.pattern, answered])
    feature = np.concatenate([ratings.rater * k + ratings.label, ratings.n_raters * k + patterns.system[answered]]) + 1
    F = 1 + (ratings.n_raters + 1) * k
    if is_dense(patterns) and p * F < _EMPTY * len(pattern):
        X = np.zeros((p, F))
        X[:, 0] = 1
        X[pattern, feature] = 1
        return Dense(X)
    order = np.argsort(pattern, kind="stable")
    pattern = pattern[order]
    return Sparse(pattern, feature[order], np.searchsorted(pattern, np.arange(p)), F)
