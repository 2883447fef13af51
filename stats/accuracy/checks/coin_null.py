"""Fit and simulate the null hypothesis of the checks: a one-coin model of the human raters.

Raters are right with probability c on every item and label, and errors spread evenly over the other N - 1 labels. The
fit is Lehner's (Eqs. 1-5). It has a closed form and is repeated for every simulated set. The checks need only three
sums of a set of ratings. So a set of a million items is one draw of how often each pattern of counts occurs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from stats.accuracy.estimators import lehner
from stats.arrays import FloatArray, IntArray
from stats.special_functions import gammaln

MAX_LISTED = 3000  # limit on listed patterns of counts; with more, items are drawn one by one
MAX_DRAWN = 5000  # limit on items drawn one by one, per number of ratings; sums are scaled up to all items


@dataclass(frozen=True)
class AgreementMoments:
    """Sums over the items of B sets of ratings.

    - pairs (B, k, k): ordered pairs of ratings of one item, by their labels.
    - ratings (B, k): ratings by label.
    - m (G,): the different numbers of ratings that items have.
    - n (G,): items with each number of ratings.
    - agreeing, squared (B, G): sums over these items of a and of a^2, with a the (unordered) agreeing pairs of an
      item.
    """

    pairs: FloatArray
    ratings: FloatArray
    m: IntArray
    n: IntArray
    agreeing: FloatArray
    squared: FloatArray

    @property
    def k(self) -> int:
        """Return the number of labels."""
        return int(self.ratings.shape[1])


@dataclass(frozen=True)
class OneCoinNull:
    """The fitted probability of a right rating P_c (B,) and base rates (B, k).

    Both are NaN where raters agree no better than chance.
    """

    P_c: FloatArray
    base_rates: FloatArray

    @classmethod
    def of(cls, moments: AgreementMoments) -> "OneCoinNull":
        """Return Lehner's fit to each set."""
        k = moments.k
        P_a = np.trace(moments.pairs, axis1=1, axis2=2) / moments.pairs.sum(axis=(1, 2))
        P_c = lehner.rater_accuracy(P_a, k)
        f = moments.ratings / moments.ratings.sum(axis=1, keepdims=True)
        return cls(P_c, lehner.base_rates(f, P_c))

    @property
    def P_e(self) -> FloatArray:  # noqa: N802, the formula's name
        """Return the probability (B,) of one particular wrong label."""
        return np.asarray((1 - self.P_c) / (self.base_rates.shape[1] - 1))

    def pairs(self) -> FloatArray:
        """Return the probabilities (B, k, k) of an ordered pair of ratings.

        Off the diagonal they are (pi_A + pi_B) P_c P_e + (1 - pi_A - pi_B) P_e^2, on it pi_A P_c^2 + (1 - pi_A) P_e^2.
        """
        k = self.base_rates.shape[1]
        label_given_right = np.where(np.eye(k, dtype=bool), self.P_c[:, None, None], self.P_e[:, None, None])
        return np.asarray(np.swapaxes(label_given_right * self.base_rates[:, :, None], 1, 2) @ label_given_right)


def moments(C: IntArray, n_items: IntArray) -> AgreementMoments:
    """Return the sums of one set of ratings, from its count patterns.

    >>> moments(np.array([[2, 1], [0, 3]]), np.array([4, 1])).pairs[0].tolist()
    [[8.0, 8.0], [8.0, 6.0]]
    """
    m = C.sum(axis=1)
    groups = np.unique(m)
    weighted = (C * n_items[:, None]).astype(np.float64)
    pairs = weighted.T @ C - np.diag(weighted.sum(axis=0))
    a = (C * (C - 1)).sum(axis=1) / 2
    own = (m[:, None] == groups) * n_items[:, None]
    return AgreementMoments(
        pairs[None], weighted.sum(axis=0)[None], groups, own.sum(axis=0), (a @ own)[None], (a**2 @ own)[None]
    )


