"""What an item tells of a system's accuracy under the one-coin model, by enumerating the ratings that it can get.

The model: raters who are all right with probability c, a system that is right with s, errors spread evenly over the
other N - 1 labels, independent of each other, uniform base rates.
"""

from collections.abc import Iterator
from math import lgamma

import numpy as np

from stats.accuracy.estimator import FloatArray, IntArray


def rater_accuracy(n_labels: int, kappa: float) -> float:
    """What kappa (with chance 1/N) amounts to, in (1/N, 1).

    >>> round(rater_accuracy(5, 0.25), 12)
    0.6
    """
    return float((1 + (n_labels - 1) * kappa**0.5) / n_labels)


def sd_per_item(N: int, m: int, c: float, s: float) -> float:
    """Root of the first diagonal element of the inverse information of one item about (s, c): system, then
    raters."""
    C, own, ways = item_patterns(N, m)
    e_s = (1 - s) / (N - 1)
    L = _likelihood(C, m, c)
    dL = L * (C / c - (m - C) / (1 - c))
    mine = np.arange(len(C)), own
    L_y, S, dL_y, dS = L[mine], L.sum(axis=1), dL[mine], dL.sum(axis=1)
    P = s * L_y + e_s * (S - L_y)
    gradient = np.stack([L_y - (S - L_y) / (N - 1), s * dL_y + e_s * (dS - dL_y)])
    information = (gradient * (ways / N / P)) @ gradient.T  # P and ways: of one row, and how many rows
    return float(np.sqrt(np.linalg.inv(information)[0, 0]))


def score_correlation(N: int, m: int, c: float, s: float) -> float:
    """Correlation, in [0, 1], of an item's score with whether the system is right.

    The score is f = P(the system's own answer is right | the raters' labels). Where the model holds E[Y | f] = f, so
    that the correlation is the root of var(f) / (s (1 - s)).

    >>> round(score_correlation(5, 3, 0.638, 0.9), 3)
    0.703
    """
    C, own, ways = item_patterns(N, m)
    L = _likelihood(C, m, c)
    L_y = L[np.arange(len(C)), own]
    right, wrong = s * L_y, (1 - s) / (N - 1) * (L.sum(axis=1) - L_y)
    f = right / (right + wrong)
    variance = (ways / N * (right + wrong)) @ (f - s) ** 2
    return float(np.sqrt(min(variance / (s * (1 - s)), 1.0)))


def item_patterns(N: int, m: int) -> tuple[IntArray, IntArray, FloatArray]:
    """What m raters and a system can say of an item, up to a renaming of labels.

    C (patterns, N) counts in descending order, own (patterns,) the label the system gives, ways (patterns,)
    number of (rater -> label, system -> label) rows of this shape: they sum to N^(m+1).
    """
    rows: list[list[int]] = []
    own: list[int] = []
    ways: list[float] = []
    for parts in partitions(m, m, N):
        counts = parts + [0] * (N - len(parts))
        values = sorted(set(counts), reverse=True)
        log_ways = lgamma(m + 1) - sum(lgamma(c + 1) for c in counts)
        log_ways += lgamma(N + 1) - sum(lgamma(counts.count(v) + 1) for v in values)
        for value in values:
            rows.append(counts)
            own.append(counts.index(value))
            ways.append(float(np.exp(log_ways)) * counts.count(value))
    return np.array(rows), np.array(own), np.array(ways)


def partitions(total: int, largest: int, length: int) -> Iterator[list[int]]:
    """All ways to write `total` as a sum of at most `length` numbers from 1 to `largest`, each in descending
    order.

    >>> list(partitions(4, 4, 2))
    [[4], [3, 1], [2, 2]]
    """
    if total == 0:
        yield []
    elif length > 0:
        for first in range(min(total, largest), 0, -1):
            for rest in partitions(total - first, first, length - 1):
                yield [first, *rest]


def _likelihood(C: IntArray, m: int, c: float) -> FloatArray:
    """(patterns, N) likelihood of the raters' labels, if the right label is X."""
    N = C.shape[1]
    return np.asarray(c**C * ((1 - c) / (N - 1)) ** (m - C))
