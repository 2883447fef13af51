"""Say since when: the most probable first look of a change, and the interval that holds it."""

import numpy as np

from stats.arrays import FloatArray

COVERAGE = 0.9


def change_interval(likelihood: FloatArray) -> tuple[int, int, int]:
    """Return the positions of the most probable candidate and of the first and last one of its 90 % interval.

    `likelihood` (C,) has a value above 0 for each candidate. The interval spans the smallest set of candidates that
    holds 90 % of the sum. Of equal candidates the earlier one comes first.

    >>> change_interval(np.array([1.0, 2.0, 80.0, 15.0, 2.0]))
    (2, 2, 3)
    """
    order = np.argsort(-likelihood, kind="stable")
    held = np.cumsum(likelihood[order])
    kept = order[: int(np.searchsorted(held, COVERAGE * held[-1])) + 1]
    return int(order[0]), int(kept.min()), int(kept.max())
