"""Check whether items differ in difficulty: whether the agreeing pairs per item vary more than one coin makes them.

Under the one-coin model an item with m ratings has a agreeing pairs with mean t P_a, t = m (m - 1) / 2, and E a^2 = t
P_a + m (m - 1) (m - 2) P_3 + (m)_4 / 4 P_a^2. P_3 = P_c^3 + (N - 1) P_e^3 is the probability that three raters agree.
This holds for all base rates. The statistic is the variance of a over the items with three ratings or more, relative to
this, less 1. The p value is one-sided. It comes from simulated sets, with a fit to each. With three raters the test
only sees how often all agree, and is weak.
"""

import numpy as np

from stats.accuracy.checks.check_inputs import CheckInputs
from stats.accuracy.checks.coin_null import AgreementMoments, OneCoinNull
from stats.accuracy.checks.finding import CheckFinding, p_upper
from stats.arrays import FloatArray, IntArray

NAME = "difficulty"
RELEVANT = 0.1  # standard deviation of the raters' accuracy between items
CONSEQUENCE = (
    "Lehner's method then puts an accurate system too low: one that is right in .90 by .03 if it finds the same items"
    " difficult as the raters do, by .06 if it does not (simulated, 2,000 items). The average of the models stays"
    " within .01."
)


def run(inputs: CheckInputs) -> list[CheckFinding]:
    """Return one finding.

    Its effect is the standard deviation between items of the raters' accuracy that would make the excess variance, 0 if
    there is no excess.
    """
    if inputs.undefined is not None:
        reason, detail = inputs.undefined
        return [CheckFinding(NAME, detail, reason=reason)]
    if inputs.observed.m.max() < 3:
        detail = "No item has three human ratings. Two ratings do not show how difficult an item is."
        return [CheckFinding(NAME, detail, reason="not_applicable")]
    if inputs.k == 2 and inputs.observed.m.max() < 4:
        detail = (
            "With two labels this check needs items with four human ratings. How often three ratings agree only shows"
            " the raters' accuracy."
        )
        return [CheckFinding(NAME, detail, reason="not_applicable")]
    observed = float(statistic(inputs.observed)[0])
    p = p_upper(observed, statistic(inputs.simulated))
    size, nothing = effect(inputs.observed), "no sign of easy and difficult items"
    detail = f"The agreement per item varies as if raters' accuracy had a standard deviation of {size:.2f} over items"
    return [CheckFinding(NAME, detail, observed, p, size, size >= RELEVANT, CONSEQUENCE, nothing)]


def statistic(moments: AgreementMoments) -> FloatArray:
    """Return the excess variance (B,), NaN where it is undefined."""
    observed, expected = _variances(moments)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(observed / expected - 1)


def effect(moments: AgreementMoments) -> float:
    """Return the standard deviation of p that makes the excess.

    It follows from E u^3 = u^3 + 3 u v and var u^2 = 4 u^2 v, with u = (N p - 1) / (N - 1) of variance v.
    """
    N, m, n = moments.k, moments.m[_usable(moments)], moments.n[_usable(moments)]
    observed, expected = _variances(moments)
    u = float((N * OneCoinNull.of(moments).P_c[0] - 1) / (N - 1))
    threes, fours = m * (m - 1) * (m - 2), m * (m - 1) * (m - 2) * (m - 3)
    per_v = 1.5 * u * threes * (N - 1) * (N - 2) / N**2 + u**2 * fours * ((N - 1) / N) ** 2
    v = max(0.0, float(observed[0] - expected[0])) / float(n @ per_v)
    return float((N - 1) / N * np.sqrt(v))


def _usable(moments: AgreementMoments) -> IntArray:
    return np.flatnonzero(moments.m >= (3 if moments.k > 2 else 4))


def _variances(moments: AgreementMoments) -> tuple[FloatArray, FloatArray]:
    """Return the sums (B,) over items of (a - t P_a)^2, observed and expected."""
    use, N, coin = _usable(moments), moments.k, OneCoinNull.of(moments)
    m, n = moments.m[use].astype(np.float64), moments.n[use]
    t, threes, fours = m * (m - 1) / 2, m * (m - 1) * (m - 2), m * (m - 1) * (m - 2) * (m - 3)
    P_a = coin.P_c**2 + (N - 1) * coin.P_e**2
    P_3 = coin.P_c**3 + (N - 1) * coin.P_e**3
    mean = t * P_a[:, None]
    observed = moments.squared[:, use] - 2 * mean * moments.agreeing[:, use] + n * mean**2
    expected = n * (mean + threes * P_3[:, None] + fours / 4 * P_a[:, None] ** 2 - mean**2)
    return np.asarray(observed.sum(axis=1)), np.asarray(expected.sum(axis=1))
