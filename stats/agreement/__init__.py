"""Agreement of raters: every coefficient with its standard error, interval and p-value, for any missing ratings."""

from stats.agreement.overall import agreement
from stats.agreement.pairs import pairwise
from stats.agreement.registry import COEFFICIENTS
from stats.agreement.weights import SCALES, WEIGHTS

__all__ = ["COEFFICIENTS", "SCALES", "WEIGHTS", "agreement", "pairwise"]
