"""Compare the looks before each possible change with those since, for many series at once.

A candidate is a look that may be the first of a change. With D the mean before it less the mean since, and V =
1 / W_before + 1 / W_since, its likelihood ratio for a drop by delta is L = exp((delta D - delta^2 / 2) / V).

With w = 1 / v the weight of a look, R and S the sums of w and w x over the looks before the candidate, W and m the
total weight and mean of all looks: D / V = S - m R and 1 / V = R - R^2 / W. So
log L = delta S + R (delta^2 R / (2 W) - delta^2 / 2 - delta m), which needs two cumulative sums.

Scores are in units of the smallest change, so that delta is 1 for a drop and -1 for a rise.
"""

import numpy as np
from numpy.typing import NDArray

from stats.arrays import FloatArray
from stats.monitoring.look_variance import look_variances

MAX_EXPONENT = 700.0  # exp() of more would overflow


class CandidateLikelihoods:
    """B series with T looks, as of one look t, which `weigh` and `include` set.

    - x, n (B, T): mean score and items of each look. s2 (B,), rho, inflation (B, T): as `look_variances` has them.
    - ratio (B,): the larger change, in units of the smallest, or None.

    Buffers are used again for each look, because memory is what limits the speed.
    """

    def __init__(
        self,
        x: FloatArray,
        n: FloatArray,
        s2: FloatArray,
        rho: FloatArray,
        inflation: FloatArray,
        ratio: FloatArray | None,
    ) -> None:
        self.x, self.n, self.s2, self.rho, self.inflation, self.ratio = x, n, s2, rho, inflation, ratio
        self.inverse_n = 1 / n  # infinite for a look that no longer counts: it has no weight then
        self.t = 0
        self.sums: NDArray[np.complex128] = np.empty(x.shape, np.complex128)  # R and S, added up in one pass
        self.L, self.larger_L = np.empty_like(x), np.empty_like(x)
        self.W, self.mean = np.empty(len(x)), np.empty(len(x))

    def weigh(self, t: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weigh the looks before t by what is known at t. Return their mean and weight, and v of t (B,)."""
        self.t = t
        scale = self.s2 * self.inflation[:, t]
        v, sums = self.L[:, :t], self.sums[:, :t]
        np.multiply(self.inverse_n[:, :t], (scale * (1 - self.rho[:, t]))[:, None], out=v)
        np.add(v, (scale * self.rho[:, t])[:, None], out=v)
        np.divide(1.0, v, out=sums.real)
        np.multiply(sums.real, self.x[:, :t], out=sums.imag)
        np.add.accumulate(sums, axis=1, out=sums)
        weight, total = sums[:, -1].real, sums[:, -1].imag
        return total / weight, weight, look_variances(self.n[:, t], self.s2, self.rho[:, t], self.inflation[:, t])

    def include(self, x: FloatArray, v: FloatArray) -> None:
        """Store the score (B,) of look t, which may have been capped, with its variance v (B,)."""
        self.x[:, self.t] = x
        before = self.sums[:, self.t - 1]
        self.W = before.real + 1 / v
        self.mean = (before.imag + x / v) / self.W

    def likelihoods(self, first: int, sign: float, rows: slice = slice(None)) -> FloatArray:
        """Return L (rows, t - first) of the candidates first..t-1, for a drop (sign 1) or a rise (-1).

        With two changes it is the mean of their two ratios. The result is a buffer: use it before the next call.
        """
        L = self._ratios(first, rows, np.array(sign), self.L)
        if self.ratio is None:
            return L
        larger = self._ratios(first, rows, sign * self.ratio[rows, None], self.larger_L)
        np.add(L, larger, out=L)
        return np.multiply(L, 0.5, out=L)

    def mean_before(self, row: int, candidate: int) -> float:
        """Return the weighted mean of the good looks of a series before a candidate."""
        before = self.sums[row, candidate - 1]
        return float(before.imag / before.real)

    def mean_since(self, row: int, candidate: int) -> float:
        """Return the weighted mean of the looks of a series from a candidate to t."""
        looks = slice(candidate, self.t + 1)
        v = look_variances(self.n[row, looks], self.s2[row], self.rho[row, self.t], self.inflation[row, self.t])
        return float((self.x[row, looks] / v).sum() / (1 / v).sum())

    def drop(self, rows: slice, first: int) -> None:
        """Let the looks from `first` to t no longer count as looks before a change."""
        self.inverse_n[rows, first : self.t + 1] = np.inf

    def _ratios(self, first: int, rows: slice, delta: FloatArray, out: FloatArray) -> FloatArray:
        """Fill and return the buffer `out` with L for one change: delta is (rows, 1) or a single number."""
        before = self.sums[rows, first - 1 : self.t - 1]
        L = out[rows, first : self.t]
        np.multiply(before.real, delta**2 / (2 * self.W[rows, None]), out=L)
        np.subtract(L, delta**2 / 2 + delta * self.mean[rows, None], out=L)
        np.multiply(L, before.real, out=L)
        if delta.ndim:
            np.add(L, delta * before.imag, out=L)
        else:
            (np.add if delta > 0 else np.subtract)(L, before.imag, out=L)
        np.minimum(L, MAX_EXPONENT, out=L)
        return np.exp(L, out=L)
