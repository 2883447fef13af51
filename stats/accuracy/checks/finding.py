"""Hold what a check measured, and compute its p value."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray


@dataclass(frozen=True)
class CheckFinding:
    """What a check measured. `verdicts` decides for all checks together whether anything is violated.

    - detail: what was measured, in a sentence without its full stop. With a `reason` it says why the check cannot be
      made, and statistic, p_value and effect are None.
    - is_large: true if the effect is large enough to matter.
    - consequence: what follows from a violation.
    - nothing: what to say if nothing was found.
    - scope: sentences on which ratings were used.
    - other_reason: another explanation that is as likely, so that the verdict stays open.
    - suspicion: what leaves the verdict open although the test does not reject.
    - system, rater, other: whom the finding is about, if it is about somebody.
    """

    name: str
    detail: str
    statistic: float | None = None
    p_value: float | None = None
    effect: float | None = None
    is_large: bool = False
    consequence: str = ""
    nothing: str = ""
    scope: str = ""
    other_reason: str = ""
    suspicion: str = ""
    reason: str | None = None
    system: str | None = None
    rater: str | None = None
    other: str | None = None


def p_upper(observed: float, simulated: FloatArray) -> float:
    """Return the share of values that are at least the observed one, among the simulated ones and the observed one.

    Undefined values (raters no better than chance) are left out.

    >>> p_upper(2.0, np.array([1.0, 2.0, np.nan, 3.0]))
    0.75
    """
    defined = simulated[~np.isnan(simulated)]
    # rounding must not tell equal sets apart
    return float((1 + (defined >= observed - 1e-9 * max(1.0, abs(observed))).sum()) / (1 + len(defined)))


def holm(p: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Adjust p values by Holm's method.

    `weights` are the tests' shares of the error (S. Holm 1979, Scand. J. Stat. 6, 65-70).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    >>> [round(value, 3) for value in holm([0.01, 0.01, 0.3], [1, 0.5, 0.5])]
    [0.02, 0.02, 0.3]
    """
    values, share = np.array(p, np.float64), np.ones(len(p)) if weights is None else np.array(weights, np.float64)
    order = np.argsort(values / share, kind="stable")
    left = np.cumsum(share[order][::-1])[::-1]  # shares of the tests that are not yet rejected
    stepped = np.maximum.accumulate(left * values[order] / share[order])
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def p_text(p: float) -> str:
    """Write a p value for a sentence.

    >>> p_text(0.0421), p_text(0.00003)
    ('p 0.042', 'p below 0.001')
    """
    return f"p {p:.3f}" if p >= 0.001 else "p below 0.001"
