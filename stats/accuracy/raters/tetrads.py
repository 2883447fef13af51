"""Test whether two people agree more with each other than their accuracies explain.

s_ab is the agreement of two people less the agreement by chance, sum_l p_al p_bl, with p the share of each label among
the ratings of each. It is the numerator of Cohen's kappa. Suppose that everybody knows the right label with a
probability c, which differs by person, and else draws from label frequencies that differ by person. Then two who err
independently have E s_ab = c_a c_b (1 - sum_l pi_l^2), pi the base rates. With two labels this holds for any two people
whose errors are independent, however they favour a label. So for a, b and any two others j, j' the tetrad s_ab s_jj' -
s_aj s_bj' is 0, whatever the accuracies (C. Spearman's vanishing tetrads, 1927). T is their weighted sum over all j,
j'. The weights are harmonic means of the numbers of items of the three agreements. The standard error is the delta
method's, over items.

An effect that all raters share (difficult items, uneven errors) raises all four agreements alike and mostly cancels. An
effect that only two of them share does not cancel.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stats.arrays import FloatArray, IntArray
from stats.distinct_keys import distinct_keys
from stats.patterns import RatingPatterns, entry_pairs
from stats.special_functions import ndtr

# Where along the way from the observed to the expected agreement of the two the slope of T is taken. The observed one
# makes the test too shy with few items or raters who agree little, the expected one too bold; found by simulation.
_BETWEEN = 0.25
# z beyond which the standard error is that of the expected agreement where this is larger: that of an observed one near
# 1, on few items, is far too small, and among hundreds of pairs there is always one of these.
_FAR = 3.0


@dataclass(frozen=True)
class Agreements:
    """Every pair of ratings of a pattern.

    Each has its pattern, the codes of the first and second person (first < second), the label of each, and its items
    (P,). There are `size` people and k labels.
    """

    pattern: IntArray
    first: IntArray
    second: IntArray
    label_first: IntArray
    label_second: IntArray
    n_items: IntArray
    size: int
    k: int

    @cached_property
    def weight(self) -> FloatArray:
        """Return the number of items of each pair of ratings."""
        return self.n_items[self.pattern].astype(np.float64)

    @cached_property
    def agree(self) -> FloatArray:
        """Return 1 where a pair of ratings agrees, else 0."""
        return np.asarray(self.label_first == self.label_second, dtype=np.float64)

    @cached_property
    def common(self) -> FloatArray:
        """Return the number (size, size) of items that two people both rated, 0 on the diagonal."""
        return self._table(self.weight)

    @cached_property
    def share(self) -> FloatArray:
        """Return the share (size, size) of the common items on which two people agree, 0 without common items."""
        return np.asarray(self._table(self.agree * self.weight) / np.maximum(self.common, 1))

    @cached_property
    def frequencies(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return label frequencies on the common items, and the agreement (size, size) that they make by chance.

        The first array (P,) says how often the first person of a pair of ratings gives the label that the second gave
        there. The second (P,) says the same of the second person and the first's label. Only labels that a pair of
        people gave are counted, because there may be many labels.
        """
        cell = self.first * self.size + self.second
        keys, _, place = distinct_keys(
            np.concatenate([cell * self.k + self.label_first, cell * self.k + self.label_second])
        )
        by_first, by_second = np.split(place, 2)
        common = np.maximum(self.common.ravel()[keys // self.k], 1)
        of_first, of_second = (
            np.bincount(side, weights=self.weight, minlength=len(keys)) / common for side in (by_first, by_second)
        )
        products = np.bincount(keys // self.k, weights=of_first * of_second, minlength=self.size**2)
        half = products.reshape(self.size, self.size)
        return of_first[by_second], of_second[by_first], np.asarray(half + half.T)

    @property
    def chance(self) -> FloatArray:
        """Return the agreement (size, size) that the label frequencies of two people make by chance."""
        return self.frequencies[2]

    @cached_property
    def s(self) -> FloatArray:
        """Return the agreement (size, size) less that of chance, 0 where two people have no item in common."""
        return np.asarray(self.share - self.chance)

    @cached_property
    def deviation(self) -> FloatArray:
        """Return what a pair of ratings adds to s of the two people, through their label frequencies, too.

        It is 0 on average.
        """
        a, b = self.first, self.second
        of_first, of_second, chance = self.frequencies
        return np.asarray(self.agree - self.share[a, b] - of_first - of_second + 2 * chance[a, b])

    @cached_property
    def per_item(self) -> FloatArray:
        """Return 1 / common items (size, size), infinite without common items."""
        return np.asarray(np.divide(1.0, self.common, out=np.full_like(self.common, np.inf), where=self.common > 0))

    def _table(self, weight: FloatArray) -> FloatArray:
        cell = self.first * self.size + self.second
        half = np.bincount(cell, weights=weight, minlength=self.size**2).reshape(self.size, -1)
        return np.asarray(half + half.T)


@dataclass(frozen=True)
class ExcessTest:
    """The test of one pair of people.

    z of the excess, one-sided p, the observed agreement, the agreement that the others explain, the share of answers
    that would make the excess if they were copied, and the number of common items.
    """

    z: float
    p_value: float
    agreement: float
    expected: float
    copied: float
    common: int


def agreements(patterns: RatingPatterns) -> Agreements:
    """Return all pairs of ratings."""
    ratings_of = np.bincount(patterns.pattern, minlength=len(patterns.n_items))
    blocks = list(entry_pairs(patterns.pattern, ratings_of))
    a, b = (np.concatenate([block[side] for block in blocks]) for side in (0, 1))
    return Agreements(
        patterns.pattern[a],
        patterns.rater[a],
        patterns.rater[b],
        patterns.label[a],
        patterns.label[b],
        patterns.n_items,
        patterns.n_raters,
        patterns.n_labels,
    )


def test_excess(
    agreements: Agreements, a: int, b: int, others: IntArray, alike: NDArray[np.bool_]
) -> ExcessTest | None:
    """Test whether a and b agree too much. `alike` (size, size) marks pairs whose agreement must not count as evidence.

    Returns None if no two of the others have items in common with a, b and each other, if these agree no better than
    chance, or if nothing varies.
    """
    s, n = agreements.s, agreements.common
    ratio = agreements.per_item
    total = ratio[a, others][:, None] + ratio[b, others][None, :] + ratio[np.ix_(others, others)]
    w = np.where(np.isfinite(total), 1 / total, 0.0)
    # s_aj, s_bj' and s_jj' all have to be those of independent people
    w[alike[a, others], :] = 0.0
    w[:, alike[b, others]] = 0.0
    w[alike[np.ix_(others, others)]] = 0.0
    among = float((w * s[np.ix_(others, others)]).sum())
    if among <= 1e-9 or n[a, b] == 0:
        return None
    through = float(s[a, others] @ w @ s[b, others])
    most = 1 - float(agreements.chance[a, b])  # if they agreed on everything
    expected = float(np.clip(through / among, -most, most))
    se = _standard_error(agreements, _slope(agreements, a, b, others, w, among, expected))
    if se <= 1e-12:
        return None
    T = float(s[a, b]) * among - through
    z = T / se
    if z > _FAR:
        z = max(_FAR, T / float(np.hypot(se, among * _missing_error(agreements, a, b, expected))))
    copied = float(np.clip((s[a, b] - expected) / max(most - expected, 1e-9), 0.0, 1.0))
    share, explained = float(agreements.share[a, b]), float(np.clip(agreements.chance[a, b] + expected, 0.0, 1.0))
    return ExcessTest(z, float(ndtr(-z)), share, explained, copied, int(n[a, b]))


def _slope(
    agreements: Agreements, a: int, b: int, others: IntArray, w: FloatArray, among: float, expected: float
) -> FloatArray:
    """Return the symmetric derivative (size, size) of T by the s of each pair."""
    s, D = agreements.s, np.zeros((agreements.size, agreements.size))
    D[a, b] = among
    D[a, others] -= w @ s[b, others]
    D[b, others] -= s[a, others] @ w
    D[np.ix_(others, others)] += w * ((1 - _BETWEEN) * s[a, b] + _BETWEEN * max(expected, 0.0))
    return np.asarray(D + D.T)


def _missing_error(agreements: Agreements, a: int, b: int, expected: float) -> float:
    """Return the root of the variance of s_ab under the expected agreement less that under the observed one."""
    observed = float(agreements.share[a, b])
    explained = float(np.clip(agreements.chance[a, b] + expected, 0.0, 1.0))
    more = explained * (1 - explained) - observed * (1 - observed)
    return float(np.sqrt(max(0.0, more) / agreements.common[a, b]))


def _standard_error(agreements: Agreements, slope: FloatArray) -> float:
    """Return the root of the sum over items of their squared influence on T."""
    per_item = slope * np.where(agreements.common > 0, agreements.per_item, 0.0)
    weight = per_item[agreements.first, agreements.second] * agreements.deviation
    influence = np.bincount(agreements.pattern, weights=weight, minlength=len(agreements.n_items))
    return float(np.sqrt(agreements.n_items @ influence**2))
