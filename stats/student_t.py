"""Student's t distribution for a few numbers, without SciPy.

Most intervals here need one quantile of t, and each p-value one probability. To import `scipy.special` for them takes
longer than to read a file and compute all its coefficients. The probability is a continued fraction of the incomplete
beta function (Abramowitz and Stegun, 26.5.8 and 26.7.1); the tests compare both functions with SciPy's. Long arrays go
to SciPy, which is faster for them.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from stats import special_functions
from stats.arrays import FloatArray

MAX_NUMBERS = 200  # up to which the loop here takes less time than the import of SciPy
MAX_STEPS = 1_000  # of an iteration; fewer than a hundred suffice
PRECISION = 1e-15  # of a continued fraction
LAST_STEP = 1e-9  # of Newton's method, relative: it doubles the digits, so that the next one would change nothing
MANY_DF = 10_000  # the continued fraction loses a digit with each digit of these
TINY = 1e-300  # in place of a denominator that is 0 (Lentz's method)
LARGE_T = 1e150  # its square is a number, too


def student_cdf(df: npt.ArrayLike, t: npt.ArrayLike) -> FloatArray:
    """Return P(T <= t) for T with `df` degrees of freedom, elementwise. NaN where an argument is NaN or df <= 0.

    >>> round(float(student_cdf(11, -2.2)), 6)
    0.025043
    """
    return _elementwise(_cdf, special_functions.stdtr, df, t)


def student_quantile(df: npt.ArrayLike, p: npt.ArrayLike) -> FloatArray:
    """Return the t with P(T <= t) = p, elementwise. NaN where an argument is NaN, df <= 0, or p is no probability.

    >>> round(float(student_quantile(11, 0.975)), 6)
    2.200985
    """
    return _elementwise(_quantile, special_functions.stdtrit, df, p)


def _elementwise(
    of_numbers: Callable[[float, float], float], of_arrays: Callable[..., FloatArray], *arguments: npt.ArrayLike
) -> FloatArray:
    df, x = np.broadcast_arrays(*(np.asarray(argument, float) for argument in arguments))
    if df.size > MAX_NUMBERS:
        return of_arrays(df, x)
    values = map(of_numbers, df.ravel().tolist(), x.ravel().tolist())
    return np.array(list(values), float).reshape(df.shape)


def _cdf(df: float, t: float) -> float:
    if math.isnan(t) or not df > 0:
        return math.nan
    return _tail(df, -t) if t < 0 else 1 - _tail(df, t)


def _tail(df: float, t: float) -> float:
    """Return P(T > t) for t >= 0."""
    if t == 0 or math.isinf(df):
        return math.erfc(t / math.sqrt(2)) / 2
    t = min(t, LARGE_T)
    if df > MANY_DF:
        return _hill_tail(df, t)
    x, complement = df / (df + t * t), t * t / (df + t * t)
    # x^(df/2) (1 - x)^(1/2) / B(df/2, 1/2)
    front = math.exp(-df / 2 * math.log1p(t * t / df)) * math.sqrt(complement / math.pi) * _gamma_ratio(df / 2)
    if x < (df / 2 + 1) / (df / 2 + 2.5):
        return front / df * _continued_fraction(x, df / 2, 0.5)
    return 0.5 - front * _continued_fraction(complement, 0.5, df / 2)


def _hill_tail(df: float, t: float) -> float:
    """Return P(T > t) from the normal distribution, for many degrees of freedom (Hill 1970, algorithm 395)."""
    y = (df - 0.5) * math.log1p(t * t / df)
    b = 48 * (df - 0.5) ** 2
    z = ((((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b) + y + 3) / b + 1
    return math.erfc(z * math.sqrt(y / 2)) / 2


def _gamma_ratio(z: float) -> float:
    """Return gamma(z + 1/2) / gamma(z)."""
    if z < 50:
        return math.gamma(z + 0.5) / math.gamma(z)
    return math.sqrt(z) * math.exp(-1 / (8 * z) + 1 / (192 * z**3) - 1 / (640 * z**5) + 17 / (14336 * z**7))


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, from its first term on (Lentz's method)."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, MAX_STEPS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _not_zero(1 + numerator * d)
            c = _not_zero(1 + numerator / c)
            value *= c * d
        if abs(c * d - 1) <= PRECISION:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


@lru_cache(maxsize=1024)
def _quantile(df: float, p: float) -> float:
    if not df > 0 or not 0 <= p <= 1:
        return math.nan
    return -_upper_quantile(df, p) if p < 0.5 else _upper_quantile(df, 1 - p)


def _upper_quantile(df: float, tail: float) -> float:
    """Return the t with P(T > t) = tail, for a tail up to 1/2."""
    if tail == 0:
        return math.inf
    # The tail is convex and the normal quantile lies below that of t: Newton's method climbs to it from there.
    t = -NormalDist().inv_cdf(tail)
    for _ in range(MAX_STEPS if math.isfinite(df) else 0):
        density = _gamma_ratio(df / 2) / math.sqrt(df * math.pi) * math.exp(-(df + 1) / 2 * math.log1p(t * t / df))
        step = (_tail(df, t) - tail) / density
        t += step
        if abs(step) <= LAST_STEP * t:
            break
    return t
