"""What an estimator of system accuracy is, and what goes in and comes out of one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# P(the system's own answer is right), one per row of (C, system): see `Fit.score`.
Score = Callable[[IntArray, IntArray], FloatArray]


@dataclass(frozen=True)
class Patterns:
    """Items that look alike, counted once.

    C:       (p, k) how many raters gave each of the k labels; a row of zeros is an item nobody rated.
    system:  (p,) code 0..k-1 of the system's label, -1 where it gave none.
    n_items: (p,) items that show the pattern.
    """

    C: IntArray
    system: IntArray
    n_items: IntArray

    @property
    def n_labels(self) -> int:
        return int(self.C.shape[1])

    @property
    def rated(self) -> NDArray[np.bool_]:
        """(p,) patterns with at least one human rating."""
        return np.asarray(self.C.sum(axis=1) > 0)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """(p,) patterns on which the system gave an answer."""
        return np.asarray(self.system >= 0)

    def count(self, mask: NDArray[np.bool_]) -> int:
        """Items whose pattern is in the mask."""
        return int(self.n_items[mask].sum())


@dataclass(frozen=True)
class Fit:
    """One estimator's figure for one system. `accuracy` is None exactly when `reason` is given."""

    accuracy: float | None
    n_items: int
    reason: str | None = None
    detail: str | None = None
    warnings: tuple[str, ...] = ()
    score: Score | None = None


@dataclass(frozen=True)
class Interval:
    """Standard error and interval on the probability scale; None where undefined."""

    se: float | None
    low: float | None
    high: float | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimator:
    """An entry of ESTIMATORS.

    fit(patterns) gives the figure with its reasons and warnings;
    interval(patterns, fit, confidence, seed) its error;
    replicate(C, system, W) the bare accuracies (B,) for B weightings W (B, p) of the same patterns, NaN where
    undefined: what a bootstrap and a simulation need.
    """

    name: str
    title: str
    fit: Callable[[Patterns], Fit]
    interval: Callable[[Patterns, Fit, float, int], Interval]
    replicate: Callable[[IntArray, IntArray, FloatArray], FloatArray]