def simulated(coin: OneCoinNull, like: AgreementMoments, replicates: int, rng: np.random.Generator) -> AgreementMoments:
    """Simulate sets of ratings by one coin, with as many items of each number of ratings as `like` has."""
    k, B = like.k, replicates
    pairs, ratings = np.zeros((B, k, k)), np.zeros((B, k))
    agreeing, squared = np.zeros((B, len(like.m))), np.zeros((B, len(like.m)))
    for g, (m, n) in enumerate(zip(like.m.tolist(), like.n.tolist(), strict=True)):
        draw = _by_pattern if comb(m + k - 1, m) <= MAX_LISTED else _by_item
        part = draw(coin, m, n, B, rng)
        pairs += part.pairs
        ratings += part.ratings
        agreeing[:, g], squared[:, g] = part.agreeing[:, 0], part.squared[:, 0]
    return AgreementMoments(pairs, ratings, like.m, like.n, agreeing, squared)


def _by_pattern(coin: OneCoinNull, m: int, n: int, B: int, rng: np.random.Generator) -> AgreementMoments:
    """Draw how often each pattern of counts occurs, by one multinomial draw."""
    C = _patterns(m, coin.base_rates.shape[1])
    W = rng.multinomial(n, _chances(C, coin), size=B).astype(np.float64)
    k, a = C.shape[1], (C * (C - 1)).sum(axis=1) / 2
    ratings = W @ C
    pairs = (W @ (C[:, :, None] * C[:, None, :]).reshape(len(C), -1)).reshape(B, k, k)
    pairs -= ratings[:, :, None] * np.eye(k)
    return AgreementMoments(pairs, ratings, np.array([m]), np.array([n]), (W @ a)[:, None], (W @ a**2)[:, None])


def _patterns(m: int, k: int) -> IntArray:
    """Return all ways (Q, k) to spread m ratings over k labels."""
    chosen = np.array(list(combinations_with_replacement(range(k), m)), dtype=np.int64)
    return np.asarray((chosen[:, :, None] == np.arange(k)).sum(axis=1), dtype=np.int64)


def _chances(C: IntArray, coin: OneCoinNull) -> FloatArray:
    """Return the probability (Q,) of each pattern of counts."""
    P_c, P_e = float(coin.P_c[0]), float(coin.P_e[0])
    m = C.sum(axis=1, keepdims=True)
    ways = np.exp(gammaln(m[:, 0] + 1) - gammaln(C + 1).sum(axis=1))
    chance = ways * ((P_c**C * P_e ** (m - C)) @ coin.base_rates[0])
    return np.asarray(chance / chance.sum())


def _by_item(coin: OneCoinNull, m: int, n: int, B: int, rng: np.random.Generator) -> AgreementMoments:
    """Draw items one by one, at most MAX_DRAWN of them."""
    k, drawn = coin.base_rates.shape[1], min(n, MAX_DRAWN)
    batches = [moments(C, np.ones(drawn, np.int64)) for C in _items(coin, m, drawn, B, k, rng)]
    sums = (np.concatenate([getattr(part, name) for part in batches]) for name in ("pairs", "ratings"))
    more = (np.concatenate([getattr(part, name) for part in batches]) for name in ("agreeing", "squared"))
    pairs, ratings, agreeing, squared = (value * (n / drawn) for value in (*sums, *more))
    return AgreementMoments(pairs, ratings, np.array([m]), np.array([n]), agreeing, squared)


def _items(coin: OneCoinNull, m: int, n: int, B: int, k: int, rng: np.random.Generator) -> Iterator[IntArray]:
    for _ in range(B):
        right = rng.choice(k, size=n, p=coin.base_rates[0])
        wrong = (right[:, None] + rng.integers(1, k, (n, m))) % k
        answered = np.where(rng.random((n, m)) < coin.P_c[0], right[:, None], wrong)
        cell = answered + k * np.arange(n)[:, None]
        yield np.bincount(cell.ravel(), minlength=n * k).reshape(n, k)
