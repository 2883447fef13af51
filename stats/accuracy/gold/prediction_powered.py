"""Prediction-powered mean: a few known values, made more precise by a score that all items have.

Source: A. N. Angelopoulos, J. C. Duchi & T. Zrnic (2023), PPI++: Efficient Prediction-Powered Inference,
arXiv:2311.01453.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.gold.gold_weights import covariance, effective_share, scaled
from stats.arrays import FloatArray
from stats.special_functions import stdtrit

NORMAL = 1e9  # degrees of freedom from which Student's t is the normal distribution


@dataclass(frozen=True)
class Score:
    """The known values and the scores of the gold items.

    - Y (m,): 1 where the system is right, else 0.
    - f (m,): score of each gold item.
    - f_mean: mean score of all n items.
    - weight (m,): what each gold item stands for (`stats.accuracy.gold.gold_weights`); None where all count alike.
    """

    Y: FloatArray
    f: FloatArray
    f_mean: float
    n: int
    weight: FloatArray | None = None

    def take(self, rows: NDArray[np.bool_]) -> "Score":
        """Return the score of some of the gold items."""
        return replace(self, Y=self.Y[rows], f=self.f[rows], weight=None if self.weight is None else self.weight[rows])


@dataclass(frozen=True)
class PredictionPowered:
    """The estimate and the parts of its error: p(1-p), var(f), cov(Y, f), slope = clip(cov / var, 0, 1).

    For gold with unequal weights, var and cov are those of the weighted means times m, and var_of_items and
    cov_of_items those of single items. Without weights they are the same. effective is the effective number of gold
    items by their number.
    """

    accuracy: float
    variance: float
    var: float
    cov: float
    slope: float
    n: int
    var_of_items: float
    cov_of_items: float
    effective: float = 1.0

    def se(self, m: float) -> float:
        """Return the standard error with m gold items.

        It is the root of p(1-p)/m + (1/m - 1/n) (lambda^2 var - 2 lambda cov), where the part with 1/n has var and cov
        of single items.
        """
        lam = self.slope * self.n / (self.n + m)
        drawn = lam**2 * self.var - 2 * lam * self.cov
        whole = lam**2 * self.var_of_items - 2 * lam * self.cov_of_items
        squared = (self.variance + drawn) / m - whole / self.n
        return float(np.sqrt(max(squared, 0.0)))

    def half_width(self, m: float, confidence: float) -> float:
        """Return the half-width of Student's t interval with m - 1 degrees of freedom.

        With weights m is the effective number of gold items there.
        """
        return quantile(self.degrees(m), confidence) * self.se(m)

    def cut_half_width(self, m: float, confidence: float) -> float:
        """Return half the width of the interval with m gold items as it is shown: cut at 0 and 1."""
        half = self.half_width(m, confidence)
        return (min(1.0, self.accuracy + half) - max(0.0, self.accuracy - half)) / 2

    def degrees(self, m: float) -> float:
        """Return the degrees of freedom with m gold items."""
        return max(m * self.effective - 1, 1.0)


def prediction_powered(score: Score) -> PredictionPowered:
    """Return the gold mean + lambda (mean score over all items - mean score over the gold items), cut at 0 and 1.

    lambda is clip(cov / var, 0, 1) n / (n + m), with covariance and variance of the score over the gold items. It is 0
    where the score does not vary; then only gold counts. The variance treats the gold items as a random subset of the
    n items. Its p(1-p) is taken after adding two right and two wrong answers (Agresti & Coull 1998), so that 20 right
    answers of 20 do not make an interval of width zero.

    With weights all means over the gold items are weighted. Their variance is at least that of the weighted values as
    they are, and at least p(1-p) for the effective number of gold items.

    >>> Y, f = np.array([1.0, 1.0, 1.0, 0.0]), np.array([0.9, 0.8, 0.7, 0.4])
    >>> round(prediction_powered(Score(Y, f, 0.65, 10)).accuracy, 4)  # .75 + 10 / 14 (.65 - .7)
    0.7143
    """
    Y, f, m, n = score.Y, score.f, len(score.Y), score.n
    w = scaled(score.weight, m)
    cov, var = covariance(w, Y, f), covariance(w, f, f)
    slope = float(np.clip(cov / var, 0, 1)) if var > 0 else 0.0
    lam = slope * n / (n + m)
    mean, effective = float((w * Y).mean()), effective_share(w)
    accuracy = float(np.clip(mean + lam * (score.f_mean - (w * f).mean()), 0, 1))
    p = (mean * m * effective + 2) / (m * effective + 4)
    variance = max(p * (1 - p) / effective, covariance(w, Y, Y))
    covariances = covariance(w, f, f, power=1), covariance(w, Y, f, power=1)
    return PredictionPowered(accuracy, variance, var, cov, slope, n, *covariances, effective)


def quantile(degrees: float, confidence: float) -> float:
    """Return the quantile of Student's t for a two-sided interval.

    >>> round(quantile(19, 0.9), 3)
    1.729
    """
    return float(stdtrit(min(degrees, NORMAL), (1 + confidence) / 2))
