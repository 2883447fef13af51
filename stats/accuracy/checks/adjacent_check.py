"""On an ordered scale: are raters who disagree one step apart more often than evenly spread errors make them?

Statistic: share of one-step disagreements among all disagreements, less the share that the one-coin fit expects. The
p value is one-sided, from simulated sets, each fitted anew.
"""

import numpy as np

from stats.accuracy.checks.check_inputs import CheckInputs
from stats.accuracy.checks.coin_null import AgreementMoments, OneCoinNull
from stats.accuracy.checks.finding import CheckFinding, p_upper
from stats.arrays import FloatArray, IntArray

NAME = "adjacent"
RELEVANT = 0.05  # of the disagreements
CONSEQUENCE = (
    "Lehner's method then puts an accurate system too low: one that is right in .90 by .07 where errors halve with"
    " every further step (simulated, 2,000 items); the average of the models stays within .01."
)


def run(material: CheckInputs) -> list[CheckFinding]:
    """One finding. Effect: the observed share less the expected one."""
    if not material.ordered:
        return [CheckFinding(NAME, "The labels have no declared order, so none of them are neighbours. Declare"
                                   " the scale as"
                        " ordinal, interval or ratio if they have one.", reason="not_applicable")]  # fmt: skip
    if material.k == 2:
        return [CheckFinding(NAME, "Two labels have one distance only.", reason="not_applicable")]
    if material.undefined is not None:
        reason, detail = material.undefined
        return [CheckFinding(NAME, detail, reason=reason)]
    share, expected = (float(part[0]) for part in shares(material.observed, material.by_frequency))
    one, other = shares(material.simulated, material.by_frequency)
    excess = share - expected
    detail = f"{share:.0%} of the disagreements are one step apart, {expected:.0%} are expected"
    p, nothing = p_upper(excess, one - other), "no sign that errors fall on neighbouring labels"
    return [CheckFinding(NAME, detail, excess, p, excess, excess >= RELEVANT, CONSEQUENCE, nothing)]


def shares(moments: AgreementMoments, label: IntArray) -> tuple[FloatArray, FloatArray]:
    """(B,) one-step share of the disagreements, observed and expected; `label` (k,) is each position's place on the
    scale."""
    distance = np.abs(np.subtract.outer(label, label))
    near, apart = (distance == 1).astype(np.float64), (distance > 0).astype(np.float64)
    with np.errstate(invalid="ignore"):  # a simulated set without any disagreement
        found, expected = (
            (table * near).sum(axis=(1, 2)) / (table * apart).sum(axis=(1, 2))
            for table in (moments.pairs, OneCoinNull.of(moments).pairs())
        )
    return np.asarray(found), np.asarray(expected)
