"""Are the pairs of labels on which raters disagree as frequent as errors that spread evenly make them?

Under the one-coin model two raters of an item say A and B with chance (pi_A + pi_B) 2 P_c P_e + (1 - pi_A - pi_B)
2 P_e^2, not equally often for all pairs (`docs/errata.md`). Pairs of one item depend on each other, so the p value
comes from simulated sets, each fitted anew. Statistic: sum of (O - E)^2 / (E + 1/2) over the pairs of labels.
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
    "Lehner's method then puts an accurate system too low: one that is right in .90 by .03 where each rater has errors"
    " of his own liking, by .07 where neighbouring labels are mixed up (simulated, 2,000 items); the average of the"
    " models stays within .01."
)


def run(material: CheckInputs) -> list[CheckFinding]:
    """One finding. Effect: root mean square relative deviation of the pairs from what is expected, weighted by what
    is expected, less what chance alone makes of it; 0 if they are as expected."""
    if material.undefined is not None:
        reason, detail = material.undefined
        return [CheckFinding(NAME, detail, reason=reason)]
    if material.k == 2:
        return [CheckFinding(NAME, "With two labels there is one pair to disagree on, and it tells nothing"
                                   " of how errors"
                        " are spread.", reason="not_applicable")]  # fmt: skip
    observed = float(statistic(material.observed)[0])
    simulated = statistic(material.simulated)
    p, size = p_upper(observed, simulated), effect(material.observed, observed, simulated)
    detail = f"The labels that raters mix up differ from evenly spread errors by {size:.0%} of what is expected"
    nothing = "no sign that errors fall on some labels more than on others"
    return [CheckFinding(NAME, detail, observed, p, size, size >= RELEVANT, CONSEQUENCE, nothing)]


def statistic(moments: AgreementMoments) -> FloatArray:
    """(B,) the sum over pairs A < B; NaN where the raters agree no better than chance."""
    a, b = np.triu_indices(moments.k, 1)
    found = 2 * moments.pairs[:, a, b]
    expected = 2 * (OneCoinNull.of(moments).pairs() * moments.pairs.sum(axis=(1, 2))[:, None, None])[:, a, b]
    # ordered pairs are counted twice
    return np.asarray((((found - expected) / 2) ** 2 / (expected / 2 + _SOFT)).sum(axis=1))


def effect(moments: AgreementMoments, observed: float, simulated: FloatArray) -> float:
    """The statistic beyond its mean under the model, per disagreement, as a root."""
    disagreements = (moments.pairs[0].sum() - np.trace(moments.pairs[0])) / 2
    return float(np.sqrt(max(0.0, observed - float(np.nanmean(simulated))) / disagreements))
