"""The input of the likelihood models: patterns under B weightings, with raters pooled or one by one."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.estimators import lehner
from stats.accuracy.fitting.em_solution import Solutions
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.evidence import Evidence
from stats.accuracy.fitting.pattern_evidence import by_rater, pooled
from stats.arrays import FloatArray, IntArray
from stats.distinct_keys import distinct_keys
from stats.patterns import digit_words

_AT_ONCE = 200_000  # numbers (weightings x patterns x labels) in one portion, so that it fits the processor's cache


@dataclass(frozen=True)
class ModelView:
    """Patterns as one kind of model sees them: evidence on p patterns, their counts C (p, k), weightings W (B, p)."""

    evidence: Evidence
    C: IntArray
    W: FloatArray


@dataclass(frozen=True)
class ModelData:
    """Rated patterns under B weightings W (B, p), each with an answer and with raters better than chance.

    - solutions: model fits so far, by model name. `stats.accuracy.fitting.likelihood.solve` fills it.
    """

    patterns: SystemPatterns
    W: FloatArray
    raters: lehner.RaterFigures
    solutions: Solutions = field(default_factory=dict)

    @property
    def k(self) -> int:
        """Return the number of labels."""
        return self.patterns.n_labels

    @cached_property
    def n(self) -> FloatArray:
        """Return the number of items (B,)."""
        return np.asarray(self.W.sum(axis=1))

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """Return which labels (B, k) at least one rater gave. Only these can be the right label of an item."""
        return np.asarray(self.W @ self.patterns.C > 0)

    @cached_property
    def n_classes(self) -> FloatArray:
        """Return how many labels (B,) at least one rater gave."""
        return np.asarray(self.used.sum(axis=1), dtype=np.float64)

    @cached_property
    def n_given(self) -> FloatArray:
        """Return how many labels (B,) a rater or the system gave."""
        answers = self.W @ (self.patterns.system[:, None] == np.arange(self.k))
        return np.asarray((self.used | (answers > 0)).sum(axis=1), dtype=np.float64)

    @property
    def n_raters(self) -> int:
        """Return the number of raters that the patterns tell apart; 0 where they hold counts only."""
        return 0 if self.patterns.raters is None else self.patterns.raters.n_raters

    @cached_property
    def pooled(self) -> ModelView:
        """Return the view with one block for all raters. Patterns that differ only in who rated are merged."""
        C, system, W = self.patterns.C, self.patterns.system, self.W
        if self.patterns.raters is not None:
            order, first = _alike(C, system)
            C, system, W = C[order[first]], system[order[first]], np.add.reduceat(W[:, order], first, axis=1)
        return ModelView(pooled(C, system), C, W)

    @cached_property
    def by_rater(self) -> ModelView:
        """Return the view with one block per rater."""
        return ModelView(by_rater(self.patterns), self.patterns.C, self.W)

    def take(self, rows: IntArray) -> "ModelData":
        """Return the data of the weightings in `rows`, with their solutions."""
        raters = lehner.RaterFigures(self.raters.P_a[rows], self.raters.P_c[rows], self.raters.base_rates[rows])
        solutions = {name: solution.take(rows) for name, solution in self.solutions.items()}
        return ModelData(self.patterns, self.W[rows], raters, solutions)

    def start(self, view: ModelView, levels: FloatArray | None = None) -> FloatArray:
        """Return expected counts (B, H k, F) to start EM from: Lehner's posterior, with floored base rates.

        With `levels` (p, H), whose rows sum to 1, an item is split between H classes of each label.
        """
        raters = replace(self.raters, base_rates=floored(self.raters.base_rates, self.used))
        shares = np.ones((len(view.C), 1)) if levels is None else levels
        T = [np.zeros(())] * shares.shape[1]
        for rows, part in view.evidence.blocks(len(self.W) * self.k):
            G = lehner.posterior(view.C[rows], raters) * view.W[:, rows, None]
            T = [total + part.counts(G * share[:, None]) for total, share in zip(T, shares[rows].T, strict=True)]
        return np.concatenate(T, axis=1)


def _alike(C: IntArray, system: IntArray) -> tuple[IntArray, IntArray]:
    """Return an order (p,) of the patterns that groups equal counts and answer, and where each group begins in it."""
    codes = np.column_stack([C, system + 1])
    base, place = int(codes.max()) + 1, np.zeros(len(C), np.int64)
    for word in digit_words(max(base, 2), codes.shape[1]):
        key = codes[:, word.start : word.stop] @ (base ** np.arange(len(word)))
        values, _, position = distinct_keys(key)
        # one word after the other, as positions, so that no combined key overflows
        place = distinct_keys(place * len(values) + position).place
    order = np.argsort(place, kind="stable")
    return order, np.flatnonzero(np.diff(place[order], prepend=-1))


def floored(base_rates: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    """Raise base rates (B, k) of used labels to at least min(.03, .15 / N) and set the others to 0. Rows sum to 1.

    A base rate clipped to 0 would mean that no item can ever have that label.

    >>> floored(np.array([[0.9, 0.1, 0.0, 0.0]]), np.array([[True, True, True, False]])).round(3).tolist()
    [[0.874, 0.097, 0.029, 0.0]]
    """
    raised = np.where(used, np.maximum(base_rates, min(0.03, 0.15 / base_rates.shape[1])), 0.0)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def batches(patterns: SystemPatterns, W: FloatArray) -> Iterator[tuple[ModelData, IntArray]]:
    """Yield the data of the weightings that can be estimated, in portions, each with the row numbers of its weightings.

    Two kinds of weightings are left out: those whose raters agree no better than chance 1/N, because then a solution
    cannot be told from its mirror image with exchanged labels; and those without an answer on a rated item.
    """
    kept, rated = only_rated(patterns), patterns.rated
    step = max(1, _AT_ONCE // max(1, kept.C.size))
    for start in range(0, len(W), step):
        part = W[start : start + step, rated]
        raters = lehner.rater_figures(kept.C, part)
        usable = np.flatnonzero(~np.isnan(raters.P_c) & (part[:, kept.answered].sum(axis=1) > 0))
        if usable.size:
            usable_raters = lehner.RaterFigures(raters.P_a[usable], raters.P_c[usable], raters.base_rates[usable])
            yield ModelData(kept, part[usable], usable_raters), start + usable


def only_rated(patterns: SystemPatterns) -> SystemPatterns:
    """Drop the patterns without a rating. The models' fits are the same without them."""
    rated = patterns.rated
    if rated.all():
        return patterns
    raters = patterns.raters
    if raters is not None:
        row = np.cumsum(rated) - 1
        raters = replace(raters, n_items=raters.n_items[rated], pattern=row[raters.pattern])
    return replace(
        patterns, C=patterns.C[rated], system=patterns.system[rated], n_items=patterns.n_items[rated], raters=raters
    )
