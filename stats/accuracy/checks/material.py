"""What the checks work on: the human ratings as counts and by rater, the systems' answers, and the sets of ratings
that the one-coin model would have given in their place."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy import lehner
from stats.accuracy.checks import coin
from stats.accuracy.checks.coin import Coin, Moments
from stats.accuracy.estimator import IntArray
from stats.accuracy.lehner_fit import why_no_accuracy
from stats.accuracy.tables import tables
from stats.counts import distinct_raters, long_patterns
from stats.patterns import Patterns, counts_of

Why = tuple[str, str]  # reason code and sentence


@dataclass(frozen=True)
class Answered:
    """Patterns of the human raters, and a system's label on each (P,), -1 where it gave none."""

    humans: Patterns
    answer: IntArray


@dataclass(frozen=True)
class Material:
    """One question's ratings.

    humans: patterns of the human raters, whose names are `raters`. systems: the same beside each system's answers.
    With `ordered`, labels stand in the order of a declared scale. memory: what one check found and another needs.
    """

    humans: Patterns
    raters: Sequence[str]
    systems: dict[str, Answered]
    ordered: bool
    seed: int
    replicates: int
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def k(self) -> int:
        return self.humans.n_labels

    @cached_property
    def by_frequency(self) -> IntArray:
        """(k,) label codes, the commonest first: so that random draws do not depend on the declared order."""
        humans = self.humans
        times = np.bincount(humans.label, weights=humans.n_items[humans.pattern], minlength=self.k)
        return np.argsort(-times, kind="stable")

    @cached_property
    def counts(self) -> tuple[IntArray, IntArray]:
        """Distinct counts C (Q, k) on items that somebody rated, labels `by_frequency`, and items (Q,) with each."""
        C, row = counts_of(self.humans)
        n = np.bincount(row, weights=self.humans.n_items, minlength=len(C)).astype(np.int64)
        rated = (C.sum(axis=1) > 0) & (n > 0)
        return C[rated][:, self.by_frequency], n[rated]

    @cached_property
    def undefined(self) -> Why | None:
        """Why there is no one-coin model to compare the human ratings with."""
        if len(self.raters) < 2:
            return "too_few_raters", f"The checks compare two human raters or more, found {len(self.raters)}."
        C, n = self.counts
        figures = lehner.rater_figures(C, n[None, :].astype(np.float64))
        undefined = why_no_accuracy(figures, self.k)
        if undefined is None and figures.P_a[0] > 1 - 1e-12:
            undefined = ("zero_denominator", "The raters agree on everything: there is no disagreement to look at.")
        return undefined

    @cached_property
    def observed(self) -> Moments:
        """The human ratings."""
        return coin.moments(*self.counts)

    @cached_property
    def simulated(self) -> Moments:
        """As many sets of as many ratings of as many items, from the one-coin model that the human ratings fit."""
        return coin.simulated(Coin.of(self.observed), self.observed, self.replicates, np.random.default_rng(self.seed))


def material(
    ratings: pl.DataFrame, *, labels: Sequence[str], systems: Sequence[str], ordered: bool, seed: int, replicates: int
) -> Material:
    """Counts the ratings. Raises StatsError as `stats.counts.rating_patterns`."""
    raters = [rater for rater in distinct_raters(ratings) if rater not in set(systems)]
    counted = tables(ratings, systems=systems, labels=labels, ordered=ordered) if systems else {}
    answered = {system: Answered(table.humans, table.answers[system]) for system, table in counted.items()}
    humans = answered[systems[0]].humans if systems else long_patterns(ratings, labels=labels, raters=raters)
    return Material(humans, raters, answered, ordered, seed, replicates)


def sample(given: Answered, items: int, rng: np.random.Generator) -> Answered:
    """A random sample of the items."""
    humans = given.humans
    n_items = rng.multivariate_hypergeometric(humans.n_items, items, method="marginals")
    kept = n_items > 0
    entry, code = kept[humans.pattern], np.cumsum(kept) - 1
    some = replace(
        humans,
        n_items=n_items[kept],
        pattern=code[humans.pattern[entry]],
        rater=humans.rater[entry],
        label=humans.label[entry],
    )
    return Answered(some, given.answer[kept])
