"""What the likelihood models are given: patterns under B weightings, with the raters pooled or by name."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stats.accuracy import lehner
from stats.accuracy.em import Solutions
from stats.accuracy.estimator import FloatArray, IntArray, Patterns
from stats.accuracy.evidence import Evidence, by_rater, pooled
from stats.patterns import digit_words

_AT_ONCE = 200_000  # numbers (weightings x patterns x labels) of one portion: what the processor's cache holds


@dataclass(frozen=True)
class View:
    """Patterns as one kind of model sees them: evidence on p of them, their counts C (p, k), weightings W (B, p)."""

    evidence: Evidence
    C: IntArray
    W: FloatArray


@dataclass(frozen=True)
class Data:
    """Rated patterns under B weightings W (B, p), each with an answer and with raters better than chance.

    solutions: what the models have found so far, by name; `stats.accuracy.likelihood.solve` fills it.
    """

    patterns: Patterns
    W: FloatArray
    raters: lehner.Raters
    solutions: Solutions = field(default_factory=dict)

    @property
    def k(self) -> int:
        return self.patterns.n_labels

    @cached_property
    def n(self) -> FloatArray:
        """(B,) items."""
        return np.asarray(self.W.sum(axis=1))

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """(B, k) labels that some rater gave: only these can be the right one of an item."""
        return np.asarray(self.W @ self.patterns.C > 0)

    @cached_property
    def n_classes(self) -> FloatArray:
        """(B,) labels that some rater gave."""
        return np.asarray(self.used.sum(axis=1), dtype=np.float64)

    @cached_property
    def n_given(self) -> FloatArray:
        """(B,) labels that a rater or the system gave."""
        answers = self.W @ (self.patterns.system[:, None] == np.arange(self.k))
        return np.asarray((self.used | (answers > 0)).sum(axis=1), dtype=np.float64)

    @property
    def n_raters(self) -> int:
        """Raters whose names the patterns know."""
        return 0 if self.patterns.raters is None else self.patterns.raters.n_raters

    @cached_property
    def pooled(self) -> View:
        """One block for all raters; patterns that differ by names only are one."""
        C, system, W = self.patterns.C, self.patterns.system, self.W
        if self.patterns.raters is not None:
            order, first = _alike(C, system)
            C, system, W = C[order[first]], system[order[first]], np.add.reduceat(W[:, order], first, axis=1)
        return View(pooled(C, system), C, W)

    @cached_property
    def by_rater(self) -> View:
        """A block for each rater."""
        return View(by_rater(self.patterns), self.patterns.C, self.W)

    def take(self, rows: IntArray) -> "Data":
        """Some of the weightings, with what has been found for them."""
        raters = lehner.Raters(self.raters.P_a[rows], self.raters.P_c[rows], self.raters.base_rates[rows])
        solutions = {name: solution.take(rows) for name, solution in self.solutions.items()}
        return Data(self.patterns, self.W[rows], raters, solutions)

    def start(self, view: View, levels: FloatArray | None = None) -> FloatArray:
        """(B, H k, F) expected counts by Lehner's posterior, its base rates floored.

        With levels (p, H), rows summing to 1, an item is split between H classes of each label.
        """
        raters = replace(self.raters, base_rates=floored(self.raters.base_rates, self.used))
        shares = np.ones((len(view.C), 1)) if levels is None else levels
        T = [np.zeros(())] * shares.shape[1]
        for rows, part in view.evidence.blocks(len(self.W) * self.k):
            G = lehner.posterior(view.C[rows], raters) * view.W[:, rows, None]
            T = [total + part.counts(G * share[:, None]) for total, share in zip(T, shares[rows].T, strict=True)]
        return np.concatenate(T, axis=1)


def _alike(C: IntArray, system: IntArray) -> tuple[IntArray, IntArray]:
    """An order (p,) of the patterns in which those of equal counts and answer follow each other, and the position in
    it of the first of each kind."""
    codes = np.column_stack([C, system + 1])
    base, place = int(codes.max()) + 1, np.zeros(len(C), np.int64)
    for word in digit_words(max(base, 2), codes.shape[1]):
        key = codes[:, word.start : word.stop] @ (base ** np.arange(len(word)))
        values, position = np.unique(key, return_inverse=True)
        # one word after the other, as positions, so that no combined key overflows
        place = np.unique(place * len(values) + position, return_inverse=True)[1]
    order = np.argsort(place, kind="stable")
    return order, np.flatnonzero(np.diff(place[order], prepend=-1))


def floored(base_rates: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    """Base rates (B, k) of used labels raised to min(.03, .15 / N), of the others 0; rows sum to 1.

    A base rate clipped to 0 would say that no item can ever have that label.

    >>> floored(np.array([[0.9, 0.1, 0.0, 0.0]]), np.array([[True, True, True, False]])).round(3).tolist()
    [[0.874, 0.097, 0.029, 0.0]]
    """
    raised = np.where(used, np.maximum(base_rates, min(0.03, 0.15 / base_rates.shape[1])), 0.0)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def batches(patterns: Patterns, W: FloatArray) -> Iterator[tuple[Data, IntArray]]:
    """Data of those weightings that can be estimated, in portions, each with the numbers of its weightings.

    Left out are weightings whose raters agree no better than chance 1/N (nothing then tells a solution from its
    mirror image with exchanged labels), and those without an answer on a rated item.
    """
    kept, rated = only_rated(patterns), patterns.rated
    step = max(1, _AT_ONCE // max(1, kept.C.size))
    for start in range(0, len(W), step):
        part = W[start : start + step, rated]
        raters = lehner.rater_figures(kept.C, part)
        known = np.flatnonzero(~np.isnan(raters.P_c) & (part[:, kept.answered].sum(axis=1) > 0))
        if known.size:
            some = lehner.Raters(raters.P_a[known], raters.P_c[known], raters.base_rates[known])
            yield Data(kept, part[known], some), start + known


def only_rated(patterns: Patterns) -> Patterns:
    """Without the patterns that nobody rated, in which the models find the same."""
    rated = patterns.rated
    if rated.all():
        return patterns
    given = patterns.raters
    if given is not None:
        row = np.cumsum(rated) - 1
        given = replace(given, n_items=given.n_items[rated], pattern=row[given.pattern])
    return replace(
        patterns, C=patterns.C[rated], system=patterns.system[rated], n_items=patterns.n_items[rated], raters=given
    )
