"""Compare the looks before each possible change with those since, for many series at once.

A candidate is a look that may be the first of a change. With D the mean before it less the mean since, and V =
1 / W_before + 1 / W_since, its likelihood ratio for a drop by delta is L = exp((delta D - delta^2 / 2) / V).

With w = 1 / v the weight of a look, R and S the sums of w and w x over the looks before the candidate, W and m the
total weight and mean of all looks: D / V = S - m R and 1 / V = R - R^2 / W. So
log L = delta S + R (delta^2 R / (2 W) - delta^2 / 2 - delta m), which needs two cumulative sums.

Scores are in units of the smallest change, so that delta is 1 for a drop and -1 for a rise.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.monitoring.look_variance import look_variances

MAX_EXPONENT = 700.0  # exp() of more would overflow
BLOCK_ROWS = 64  # looks computed at once: few enough for the processor's cache


class CandidateLikelihoods:
    """B series with T looks, as of one look t, which `weigh` and `include` set.

    - x, n (T, B): mean score and items of each look. s2 (B,), rho, inflation (T, B): as `look_variances` has them.
    - ratio (B,): the larger change, in units of the smallest; not read for series that have none.

    Looks come first, so that the looks up to t lie together in memory.
    """

    def __init__(
        self,
        x: FloatArray,
        n: FloatArray,
        s2: FloatArray,
        rho: FloatArray,
        inflation: FloatArray,
        ratio: FloatArray,
    ) -> None:
        self.x, self.n, self.s2, self.rho, self.inflation, self.ratio = x, n, s2, rho, inflation, ratio
        self.inverse_n = 1 / n  # infinite for a look that no longer counts: it has no weight then
        self.t = 0
        self.sums = np.empty((2, *x.shape))  # R and S
        self.looks = [self.sums[:, d] for d in range(len(x))]
        self.W, self.mean = np.empty_like(s2), np.empty_like(s2)

    def weigh(self, t: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weigh the looks before t by what is known at t. Return their mean and weight, and v of t, (B,) each."""
        self.t = t
        scale = self.s2 * self.inflation[t]
        a, b = scale * (1 - self.rho[t]), scale * self.rho[t]
        for looks in _blocks(0, t):
            R, S = self.sums[:, looks]
            np.multiply(self.inverse_n[looks], a, out=R)
            np.add(R, b, out=R)
            np.divide(1.0, R, out=R)
            np.multiply(R, self.x[looks], out=S)
        for before, look in zip(self.looks, self.looks[1:t], strict=False):  # faster than numpy's cumsum over rows
            np.add(before, look, out=look)
        R, S = self.looks[t - 1]
        return S / R, R, look_variances(self.n[t], self.s2, self.rho[t], self.inflation[t])

    def include(self, x: FloatArray, v: FloatArray) -> None:
        """Store the score (B,) of look t, which may have been capped, with its variance v (B,)."""
        self.x[self.t] = x
        R, S = self.looks[self.t - 1]
        self.W = R + 1 / v
        self.mean = (S + x / v) / self.W

    def likelihoods(self, looks: slice, sign: float, columns: slice, *, larger: bool) -> FloatArray:
        """Return L (looks, columns) of the candidates `looks`, for a drop (sign 1) or a rise (-1).

        With a larger change it is the mean of the two ratios.
        """
        L = self._ratios(looks, sign, columns)
        if not larger:
            return L
        np.add(L, self._ratios(looks, sign * self.ratio[columns], columns), out=L)
        return np.multiply(L, 0.5, out=L)

    def likelihood_sums(self, start: IntArray, sign: float, columns: slice, *, larger: bool) -> FloatArray:
        """Return (columns,) the sum of L over the candidates of each series, from `start` (columns,) to t - 1."""
        total = np.zeros(len(start))
        for looks in _blocks(int(start.min()), self.t):
            L = self.likelihoods(looks, sign, columns, larger=larger)
            if looks.start < start.max():
                L *= np.arange(looks.start, looks.stop)[:, None] >= start
            total += added(L)
        return total

    def mean_before(self, column: int, candidate: int) -> float:
        """Return the weighted mean of the good looks of a series before a candidate."""
        R, S = self.sums[:, candidate - 1, column]
        return float(S / R)

    def mean_since(self, column: int, candidate: int) -> float:
        """Return the weighted mean of the looks of a series from a candidate to t."""
        looks = slice(candidate, self.t + 1)
        v = look_variances(
            self.n[looks, column], self.s2[column], self.rho[self.t, column], self.inflation[self.t, column]
        )
        return float((self.x[looks, column] / v).sum() / (1 / v).sum())

    def exclude(self, columns: slice, first: int, last: int) -> None:
        """Let the looks from `first` to `last` no longer count as looks before a change."""
        self.inverse_n[first : last + 1, columns] = np.inf

    def _ratios(self, looks: slice, delta: FloatArray | float, columns: slice) -> FloatArray:
        """Return L (looks, columns) for one change: delta is (columns,) or a single number."""
        R, S = self.sums[:, looks.start - 1 : looks.stop - 1, columns]
        L: FloatArray = np.multiply(R, delta**2 / (2 * self.W[columns]))
        np.subtract(L, delta**2 / 2 + delta * self.mean[columns], out=L)
        np.multiply(L, R, out=L)
        if isinstance(delta, float):
            (np.add if delta > 0 else np.subtract)(L, S, out=L)
        else:
            np.add(L, delta * S, out=L)
        np.minimum(L, MAX_EXPONENT, out=L)
        np.exp(L, out=L)
        return L


def added(rows: FloatArray) -> FloatArray:
    """Add rows (T, B) one after the other, so that the last digit of a series does not depend on its neighbours."""
    if rows.shape[1] == 1:  # numpy would add a single column in another order
        return np.asarray(np.add.accumulate(rows, axis=0)[-1])
    return np.asarray(rows.sum(axis=0))


def _blocks(first: int, stop: int) -> Iterator[slice]:
    """Cut looks first..stop-1 at the multiples of BLOCK_ROWS, so that sums do not depend on where they begin."""
    edges = [first, *range((first // BLOCK_ROWS + 1) * BLOCK_ROWS, stop, BLOCK_ROWS), stop]
    return (slice(start, end) for start, end in pairwise(edges) if start < end)
