"""Do two agree more with each other than their accuracies explain?

With s = (N agreement - 1) / (N - 1), two who err independently have E s_ab = c_a c_b, c = (N p - 1) / (N - 1) for one
who is right with chance p. So for a, b and any two others j, j' the tetrad s_ab s_jj' - s_aj s_bj' is 0, whatever the
accuracies (C. Spearman's vanishing tetrads, 1927). T is their weighted sum over all j, j'; the weights are harmonic
means of the numbers of items that the three agreements rest on. Its standard error is the delta method's, over items.
Everything that all raters have in common (difficult items, uneven errors) raises all four agreements alike and mostly
cancels; what two of them have in common does not.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from stats.accuracy.estimator import FloatArray, IntArray
from stats.patterns import Patterns, entry_pairs

# Where along the way from the observed to the expected agreement of the two the slope of T is taken. The observed one
# makes the test too shy with few items or raters who agree little, the expected one too bold; found by simulation.
_BETWEEN = 0.25
# z beyond which the standard error is that of the expected agreement where this is larger: that of an observed one near
# 1, on few items, is far too small, and among hundreds of pairs there is always one of these.
_FAR = 3.0


@dataclass(frozen=True)
class Agreements:
    """Every pair of ratings of a pattern: pattern, first and second person's code (first < second), whether the two
    agree, items (P,); `size` people, k labels."""

    pattern: IntArray
    first: IntArray
    second: IntArray
    agree: FloatArray
    n_items: IntArray
    size: int
    k: int

    @cached_property
    def common(self) -> FloatArray:
        """(size, size) items that two people both rated; 0 on the diagonal."""
        return self._table(self.n_items[self.pattern].astype(np.float64))

    @cached_property
    def s(self) -> FloatArray:
        """(size, size) agreement corrected for chance 1/N; 0 where two have no item in common."""
        share = self._table(self.agree * self.n_items[self.pattern]) / np.maximum(self.common, 1)
        return np.asarray(np.where(self.common > 0, (self.k * share - 1) / (self.k - 1), 0.0))

    @cached_property
    def deviation(self) -> FloatArray:
        """Corrected agreement of each pair of ratings less that of the two people."""
        return np.asarray((self.k * self.agree - 1) / (self.k - 1) - self.s[self.first, self.second])

    @cached_property
    def per_item(self) -> FloatArray:
        """(size, size) 1 / items in common, infinite where there is none."""
        return np.asarray(np.divide(1.0, self.common, out=np.full_like(self.common, np.inf), where=self.common > 0))

    def _table(self, weight: FloatArray) -> FloatArray:
        cell = self.first * self.size + self.second
        half = np.bincount(cell, weights=weight, minlength=self.size**2).reshape(self.size, -1)
        return np.asarray(half + half.T)


@dataclass(frozen=True)
class Tested:
    """z of the excess, one-sided p, observed agreement, the agreement that the others explain, and the share of
    answers whose copying would make the excess."""

    z: float
    p_value: float
    agreement: float
    expected: float
    copied: float
    common: int


def agreements(patterns: Patterns) -> Agreements:
    """All pairs of ratings."""
    ratings_of = np.bincount(patterns.pattern, minlength=len(patterns.n_items))
    blocks = list(entry_pairs(patterns.pattern, ratings_of))
    a, b = (np.concatenate([block[side] for block in blocks]) for side in (0, 1))
    agree = (patterns.label[a] == patterns.label[b]).astype(np.float64)
    return Agreements(
        patterns.pattern[a],
        patterns.rater[a],
        patterns.rater[b],
        agree,
        patterns.n_items,
        patterns.n_raters,
        patterns.n_labels,
    )


def tested(given: Agreements, a: int, b: int, others: IntArray, alike: NDArray[np.bool_]) -> Tested | None:
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
    expected = float(np.clip(through / among, -1.0, 1.0))
    se = _standard_error(given, _slope(given, a, b, others, w, among, expected))
    if se <= 1e-12:
        return None
    T = float(s[a, b]) * among - through
    z = T / se
    if z > _FAR:
        z = max(_FAR, T / float(np.hypot(se, among * _missing_error(given, a, b, expected))))
    copied = float(np.clip((s[a, b] - expected) / max(1 - expected, 1e-9), 0.0, 1.0))
    k = given.k
    share, explained = ((1 + (k - 1) * value) / k for value in (float(s[a, b]), expected))
    return Tested(z, float(ndtr(-z)), share, explained, copied, int(n[a, b]))


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
    k = given.k
    observed, explained = ((1 + (k - 1) * np.clip(s, -1 / (k - 1), 1)) / k for s in (given.s[a, b], expected))
    more = explained * (1 - explained) - observed * (1 - observed)
    return float(k / (k - 1) * np.sqrt(max(0.0, more) / given.common[a, b]))


def _standard_error(given: Agreements, slope: FloatArray) -> float:
    """Root of the sum over items of their squared influence on T."""
    per_item = slope * np.where(given.common > 0, given.per_item, 0.0)
    weight = per_item[given.first, given.second] * given.deviation
    influence = np.bincount(given.pattern, weights=weight, minlength=len(given.n_items))
    return float(np.sqrt(given.n_items @ influence**2))
