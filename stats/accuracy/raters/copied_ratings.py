"""Find raters whose labels are those of another rater: one person under two names, or a copy.

Without gold, raters who agree with each other are taken to be right. Two who say the same on every item look perfect,
however often they err, and the others poor. So the ratings of one of the two do not count.

Two excellent raters say the same on nearly every item, too. What tells them apart is how they agree with the others:
the test of tetrads (`stats.accuracy.raters.tetrads`) says how much of the agreement of two raters is explained by how
each agrees with the others. It takes three others. Where there are fewer, nobody is marked, and the pair is named.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stats.accuracy.raters import tetrads
from stats.arrays import BoolArray, FloatArray, IntArray
from stats.distinct_keys import distinct_keys
from stats.patterns import PairCells, RatingPatterns, pair_cells, without_raters

MIN_COMMON = 60  # items that both rated
MIN_SAME = 0.99  # of these have the same label
MAX_CHANCE = 0.9  # agreement by chance, from how often the two give each label; also of others with one of them
MIN_SHARED = 0.5  # of the copy's ratings are on items that both rated
MIN_OTHERS = 3
MAX_OTHERS = 50  # those with the most ratings
MAX_PAIRS = 500_000  # pairs of ratings in a test; with more, it uses evenly spaced patterns
MIN_COPIED = 0.5  # of the ratings, by the test
LEVEL = 0.01  # of all tests together
SAME_AS = "This rater gave the same label as "
DETAIL = (
    SAME_AS + "{original} on {same:,} of {common:,} items that both rated. How each agrees with the other"
    " raters explains {expected:.0%}, so this is one person under two names, or a copy. Agreement counts both, but no"
    " accuracy without gold and no consensus rests on the ratings of {copy}."
)
UNDECIDED = (
    "{copy} and {original} gave the same label on {same:,} of {common:,} items that both rated, far more often than any"
    " of them and another rater. If they are one person under two names, or one is a copy, agreement and accuracy are"
    " wrong: leave one out. With fewer than three other raters the ratings cannot tell."
)


@dataclass(frozen=True)
class SameLabels:
    """Two raters with the same labels, by code, and on how many of the items that both rated (same of common).

    expected: the agreement that the others explain, or None where nothing tells whether one is a copy.
    """

    copy: int
    original: int
    same: int
    common: int
    expected: float | None = None

    @property
    def is_copy(self) -> bool:
        """Whether the others tell that one of the two is a copy."""
        return self.expected is not None

    def sentence(self, raters: Sequence[str]) -> str:
        """Return the sentence about them."""
        names = {"copy": raters[self.copy], "original": raters[self.original]}
        if self.expected is None:
            return UNDECIDED.format(**names, same=self.same, common=self.common)
        return DETAIL.format(**names, same=self.same, common=self.common, expected=self.expected)


@dataclass(frozen=True)
class _ComparedPairs:
    """Pairs of raters (n,): the codes of the two, the items that both rated, and those with the same label.

    The cells of pair number i are those from start[i] to start[i + 1], with label codes.
    """

    first: IntArray
    second: IntArray
    common: IntArray
    same: IntArray
    cells: PairCells
    start: IntArray

    def chance(self, row: int) -> float:
        """Return the share of a pair's items that would have the same label by chance."""
        cells = slice(self.start[row], self.start[row + 1])
        n, k = self.cells.n_items[cells], int(max(self.cells.label_a[cells].max(), self.cells.label_b[cells].max())) + 1
        a, b = (np.bincount(label[cells], weights=n, minlength=k) for label in (self.cells.label_a, self.cells.label_b))
        return float(a @ b) / float(n.sum()) ** 2


