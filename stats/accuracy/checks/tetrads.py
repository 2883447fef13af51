"""Do two agree more with each other than their accuracies explain?

s_ab is the agreement of two people less what chance makes of it, sum_l p_al p_bl with p the share of each label among
the ratings of either: the numerator of Cohen's kappa. If everybody knows the right label with a chance c of his own and
else draws from label frequencies of his own, two who err independently have E s_ab = c_a c_b (1 - sum_l pi_l^2), pi the
base rates; with two labels so have any two whose errors are independent, however they favour a label. So for a, b and
any two others j, j' the tetrad s_ab s_jj' - s_aj s_bj' is 0, whatever the accuracies (C. Spearman's vanishing tetrads,
1927). T is their weighted sum over all j, j'; the weights are harmonic means of the numbers of items that the three
agreements rest on. Its standard error is the delta method's, over items. Everything that all raters have in common
(difficult items, uneven errors) raises all four agreements alike and mostly cancels; what two of them have in common
does not.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns, entry_pairs

# Where along the way from the observed to the expected agreement of the two the slope of T is taken. The observed one
# makes the test too shy with few items or raters who agree little, the expected one too bold; found by simulation.
_BETWEEN = 0.25
# z beyond which the standard error is that of the expected agreement where this is larger: that of an observed one near
# 1, on few items, is far too small, and among hundreds of pairs there is always one of these.
_FAR = 3.0


@dataclass(frozen=True)
class Agreements:
    """Every pair of ratings of a pattern: pattern, first and second person's code (first < second), the label that
    either gave, items (P,); `size` people, k labels."""

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
        """Items of each pair of ratings."""
        return self.n_items[self.pattern].astype(np.float64)

    @cached_property
    def agree(self) -> FloatArray:
        """1 where a pair of ratings agrees, else 0."""
        return np.asarray(self.label_first == self.label_second, dtype=np.float64)

    @cached_property
    def common(self) -> FloatArray:
        """(size, size) items that two people both rated; 0 on the diagonal."""
        return self._table(self.weight)

    @cached_property
    def share(self) -> FloatArray:
        """(size, size) share of the common items on which two people agree; 0 where there is none."""
        return np.asarray(self._table(self.agree * self.weight) / np.maximum(self.common, 1))

    @cached_property
    def frequencies(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """How often, on the common items, the first of a pair gives the label that the second gave here, and the second
        the label that the first gave, (P,) each; and (size, size) the agreement that these shares make by chance.

        Only labels that a pair of people gave are counted: labels may be many.
        """
        cell = self.first * self.size + self.second
        keys, place = np.unique(
            np.concatenate([cell * self.k + self.label_first, cell * self.k + self.label_second]), return_inverse=True
        )
        by_first, by_second = np.split(place, 2)
        common = np.maximum(self.common.ravel()[keys // self.k], 1)
        of_first, of_second = (
            np.bincount(side, weights=self.weight, minlength=len(keys)) / common for side in (by_first, by_second)
        )
        half = np.bincount(keys // self.k, weights=of_first * of_second, minlength=self.size**2)
        half = half.reshape(self.size, self.size)
        return of_first[by_second], of_second[by_first], np.asarray(half + half.T)

    @property
    def chance(self) -> FloatArray:
        """(size, size) agreement that the label frequencies of two people make by chance."""
        return self.frequencies[2]

    @cached_property
    def s(self) -> FloatArray:
        """(size, size) agreement less that of chance; 0 where two have no item in common."""
        return np.asarray(self.share - self.chance)

    @cached_property
    def deviation(self) -> FloatArray:
        """What a pair of ratings adds to s of the two people, which rests on their label frequencies too; 0 on
        average."""
        a, b = self.first, self.second
        of_first, of_second, chance = self.frequencies
        return np.asarray(self.agree - self.share[a, b] - of_first - of_second + 2 * chance[a, b])

    @cached_property
    def per_item(self) -> FloatArray:
        """(size, size) 1 / items in common, infinite where there is none."""
        return np.asarray(np.divide(1.0, self.common, out=np.full_like(self.common, np.inf), where=self.common > 0))

    def _table(self, weight: FloatArray) -> FloatArray:
        cell = self.first * self.size + self.second
        half = np.bincount(cell, weights=weight, minlength=self.size**2).reshape(self.size, -1)
        return np.asarray(half + half.T)


@dataclass(frozen=True)
class ExcessTest:
    """z of the excess, one-sided p, observed agreement, the agreement that the others explain, and the share of
    answers whose copying would make the excess."""

    z: float
    p_value: float
    agreement: float
    expected: float
    copied: float
    common: int


def agreements(patterns: RatingPatterns) -> Agreements:
    """All pairs of ratings."""
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


def test_excess(given: Agreements, a: int, b: int, others: IntArray, alike: NDArray[np.bool_]) -> ExcessTest | None:
    """Whether a and b agree too much. `alike` (size, size) are pairs whose agreement must not count as evidence.

    None where no two of the others have items in common with a, b and each other, where these agree no better than
    chance, or nothing varies.
    """
    s, n = given.s, given.common
    ratio = given.per_item
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
    most = 1 - float(given.chance[a, b])  # if they agreed on everything
    expected = float(np.clip(through / among, -most, most))
    se = _standard_error(given, _slope(given, a, b, others, w, among, expected))
    if se <= 1e-12:
        return None
    T = float(s[a, b]) * among - through
    z = T / se
    if z > _FAR:
        z = max(_FAR, T / float(np.hypot(se, among * _missing_error(given, a, b, expected))))
    copied = float(np.clip((s[a, b] - expected) / max(most - expected, 1e-9), 0.0, 1.0))
    share, explained = float(given.share[a, b]), float(np.clip(given.chance[a, b] + expected, 0.0, 1.0))
    return ExcessTest(z, float(ndtr(-z)), share, explained, copied, int(n[a, b]))


def _slope(
    given: Agreements, a: int, b: int, others: IntArray, w: FloatArray, among: float, expected: float
) -> FloatArray:
    """(size, size) symmetric derivative of T by the s of each pair."""
    s, D = given.s, np.zeros((given.size, given.size))
    D[a, b] = among
    D[a, others] -= w @ s[b, others]
    D[b, others] -= s[a, others] @ w
    D[np.ix_(others, others)] += w * ((1 - _BETWEEN) * s[a, b] + _BETWEEN * max(expected, 0.0))
    return np.asarray(D + D.T)


def _missing_error(given: Agreements, a: int, b: int, expected: float) -> float:
    """Root of what the variance of s_ab under the expected agreement has beyond that under the observed one."""
    observed = float(given.share[a, b])
    explained = float(np.clip(given.chance[a, b] + expected, 0.0, 1.0))
    more = explained * (1 - explained) - observed * (1 - observed)
    return float(np.sqrt(max(0.0, more) / given.common[a, b]))


def _standard_error(given: Agreements, slope: FloatArray) -> float:
    """Root of the sum over items of their squared influence on T."""
    per_item = slope * np.where(given.common > 0, given.per_item, 0.0)
    weight = per_item[given.first, given.second] * given.deviation
    influence = np.bincount(given.pattern, weights=weight, minlength=len(given.n_items))
    return float(np.sqrt(given.n_items @ influence**2))
