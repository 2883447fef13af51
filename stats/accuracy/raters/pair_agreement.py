"""Agreement of the human raters on pairs of ratings of an item, and what it says of their accuracy."""

from dataclasses import dataclass

import numpy as np

from stats.accuracy.estimators import lehner
from stats.arrays import FloatArray, IntArray
from stats.special_functions import ndtri


@dataclass(frozen=True)
class PairAgreement:
    """The share of agreeing pairs of ratings, in [0, 1], its standard error over items, and the number of labels."""

    share: float
    se: float
    n_labels: int

    @property
    def kappa(self) -> float:
        """Return the agreement corrected for chance 1 / n_labels."""
        return float(lehner.kappa(np.array([self.share]), self.n_labels)[0])

    def low(self, level: float) -> float:
        """Return the lower end of the share's interval; `level` is the probability that the share lies below it."""
        return self.share - float(ndtri(1 - level)) * self.se

    def least_accuracy(self, confidence: float) -> float:
        """Return the raters' accuracy by Lehner's Eq. 4 at the lower end of the share; chance where that is chance."""
        chance = 1 / self.n_labels
        accuracy = float(lehner.rater_accuracy(np.array([self.low((1 - confidence) / 2)]), self.n_labels)[0])
        return chance if np.isnan(accuracy) else accuracy


def pair_agreement(C: IntArray, n_items: IntArray | FloatArray) -> PairAgreement | None:
    """Return the agreement from counts C (p, k) of patterns with this many items (p,); None where no item has two
    ratings.

    >>> agreement = pair_agreement(np.array([[2, 0], [1, 1]]), np.array([30, 10]))
    >>> agreement.share, round(agreement.se, 3), round(agreement.least_accuracy(0.95), 3)
    (0.75, 0.068, 0.741)
    """
    m = C.sum(axis=1)
    agreeing, pairs = (C * (C - 1)).sum(axis=1) / 2, m * (m - 1) / 2
    total = float(n_items @ pairs)
    if total == 0:
        return None
    share = float(n_items @ agreeing) / total
    se = float(np.sqrt(n_items @ (agreeing - share * pairs) ** 2)) / total
    return PairAgreement(share, se, C.shape[1])
