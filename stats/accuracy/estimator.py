"""What an estimator of system accuracy is, and what goes in and comes out of one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stats.patterns import Patterns as RaterPatterns

if TYPE_CHECKING:
    from stats.accuracy.em import Solutions

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# P(the system's own answer is right), one per row of (C, system): see `Fit.score`.
Score = Callable[[IntArray, IntArray], FloatArray]

LogitError = tuple[float, float]  # variance of logit(accuracy), degrees of freedom


@dataclass(frozen=True)
class Patterns:
    """Items that look alike, counted once.

    C:       (p, k) how many raters gave each of the k labels; a row of zeros is an item nobody rated.
    system:  (p,) code 0..k-1 of the system's label, -1 where it gave none.
    n_items: (p,) items that show the pattern.
    ordered: the labels stand in the order of a declared scale.
    raters:  who gave which label in each of the p patterns, where an estimator asked for it (`by_rater`); the
             system is not among them. Patterns are then finer: rows of C may be equal.
    solutions: what the models have found in them so far, by name, where several functions share that (`prepared`).
    """

    C: IntArray
    system: IntArray
    n_items: IntArray
    ordered: bool = False
    raters: RaterPatterns | None = None
    solutions: "Solutions | None" = None

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
    """One estimator's figure for one system. `accuracy` is None exactly when `reason` is given.

    score:       see `Score`; None where the method says nothing of single items.
    logit_error: computes the variance of logit(accuracy) and its degrees of freedom; gives None where it is
                 undefined, and is None where the method has none.
    spread:      lowest and highest figure among the models that the accuracy is an average of.
    """

    accuracy: float | None
    n_items: int
    reason: str | None = None
    detail: str | None = None
    warnings: tuple[str, ...] = ()
    score: Score | None = None
    logit_error: Callable[[], LogitError | None] | None = None
    spread: tuple[float, float] | None = None


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
    replicate(patterns, W) the bare accuracies (B,) for B weightings W (B, p) of the same patterns, whose own
    n_items then count for nothing; NaN where undefined: what a simulation needs;
    by_rater: it is to be given patterns that say who gave which label.
    """

    name: str
    title: str
    fit: Callable[[Patterns], Fit]
    interval: Callable[[Patterns, Fit, float, int], Interval]
    replicate: Callable[[Patterns, FloatArray], FloatArray]
    by_rater: bool = False
