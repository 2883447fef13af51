"""Hold the input of the checks: human ratings as counts and by rater, systems' answers, simulated one-coin ratings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stats.accuracy.checks import coin_null
from stats.accuracy.checks.coin_null import AgreementMoments, OneCoinNull
from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.lehner_fit import why_no_accuracy
from stats.accuracy.prepared_ratings import frame_of, prepared
from stats.accuracy.raters.left_out import LeftOut, without_left_out
from stats.arrays import IntArray
from stats.counts import distinct_raters, long_patterns
from stats.patterns import RatingPatterns, counts_of

Why = tuple[str, str]  # reason code and sentence


@dataclass(frozen=True)
class SystemAnswers:
    """The patterns of the human raters, and a system's label on each (P,), -1 where it gave none."""

    humans: RatingPatterns
    answer: IntArray


@dataclass(frozen=True)
class CheckInputs:
    """One question's ratings, as the checks read them.

    - humans: patterns of the human raters, whose names are `raters`.
    - systems: the same patterns with each system's answers.
    - ordered: true if labels are in the order of a declared scale.
    - left_out: raters whose ratings are not among these (`stats.accuracy.raters.left_out`).
    - memory: results of one check that another check uses.
    """

    humans: RatingPatterns
    raters: Sequence[str]
    systems: dict[str, SystemAnswers]
    ordered: bool
    seed: int
    replicates: int
    left_out: LeftOut = field(default_factory=LeftOut)
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """Return the number of labels."""
        return self.humans.n_labels

    @cached_property
    def by_frequency(self) -> IntArray:
        """Return the label codes (k,), commonest first, so that random draws do not depend on the declared order."""
        humans = self.humans
        times = np.bincount(humans.label, weights=humans.n_items[humans.pattern], minlength=self.k)
        return np.argsort(-times, kind="stable")

    @cached_property
    def counts(self) -> tuple[IntArray, IntArray]:
        """Return the distinct counts C (Q, k) of rated items, and the number of items (Q,) with each.

        The labels are in the order of `by_frequency`.
        """
        C, row = counts_of(self.humans)
        n = np.bincount(row, weights=self.humans.n_items, minlength=len(C)).astype(np.int64)
        rated = (C.sum(axis=1) > 0) & (n > 0)
        return C[rated][:, self.by_frequency], n[rated]

    @cached_property
    def undefined(self) -> Why | None:
        """Return why there is no one-coin model to compare the human ratings with, or None if there is one."""
        if len(self.raters) < 2:
            return "too_few_raters", f"The checks compare two human raters or more, found {len(self.raters)}."
        C, n = self.counts
        figures = lehner.rater_figures(C, n[None, :].astype(np.float64))
        undefined = why_no_accuracy(figures, C, n)
        if undefined is None and figures.P_a[0] > 1 - 1e-12:
            undefined = ("zero_denominator", "The raters agree on everything: there is no disagreement to look at.")
        return undefined

    @cached_property
    def observed(self) -> AgreementMoments:
        """Return the sums of the human ratings."""
        return coin_null.moments(*self.counts)

    @cached_property
    def simulated(self) -> AgreementMoments:
        """Return the sums of simulated sets of ratings, from the one-coin model fitted to the human ratings.

        Each set has as many items and ratings as the human ratings.
        """
        return coin_null.simulated(
            OneCoinNull.of(self.observed), self.observed, self.replicates, np.random.default_rng(self.seed)
        )


def check_inputs(
    ratings: Any, *, labels: Sequence[str], systems: Sequence[str], ordered: bool, seed: int, replicates: int
) -> CheckInputs:
    """Count the ratings for the checks: those that an accuracy rests on.

    Raises StatsError as `stats.counts.rating_patterns`.
    """
    if not systems:
        names = distinct_raters(frame_of(ratings))
        humans, left_out = without_left_out(long_patterns(frame_of(ratings), labels=labels, raters=names), names)
        raters = [name for name in names if name not in left_out.details]
        return CheckInputs(humans, raters, {}, ordered, seed, replicates, left_out)
    used = prepared(ratings, systems=systems, labels=labels, scale="ordinal" if ordered else "nominal")
    raters = [rater for rater in distinct_raters(used.ratings) if rater not in set(systems)]
    answers = {name: SystemAnswers(table.humans, table.answers[name]) for name, table in used.tables.items()}
    return CheckInputs(answers[systems[0]].humans, raters, answers, ordered, seed, replicates, used.left_out)


def sample(answers: SystemAnswers, items: int, rng: np.random.Generator) -> SystemAnswers:
    """Return a random sample of the items."""
    humans = answers.humans
    n_items = rng.multivariate_hypergeometric(humans.n_items, items, method="marginals")
    kept = n_items > 0
    entry, code = kept[humans.pattern], np.cumsum(kept) - 1
    sampled = replace(
        humans,
        n_items=n_items[kept],
        pattern=code[humans.pattern[entry]],
        rater=humans.rater[entry],
        label=humans.label[entry],
    )
    return SystemAnswers(sampled, answers.answer[kept])
