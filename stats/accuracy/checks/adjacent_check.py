"""Check on an ordered scale whether disagreements are one step apart more often than evenly spread errors make them.

The statistic is the share of one-step disagreements among all disagreements, less the share that the one-coin fit
expects. The p value is one-sided. It comes from simulated sets, with a fit to each.
"""

import numpy as np

from stats.accuracy.checks.check_inputs import CheckInputs
from stats.accuracy.checks.coin_null import AgreementMoments, OneCoinNull
from stats.accuracy.checks.finding import CheckFinding, p_upper
from stats.arrays import FloatArray, IntArray

NAME = "adjacent"
RELEVANT = 0.05  # of the disagreements
CONSEQUENCE = (
    "Lehner's method then puts an accurate system too low: one that is right in .90 by .07, if errors halve with every"
    " further step (simulated, 2,000 items; there the average of the models was within .01)."
)


def run(inputs: CheckInputs) -> list[CheckFinding]:
    """Return one finding. Its effect is the observed share less the expected one."""
    if not inputs.ordered:
        detail = (
            "The labels have no declared order, so there are no neighbouring labels. If they have an order, declare the"
            " scale as ordinal, interval or ratio."
        )
        return [CheckFinding(NAME, detail, reason="not_applicable")]
    if inputs.k == 2:
        return [CheckFinding(NAME, "Two labels have only one distance.", reason="not_applicable")]
    if inputs.undefined is not None:
        reason, detail = inputs.undefined
        return [CheckFinding(NAME, detail, reason=reason)]
    share, expected = (float(part[0]) for part in shares(inputs.observed, inputs.by_frequency))
    simulated_shares, simulated_expected = shares(inputs.simulated, inputs.by_frequency)
    excess = share - expected
    detail = f"{share:.0%} of the disagreements are one step apart, {expected:.0%} are expected"
    p, nothing = (
        p_upper(excess, simulated_shares - simulated_expected),
        "no sign that errors fall on neighbouring labels",
    )
    return [CheckFinding(NAME, detail, excess, p, excess, excess >= RELEVANT, CONSEQUENCE, nothing)]


def shares(moments: AgreementMoments, label: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the one-step shares (B,) of the disagreements, observed and expected.

    `label` (k,) is the place of each position on the scale.
    """
    distance = np.abs(np.subtract.outer(label, label))
    near, apart = (distance == 1).astype(np.float64), (distance > 0).astype(np.float64)
    with np.errstate(invalid="ignore"):  # a simulated set without any disagreement
        observed, expected = (
            (table * near).sum(axis=(1, 2)) / (table * apart).sum(axis=(1, 2))
            for table in (moments.pairs, OneCoinNull.of(moments).pairs())
        )
    return np.asarray(observed), np.asarray(expected)
