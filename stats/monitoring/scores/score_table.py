"""Hold the scores of patterns for the series of one kind of chart, and reduce them to means, variances and day sums."""

from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.monitoring.chart_group import UNIT
from stats.monitoring.daily_counts import CodedCounts


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one kind of chart: N series, and E entries in a fixed order.

    An entry is a series and a pattern that it scores.

    - chart: the kind. subjects, labels (N,): the rater or system and the label of each series, or None.
    - series, pattern (E,): positions. score (E,): not rounded.
    """

    chart: str
    subjects: tuple[str | None, ...]
    labels: tuple[str | None, ...]
    series: IntArray
    pattern: IntArray
    score: FloatArray

    @property
    def n_series(self) -> int:
        """Return the number of series."""
        return len(self.subjects)


@dataclass(frozen=True)
class ScoreMoments:
    """Number, mean and variance (ddof 1) of the items' scores of each series (N,). NaN where undefined."""

    n_items: IntArray
    mean: FloatArray
    variance: FloatArray


def score_moments(table: ScoreTable, n_items: IntArray) -> ScoreMoments:
    """Return the moments of the unrounded scores over items. n_items (P,): items of each pattern."""
    weight = n_items[table.pattern].astype(np.float64)

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(table.series, weights=weight * values, minlength=table.n_series).astype(np.float64)

    n = total(np.ones(len(weight)))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total(table.score) / n
        variance = np.where(n > 1, total((table.score - mean[table.series]) ** 2) / (n - 1), np.nan)
    return ScoreMoments(n.astype(np.int64), mean, variance)


def score_sums(table: ScoreTable, counts: CodedCounts) -> tuple[IntArray, IntArray]:
    """Return (N, D) items and (N, D) score sums in whole 1e-6 by series and day. Each score is rounded once.

    Sums are exact: whole numbers below 2^53.
    """
    D = len(counts.days)
    order = np.argsort(table.pattern, kind="stable")
    entries_of = np.bincount(table.pattern, minlength=len(counts.m))
    first = np.cumsum(entries_of) - entries_of
    repeats = entries_of[counts.row_pattern]
    row = np.repeat(np.arange(len(repeats)), repeats)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    entry = order[first[counts.row_pattern][row] + offset]
    cell, n = table.series[entry] * D + counts.row_day[row], counts.row_items[row]
    whole = np.rint(table.score * UNIT)
    shape = (table.n_series, D)
    items = np.bincount(cell, weights=n, minlength=table.n_series * D)
    sums = np.bincount(cell, weights=n * whole[entry], minlength=table.n_series * D)
    return items.reshape(shape).astype(np.int64), sums.reshape(shape).astype(np.int64)
