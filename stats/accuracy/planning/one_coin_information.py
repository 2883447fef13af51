"""The information in one item about a system's accuracy, under the one-coin model.

All raters are right with probability c and the system with s. Errors spread evenly over the other N - 1 labels. Raters
and system are independent, base rates uniform. The ratings that an item can get are enumerated.
"""

from collections.abc import Iterator
from math import lgamma

import numpy as np

from stats.arrays import FloatArray, IntArray


def rater_accuracy(n_labels: int, kappa: float) -> float:
    """Return the rater accuracy, in (1/N, 1), that corresponds to kappa (with chance 1/N).

    >>> round(rater_accuracy(5, 0.25), 12)
    0.6
    """
    return float((1 + (n_labels - 1) * kappa**0.5) / n_labels)


def sd_per_item(N: int, m: int, c: float, s: float) -> float:
    """Return the root of the first diagonal element of the inverse information of one item about (s, c).

    The first parameter is the system's accuracy s, the second the raters' c.
    """
    C, own, ways = item_patterns(N, m)
    e_s = (1 - s) / (N - 1)
    L = _likelihood(C, m, c)
    dL = L * (C / c - (m - C) / (1 - c))
    own_cells = np.arange(len(C)), own
    L_y, S, dL_y, dS = L[own_cells], L.sum(axis=1), dL[own_cells], dL.sum(axis=1)
    P = s * L_y + e_s * (S - L_y)
    gradient = np.stack([L_y - (S - L_y) / (N - 1), s * dL_y + e_s * (dS - dL_y)])
    information = (gradient * (ways / N / P)) @ gradient.T  # P and ways: of one row, and how many rows
    return float(np.sqrt(np.linalg.inv(information)[0, 0]))


def score_correlation(N: int, m: int, c: float, s: float) -> float:
    """Return the correlation, in [0, 1], of an item's score with whether the system is right.

    The score is f = P(the system's own answer is right | the raters' labels). Where the model holds, E[Y | f] = f, so
    the correlation is the root of var(f) / (s (1 - s)).

    >>> round(score_correlation(5, 3, 0.638, 0.9), 3)
    0.703
    """
    C, own, ways = item_patterns(N, m)
    L = _likelihood(C, m, c)
    L_y = L[np.arange(len(C)), own]
    right, wrong = s * L_y, (1 - s) / (N - 1) * (L.sum(axis=1) - L_y)
    f = right / (right + wrong)
    variance = float((ways / N * (right + wrong)) @ (f - s) ** 2)
    return float(np.sqrt(min(variance / (s * (1 - s)), 1.0)))


def item_patterns(N: int, m: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all answers of m raters and a system to one item, up to a renaming of labels.

    C (patterns, N) are counts in descending order. own (patterns,) is the label that the system gives. ways
    (patterns,) is how many rows (rater -> label, system -> label) have this shape; they sum to N^(m+1).
    """
    rows: list[list[int]] = []
    own: list[int] = []
    ways: list[float] = []
    for label_counts in partitions(m, m, N):
        counts = label_counts + [0] * (N - len(label_counts))
        values = sorted(set(counts), reverse=True)
        log_ways = lgamma(m + 1) - sum(lgamma(c + 1) for c in counts)
        log_ways += lgamma(N + 1) - sum(lgamma(counts.count(v) + 1) for v in values)
        for value in values:
            rows.append(counts)
            own.append(counts.index(value))
            ways.append(float(np.exp(log_ways)) * counts.count(value))
    return np.array(rows), np.array(own), np.array(ways)


def partitions(total: int, largest: int, length: int) -> Iterator[list[int]]:
    """Yield all ways to write `total` as a sum of at most `length` numbers from 1 to `largest`, in descending order.

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
    """Return the likelihood (patterns, N) of the raters' labels if the right label is X."""
    N = C.shape[1]
    return np.asarray(c**C * ((1 - c) / (N - 1)) ** (m - C))
