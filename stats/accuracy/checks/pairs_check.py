"""Check whether raters mix up each pair of labels as often as evenly spread errors make them.

Under the one-coin model two raters of an item say A and B with probability (pi_A + pi_B) 2 P_c P_e + (1 - pi_A - pi_B)
2 P_e^2. So the pairs are not equally frequent (`docs/errata.md`). Pairs of one item depend on each other, so the p
value comes from simulated sets, with a fit to each. The statistic is the sum of (O - E)^2 / (E + 1/2) over the pairs of
labels.
"""

import numpy as np

from stats.accuracy.checks.check_inputs import CheckInputs
from stats.accuracy.checks.coin_null import AgreementMoments, OneCoinNull
from stats.accuracy.checks.finding import CheckFinding, p_upper
from stats.arrays import FloatArray

NAME = "pairs"
RELEVANT = 0.1  # effect below which the estimate hardly moves
_SOFT = 0.5  # keeps a pair that is never expected from deciding all
CONSEQUENCE = (
    "Lehner's method then puts an accurate system too low: one that is right in .90 by .03 if each rater has a special"
    " kind of errors, by .07 if neighbouring labels are mixed up (simulated, 2,000 items; there the average of the"
    " models was within .01)."
)


def run(inputs: CheckInputs) -> list[CheckFinding]:
    """Return one finding.

    Its effect is the root mean square relative deviation of the pairs from the expected ones, weighted by the expected
    ones, less the part that chance makes. It is 0 if the pairs are as expected.
    """
    if inputs.undefined is not None:
        reason, detail = inputs.undefined
        return [CheckFinding(NAME, detail, reason=reason)]
    if inputs.k == 2:
        detail = "With two labels there is only one pair to disagree on. It does not show how errors are spread."
        return [CheckFinding(NAME, detail, reason="not_applicable")]
    observed = float(statistic(inputs.observed)[0])
    simulated = statistic(inputs.simulated)
    p, size = p_upper(observed, simulated), effect(inputs.observed, observed, simulated)
    detail = f"The labels that raters mix up differ from evenly spread errors by {size:.0%} of what is expected"
    nothing = "no sign that errors fall on some labels more than on others"
    return [CheckFinding(NAME, detail, observed, p, size, size >= RELEVANT, CONSEQUENCE, nothing)]


def statistic(moments: AgreementMoments) -> FloatArray:
    """Return the sum (B,) over pairs A < B, NaN where the raters agree no better than chance."""
    a, b = np.triu_indices(moments.k, 1)
    observed = 2 * moments.pairs[:, a, b]
    expected = 2 * (OneCoinNull.of(moments).pairs() * moments.pairs.sum(axis=(1, 2))[:, None, None])[:, a, b]
    # ordered pairs are counted twice
    return np.asarray((((observed - expected) / 2) ** 2 / (expected / 2 + _SOFT)).sum(axis=1))


def effect(moments: AgreementMoments, observed: float, simulated: FloatArray) -> float:
    """Return the root of what the statistic has beyond its mean under the model, per disagreement."""
    disagreements = (moments.pairs[0].sum() - np.trace(moments.pairs[0])) / 2
    return float(np.sqrt(max(0.0, observed - float(np.nanmean(simulated))) / disagreements))