def same_labels(humans: RatingPatterns) -> list[SameLabels]:
    """Return the raters who have the labels of another one, at most once each, by code.

    Of several with the same labels the one with the most ratings is the original.
    """
    n = np.bincount(humans.rater, weights=humans.n_items[humans.pattern], minlength=humans.n_raters).astype(np.float64)
    if humans.n_raters < 3 or (n >= MIN_COMMON).sum() < 2:
        return []
    pairs = _pairs(humans, n)
    is_same = (pairs.common >= MIN_COMMON) & (pairs.same >= MIN_SAME * pairs.common)
    group, same_pairs = _groups(humans.n_raters, pairs, is_same), []
    for row in np.flatnonzero(is_same).tolist():
        a, b = int(pairs.first[row]), int(pairs.second[row])
        is_member = group == group[a]
        original = int(np.argmax(np.where(is_member, n, 0)))
        copy = b if a == original else a
        if original not in (a, b) or pairs.common[row] < MIN_SHARED * n[copy] or pairs.chance(row) > MAX_CHANCE:
            continue
        pair = SameLabels(copy, original, int(pairs.same[row]), int(pairs.common[row]))
        others = np.flatnonzero(~is_member)
        if len(others) >= MIN_OTHERS:
            test = _test(humans, copy, original, others[np.argsort(-n[others], kind="stable")[:MAX_OTHERS]])
            if test is not None and test.p_value < LEVEL / is_same.sum() and test.copied >= MIN_COPIED:
                same_pairs.append(replace(pair, expected=test.expected))
        elif _stand_apart(pairs, is_member):
            same_pairs.append(pair)
    return sorted(same_pairs, key=lambda pair: pair.copy)


def _pairs(humans: RatingPatterns, n: FloatArray) -> _ComparedPairs:
    """Compare the raters with MIN_COMMON ratings or more, of the n (r,) of each."""
    has_few = n < MIN_COMMON
    cells = pair_cells(without_raters(humans, has_few))
    code = np.flatnonzero(~has_few)
    keys, first, place = distinct_keys(cells.rater_a * len(code) + cells.rater_b)
    common = np.bincount(place, weights=cells.n_items, minlength=len(keys)).astype(np.int64)
    same = np.bincount(place, weights=cells.n_items * (cells.label_a == cells.label_b), minlength=len(keys))
    return _ComparedPairs(
        code[cells.rater_a[first]],
        code[cells.rater_b[first]],
        common,
        same.astype(np.int64),
        cells,
        np.append(first, len(place)),
    )


def _groups(n_raters: int, pairs: _ComparedPairs, is_same: BoolArray) -> IntArray:
    """Return the group (r,) of each rater: raters with the same labels, directly or through others, have the same."""
    group = np.arange(n_raters)
    for a, b in zip(pairs.first[is_same], pairs.second[is_same], strict=True):
        group[group == group[b]] = group[a]
    return group


def _test(humans: RatingPatterns, a: int, b: int, others: IntArray) -> tetrads.ExcessTest | None:
    """Test whether the others explain the agreement of a and b, on evenly spaced patterns if there are many."""
    people = np.sort([a, b, *others])
    chosen = without_raters(humans, ~np.isin(np.arange(humans.n_raters), people))
    ratings_of = np.bincount(chosen.pattern, minlength=len(chosen.n_items))
    kept = chosen.pattern % (int((ratings_of * (ratings_of - 1) // 2).sum()) // MAX_PAIRS + 1) == 0
    chosen = replace(chosen, pattern=chosen.pattern[kept], rater=chosen.rater[kept], label=chosen.label[kept])
    place = np.searchsorted(people, [a, b, *others])
    nobody = np.zeros((len(people), len(people)), bool)
    return tetrads.test_excess(tetrads.agreements(chosen), int(place[0]), int(place[1]), place[2:], nobody)


def _stand_apart(pairs: _ComparedPairs, is_member: BoolArray) -> bool:
    """Check whether no other rater agrees with these members nearly as often as they do with each other."""
    outside = is_member[pairs.first] != is_member[pairs.second]
    common, same = pairs.common[outside], pairs.same[outside]
    if common.sum() < MIN_COMMON or same.sum() >= MAX_CHANCE * common.sum():
        return False
    return not bool(((common >= MIN_COMMON) & (same >= MAX_CHANCE * common)).any())
