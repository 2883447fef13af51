"""One row of a check's table, and the p values that go into it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.accuracy.estimator import FloatArray

LEVEL = 0.05


@dataclass(frozen=True)
class Finding:
    """What a check found. Where `reason` is given, statistic, p_value, effect and violated are None.

    `system`, `rater` and `other` say whom it is about, where it is about somebody.
    """

    name: str
    detail: str
    statistic: float | None = None
    p_value: float | None = None
    effect: float | None = None
    violated: bool | None = None
    reason: str | None = None
    system: str | None = None
    rater: str | None = None
    other: str | None = None


def p_upper(observed: float, simulated: FloatArray) -> float:
    """Share of the simulated values that are at least the observed one, which counts among them; undefined ones
    (raters no better than chance) are left out.

    >>> p_upper(2.0, np.array([1.0, 2.0, np.nan, 3.0]))
    0.75
    """
    defined = simulated[~np.isnan(simulated)]
    # rounding must not tell equal sets apart
    return float((1 + (defined >= observed - 1e-9 * max(1.0, abs(observed))).sum()) / (1 + len(defined)))


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p values (S. Holm 1979, Scand. J. Stat. 6, 65-70).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.array(p, np.float64)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def p_text(p: float) -> str:
    """A p value for a sentence.

    >>> p_text(0.0421), p_text(0.00003)
    ('p 0.042', 'p below 0.001')
    """
    return f"p {p:.3f}" if p >= 0.001 else "p below 0.001"


def verdict(p: float, violated: bool, consequence: str, nothing: str) -> str:
    """The end of a sentence on what was found: what follows from it, or that nothing does."""
    if violated:
        return f". {consequence}"
    return ": too small a difference to matter." if p < LEVEL else f": {nothing}."
