"""Prediction-powered mean: a few known values, made more precise by a score that all items have.

Source: A. N. Angelopoulos, J. C. Duchi & T. Zrnic (2023), PPI++: Efficient Prediction-Powered Inference,
arXiv:2311.01453.
"""

from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray
from stats.special_functions import stdtrit

NORMAL = 1e9  # degrees of freedom from which Student's t is the normal distribution


@dataclass(frozen=True)
class Score:
    """The known values and the scores of the gold items.

    - Y (m,): 1 where the system is right, else 0.
    - f (m,): score of each gold item.
    - f_mean: mean score of all n items.
    """

    Y: FloatArray
    f: FloatArray
    f_mean: float
    n: int


@dataclass(frozen=True)
class PredictionPowered:
    """The estimate and the parts of its error: p(1-p), var(f), cov(Y, f), slope = clip(cov / var, 0, 1)."""

    accuracy: float
    variance: float
    var: float
    cov: float
    slope: float
    n: int

    def se(self, m: int) -> float:
        """Return the standard error with m gold items.

        It is the root of p(1-p)/m + (1/m - 1/n) (lambda^2 var - 2 lambda cov).
        """
        lam = self.slope * self.n / (self.n + m)
        squared = self.variance / m + (1 / m - 1 / self.n) * (lam**2 * self.var - 2 * lam * self.cov)
        return float(np.sqrt(max(squared, 0.0)))

    def half_width(self, m: int, confidence: float) -> float:
        """Return the half-width of Student's t interval with m - 1 degrees of freedom."""
        return quantile(m - 1, confidence) * self.se(m)


def prediction_powered(score: Score) -> PredictionPowered:
    """Return the gold mean + lambda (mean score over all items - mean score over the gold items), cut at 0 and 1.

    lambda is clip(cov / var, 0, 1) n / (n + m), with covariance and variance of the score over the gold items. It is 0
    where the score does not vary; then only gold counts. The variance treats the gold items as a random subset of the
    n items. Its p(1-p) is taken after adding two right and two wrong answers (Agresti & Coull 1998), so that 20 right
    answers of 20 do not make an interval of width zero.

    >>> Y, f = np.array([1.0, 1.0, 1.0, 0.0]), np.array([0.9, 0.8, 0.7, 0.4])
    >>> round(prediction_powered(Score(Y, f, 0.65, 10)).accuracy, 4)  # .75 + 10 / 14 (.65 - .7)
    0.7143
    """
    Y, f, m, n = score.Y, score.f, len(score.Y), score.n
    cov, var = float(np.mean((Y - Y.mean()) * (f - f.mean()))), float(f.var())
    slope = float(np.clip(cov / var, 0, 1)) if var > 0 else 0.0
    lam = slope * n / (n + m)
    accuracy = float(np.clip(Y.mean() + lam * (score.f_mean - f.mean()), 0, 1))
    p = float((Y.sum() + 2) / (m + 4))
    return PredictionPowered(accuracy, p * (1 - p), var, cov, slope, n)


def quantile(degrees: float, confidence: float) -> float:
    """Return the quantile of Student's t for a two-sided interval.

    >>> round(quantile(19, 0.9), 3)
    1.729
    """
    return float(stdtrit(min(degrees, NORMAL), (1 + confidence) / 2))
