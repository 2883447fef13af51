"""Choose the pairs of people, and their items, for the checks of two people, and correct their p values by Holm's
method.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.checks.check_inputs import SystemAnswers, sample
from stats.accuracy.checks.finding import holm
from stats.accuracy.raters import tetrads
from stats.accuracy.raters.tetrads import Agreements, ExcessTest
from stats.arrays import IntArray
from stats.patterns import RatingPatterns

MAX_PAIRS = 1_000_000  # pairs of ratings that are compared; with more, a random sample of the items
MAX_PEOPLE = 200  # raters that are compared, those with the most ratings
MAX_TESTED = 200  # pairs of people that are tested, those with the most items in common
MIN_COMMON = 20  # items that two people must have in common

Pair = tuple[int, int]


@dataclass(frozen=True)
class PairResult:
    """A pair of people, its test, and Holm's p value among the pairs that were tested with it."""

    pair: Pair
    test: ExcessTest
    p_value: float


def with_system(answers: SystemAnswers) -> RatingPatterns:
    """Add the system's answers to the ratings, as the last rater."""
    humans, answered = answers.humans, np.flatnonzero(answers.answer >= 0)
    pattern = np.concatenate([humans.pattern, answered])
    order = np.argsort(pattern, kind="stable")
    return replace(
        humans,
        pattern=pattern[order],
        rater=np.concatenate([humans.rater, np.full(len(answered), humans.n_raters)])[order],
        label=np.concatenate([humans.label, answers.answer[answered]])[order],
        n_raters=humans.n_raters + 1,
    )


def sampled(answers: SystemAnswers, seed: int) -> tuple[SystemAnswers, str]:
    """Return the items, or a random sample of them, and a sentence that says so.

    If the items compress to few patterns, all of them are used.
    """
    humans = answers.humans
    m = np.bincount(humans.pattern, minlength=len(humans.n_items)) + (answers.answer >= 0)
    pairs, items = m * (m - 1) // 2, int(humans.n_items.sum())
    if pairs.sum() <= MAX_PAIRS:
        return answers, ""
    wanted = max(MIN_COMMON, int(MAX_PAIRS * items / (pairs * humans.n_items).sum()))
    if wanted >= items:
        return answers, ""
    drawn = sample(answers, wanted, np.random.default_rng([seed, 3]))
    return drawn, f" This used a random sample of {wanted:,} of {items:,} items."


def most_active(patterns: RatingPatterns) -> tuple[RatingPatterns, IntArray, str]:
    """Return the ratings of the MAX_PEOPLE raters with the most ratings, their codes, and a sentence that says so."""
    if patterns.n_raters <= MAX_PEOPLE:
        return patterns, np.arange(patterns.n_raters), ""
    times = np.bincount(patterns.rater, weights=patterns.n_items[patterns.pattern], minlength=patterns.n_raters)
    chosen = np.sort(np.argsort(-times, kind="stable")[:MAX_PEOPLE])
    code = np.full(patterns.n_raters, -1)
    code[chosen] = np.arange(MAX_PEOPLE)
    kept = code[patterns.rater] >= 0
    their_ratings = replace(
        patterns,
        pattern=patterns.pattern[kept],
        rater=code[patterns.rater[kept]],
        label=patterns.label[kept],
        n_raters=MAX_PEOPLE,
    )
    scope = f" This used the {MAX_PEOPLE} of {patterns.n_raters} raters with the most ratings."
    return their_ratings, chosen, scope


def test_pairs(
    agreements: Agreements, pairs: Sequence[Pair], people: IntArray, alike: NDArray[np.bool_]
) -> tuple[list[PairResult], str]:
    """Test the pairs that have enough common items.

    Returns the results with Holm's p values, sorted by pair, and a sentence if some pairs were left out. The agreements
    of `people` explain a pair's agreement, but not those of people who are `alike`.
    """
    testable = sorted(
        (pair for pair in pairs if agreements.common[pair] >= MIN_COMMON), key=lambda pair: -agreements.common[pair]
    )
    chosen = sorted(testable[:MAX_TESTED])
    tests = []
    for pair in chosen:
        test = tetrads.test_excess(agreements, *pair, people[~np.isin(people, pair)], alike)
        if test is not None:
            tests.append((pair, test))
    adjusted = holm([test.p_value for _, test in tests])
    scope = f" The {len(chosen)} of {len(pairs)} pairs with the most common items ({MIN_COMMON} at least) were tested."
    rows = [PairResult(pair, test, p) for (pair, test), p in zip(tests, adjusted, strict=True)]
    return rows, scope if len(chosen) < len(pairs) else ""
