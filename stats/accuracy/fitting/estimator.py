"""The types that every estimator of system accuracy takes and returns."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.fitting.em_solution import Solutions
from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns as RaterPatterns

# Maps (C, system) to P(the system's own answer is right), one per row: see `SystemFit.score`.
Score = Callable[[IntArray, IntArray], FloatArray]

LogitError = tuple[float, float]  # variance of logit(accuracy), degrees of freedom


@dataclass(frozen=True)
class SystemPatterns:
    """Rating patterns for one system: items that look alike are counted once.

    - C: (p, k) how many raters gave each of the k labels. A row of zeros is an item without a rating.
    - system: (p,) code 0..k-1 of the system's label, -1 where the system gave none.
    - n_items: (p,) number of items with the pattern.
    - ordered: true if the labels are in the order of a declared scale.
    - raters: who gave which label in each of the p patterns, for estimators with `by_rater`, else None. The system is
      not among them. Patterns are then finer: rows of C may be equal.
    - solutions: model fits to these patterns so far, by model name, where several functions share them.
    """

    C: IntArray
    system: IntArray
    n_items: IntArray
    ordered: bool = False
    raters: RaterPatterns | None = None
    solutions: Solutions | None = None

    @property
    def n_labels(self) -> int:
        """Return the number of labels k."""
        return int(self.C.shape[1])

    @cached_property
    def rated(self) -> NDArray[np.bool_]:
        """Return which patterns (p,) have at least one human rating."""
        return np.asarray(self.C.sum(axis=1) > 0)

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """Return which patterns (p,) have an answer of the system."""
        return np.asarray(self.system >= 0)

    def count(self, mask: NDArray[np.bool_]) -> int:
        """Return the number of items whose pattern is in the mask."""
        return int(self.n_items[mask].sum())


@dataclass(frozen=True)
class SystemFit:
    """The accuracy of one system by one estimator. `accuracy` is None exactly when `reason` is set.

    - score: see `Score`; None where the method has no score for single items.
    - logit_error: computes the variance of logit(accuracy) and its degrees of freedom, or None where they are
      undefined. It is None where the method has no such error.
    - spread: lowest and highest accuracy among the models that the accuracy averages over.
    - outer_variance: computes the variance of logit(accuracy) for the outer interval, or None where it is undefined;
      see `stats.accuracy.fitting.outer_interval`. It is None where the method has no outer interval.
    """

    accuracy: float | None
    n_items: int
    reason: str | None = None
    detail: str | None = None
    warnings: tuple[str, ...] = ()
    score: Score | None = None
    logit_error: Callable[[], LogitError | None] | None = None
    spread: tuple[float, float] | None = None
    outer_variance: Callable[[], float | None] | None = None


@dataclass(frozen=True)
class Interval:
    """A standard error and an interval on the probability scale; None where undefined."""

    se: float | None
    low: float | None
    high: float | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimator:
    """An entry of ESTIMATORS.

    - fit(patterns): the accuracy with its reasons and warnings.
    - interval(patterns, fit, confidence, seed): its standard error and interval.
    - replicate(patterns, W): the accuracies (B,) under B weightings W (B, p) of the same patterns, NaN where
      undefined. The patterns' `n_items` are ignored. Simulations use it.
    - by_rater: true if the estimator needs patterns that know who gave which label.
    """

    name: str
    title: str
    fit: Callable[[SystemPatterns], SystemFit]
    interval: Callable[[SystemPatterns, SystemFit, float, int], Interval]
    replicate: Callable[[SystemPatterns, FloatArray], FloatArray]
    by_rater: bool = False
