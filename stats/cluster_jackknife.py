"""Leave out each cluster in turn: intervals of figures that are made of sums over clusters."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.special_functions import stdtrit

FEW_CLUSTERS = "Too few items to tell how the figure varies between them."
ALIKE = "The formula divides by zero: all votes are alike."
SAME = "The figure is the same whichever of the {n} items is left out: an interval of one point, which is no certainty."
TINY = 1e-12


@dataclass(frozen=True)
class Figure:
    """A figure with its interval, or null with a reason."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    detail: str | None = None
    se: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of a table: all but the standard error."""
        return {name: value for name, value in asdict(self).items() if name != "se"}


def cluster_jackknife(
    sums: FloatArray,
    cluster: IntArray,
    statistic: Callable[[FloatArray], FloatArray],
    confidence: float,
    *,
    lowest: float = 0.0,
) -> Figure:
    """Return the statistic of the sums over the rows of `sums` (n, s), with its interval over the clusters.

    `statistic` takes rows of sums (m, s) and returns (m,), NaN where it is undefined. With g clusters the interval is
    Student's with g - 1 degrees of freedom, cut at 1 and at `lowest`. A figure from one cluster is null.
    """
    g = int(cluster.max()) + 1 if len(cluster) else 0
    by_cluster = np.zeros((g, sums.shape[1]))
    np.add.at(by_cluster, cluster, sums)
    return jackknife(by_cluster, statistic, confidence, lowest=lowest)


def jackknife(
    by_cluster: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    confidence: float,
    *,
    lowest: float = 0.0,
    keep: bool = False,
) -> Figure:
    """Return the same for one row of sums per cluster (g, s). With `keep` a figure from one cluster has no interval."""
    total = by_cluster.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = float(statistic(total[None])[0])
        without = statistic(total - by_cluster) if len(by_cluster) > 1 else np.zeros(0)
    if not np.isfinite(estimate):
        return Figure(reason="zero_denominator", detail=ALIKE)
    without = without[np.isfinite(without)]
    if len(without) < 2:
        return Figure(estimate if keep else None, reason="too_few_items", detail=FEW_CLUSTERS)
    n = len(without)
    variance = (n - 1) / n * float(((without - without.mean()) ** 2).sum())
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * variance**0.5
    se = variance**0.5
    detail = None if se > TINY else SAME.format(n=n)
    return Figure(estimate, max(lowest, estimate - half), min(1.0, estimate + half), detail=detail, se=se)


def ratio(S: FloatArray) -> FloatArray:
    """Return the statistic that is the ratio of the first two of the sums (m, s)."""
    return S[:, 0] / S[:, 1]
