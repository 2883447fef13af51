"""What the checks of two people have in common: which pairs are looked at, on which items, and Holm's correction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.checks import tetrads
from stats.accuracy.checks.check_inputs import SystemAnswers, sample
from stats.accuracy.checks.finding import holm
from stats.accuracy.checks.tetrads import Agreements, ExcessTest
from stats.arrays import IntArray
from stats.patterns import RatingPatterns

PAIRS = 1_000_000  # pairs of ratings that are compared at most; with more, a random sample of the items
PEOPLE = 200  # raters that are looked at, those with the most ratings
CANDIDATES = 200  # pairs of people that are tested, those with the most items in common
COMMON = 20  # items that two people must have in common

Pair = tuple[int, int]


@dataclass(frozen=True)
class PairResult:
    """A pair of people, what was found, and Holm's p value among the pairs that were tested with it."""

    pair: Pair
    found: ExcessTest
    p_value: float


def with_system(given: SystemAnswers) -> RatingPatterns:
    """The system's answers among the ratings, as the last rater."""
    humans, answered = given.humans, np.flatnonzero(given.answer >= 0)
    pattern = np.concatenate([humans.pattern, answered])
    order = np.argsort(pattern, kind="stable")
    return replace(
        humans,
        pattern=pattern[order],
        rater=np.concatenate([humans.rater, np.full(len(answered), humans.n_raters)])[order],
        label=np.concatenate([humans.label, given.answer[answered]])[order],
        n_raters=humans.n_raters + 1,
    )


def sampled(given: SystemAnswers, seed: int) -> tuple[SystemAnswers, str]:
    """The items, or a random sample of them, and how to say so. All of them where they compress to few patterns."""
    humans = given.humans
    m = np.bincount(humans.pattern, minlength=len(humans.n_items)) + (given.answer >= 0)
    pairs, items = m * (m - 1) // 2, int(humans.n_items.sum())
    if pairs.sum() <= PAIRS:
        return given, ""
    wanted = max(COMMON, int(PAIRS * items / (pairs * humans.n_items).sum()))
    if wanted >= items:
        return given, ""
    drawn = sample(given, wanted, np.random.default_rng([seed, 3]))
    return drawn, f" Looked at on a random sample of {wanted:,} of {items:,} items."


def most_active(patterns: RatingPatterns) -> tuple[RatingPatterns, IntArray, str]:
    """The ratings of the PEOPLE with the most of them; their codes; how to say so."""
    if patterns.n_raters <= PEOPLE:
        return patterns, np.arange(patterns.n_raters), ""
    times = np.bincount(patterns.rater, weights=patterns.n_items[patterns.pattern], minlength=patterns.n_raters)
    chosen = np.sort(np.argsort(-times, kind="stable")[:PEOPLE])
    code = np.full(patterns.n_raters, -1)
    code[chosen] = np.arange(PEOPLE)
    kept = code[patterns.rater] >= 0
    some = replace(
        patterns,
        pattern=patterns.pattern[kept],
        rater=code[patterns.rater[kept]],
        label=patterns.label[kept],
        n_raters=PEOPLE,
    )
    return some, chosen, f" Looked at among the {PEOPLE} of {patterns.n_raters} raters with the most ratings."


def test_pairs(
    given: Agreements, pairs: Sequence[Pair], people: IntArray, alike: NDArray[np.bool_]
) -> tuple[list[PairResult], str]:
    """The pairs that can be tested, with Holm's p, sorted by pair, and how to say that some were left out. `people`
    are those whose agreements explain theirs, but for those who are `alike`."""
    able = sorted((pair for pair in pairs if given.common[pair] >= COMMON), key=lambda pair: -given.common[pair])
    chosen = sorted(able[:CANDIDATES])
    found = []
    for pair in chosen:
        one = tetrads.test_excess(given, *pair, people[~np.isin(people, pair)], alike)
        if one is not None:
            found.append((pair, one))
    adjusted = holm([one.p_value for _, one in found])
    said = f" The {len(chosen)} of {len(pairs)} pairs with the most common items ({COMMON} at least) were tested."
    rows = [PairResult(pair, one, p) for (pair, one), p in zip(found, adjusted, strict=True)]
    return rows, said if len(chosen) < len(pairs) else ""
