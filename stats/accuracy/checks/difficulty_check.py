"""Do items differ in difficulty: do the numbers of agreeing pairs per item vary more than one coin makes them?

Under the one-coin model the agreeing pairs a of an item with m ratings have mean t P_a, t = m (m - 1) / 2, and E a^2
= t P_a + m (m - 1) (m - 2) P_3 + (m)_4 / 4 P_a^2, P_3 = P_c^3 + (N - 1) P_e^3 (three raters agree), whatever the base
rates. Statistic: the variance of a over the items with three ratings or more, relative to this, less 1. The p value
is one-sided, from simulated sets, each fitted anew. With three raters it rests on how often all agree, and is weak.
"""

import numpy as np

from stats.accuracy.checks.check_inputs import CheckInputs
from stats.accuracy.checks.coin_null import AgreementMoments, OneCoinNull
from stats.accuracy.checks.finding import CheckFinding, p_upper
from stats.arrays import FloatArray, IntArray

NAME = "difficulty"
RELEVANT = 0.1  # standard deviation of the raters' accuracy between items
CONSEQUENCE = (
    "Lehner's method then puts an accurate system too low: one that is right in .90 by .03 where it finds the same"
    " items difficult as the raters do, by .06 where it does not (simulated, 2,000 items);"
    " the average of the models stays within .01."
)


def run(material: CheckInputs) -> list[CheckFinding]:
    """One finding. Effect: standard deviation between items of the raters' chance of being right, that would make
    the excess variance; 0 if there is none."""
    if material.undefined is not None:
        reason, detail = material.undefined
        return [CheckFinding(NAME, detail, reason=reason)]
    if material.observed.m.max() < 3:
        return [CheckFinding(NAME, "No item has three human ratings, and a pair of ratings says nothing of"
                                   " how difficult"
                        " an item is.", reason="not_applicable")]  # fmt: skip
    if material.k == 2 and material.observed.m.max() < 4:
        return [CheckFinding(NAME, "With two labels, three ratings of an item agree in one pair or in all:"
                                   " how often tells"
                        " the raters' accuracy and nothing else. It takes items with four ratings.",
                        reason="not_applicable")]  # fmt: skip
    observed = float(statistic(material.observed)[0])
    p = p_upper(observed, statistic(material.simulated))
    size, nothing = effect(material.observed), "no sign of easy and difficult items"
    detail = f"The agreement per item varies as if raters' accuracy had a standard deviation of {size:.2f} over items"
    return [CheckFinding(NAME, detail, observed, p, size, size >= RELEVANT, CONSEQUENCE, nothing)]


def statistic(moments: AgreementMoments) -> FloatArray:
    """(B,) excess variance; NaN where undefined."""
    found, expected = _variances(moments)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(found / expected - 1)


def effect(moments: AgreementMoments) -> float:
    """SD of p that makes the excess, from E u^3 = u^3 + 3 u v and var u^2 = 4 u^2 v, u = (N p - 1) / (N - 1), of
    variance v."""
    N, m, n = moments.k, moments.m[_usable(moments)], moments.n[_usable(moments)]
    found, expected = _variances(moments)
    u = float((N * OneCoinNull.of(moments).P_c[0] - 1) / (N - 1))
    threes, fours = m * (m - 1) * (m - 2), m * (m - 1) * (m - 2) * (m - 3)
    per_v = 1.5 * u * threes * (N - 1) * (N - 2) / N**2 + u**2 * fours * ((N - 1) / N) ** 2
    v = max(0.0, float(found[0] - expected[0])) / float(n @ per_v)
    return float((N - 1) / N * np.sqrt(v))


def _usable(moments: AgreementMoments) -> IntArray:
    return np.flatnonzero(moments.m >= (3 if moments.k > 2 else 4))


def _variances(moments: AgreementMoments) -> tuple[FloatArray, FloatArray]:
    """(B,) sum over items of (a - t P_a)^2, found and expected."""
    use, N, coin = _usable(moments), moments.k, OneCoinNull.of(moments)
    m, n = moments.m[use].astype(np.float64), moments.n[use]
    t, threes, fours = m * (m - 1) / 2, m * (m - 1) * (m - 2), m * (m - 1) * (m - 2) * (m - 3)
    P_a = coin.P_c**2 + (N - 1) * coin.P_e**2
    P_3 = coin.P_c**3 + (N - 1) * coin.P_e**3
    mean = t * P_a[:, None]
    found = moments.squared[:, use] - 2 * mean * moments.agreeing[:, use] + n * mean**2
    expected = n * (mean + threes * P_3[:, None] + fours / 4 * P_a[:, None] ** 2 - mean**2)
    return np.asarray(found.sum(axis=1)), np.asarray(expected.sum(axis=1))
