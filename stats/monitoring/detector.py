"""Find a lasting change in day sums of scores, with a promise on false alarms.

A two-sample Shiryaev-Roberts e-detector. For each look that could be the first of a change, the mean before it is
compared with the mean since. The statistic M is the sum of the likelihood ratios L over these candidates. An alarm
opens when M reaches the threshold A. It closes when a CUSUM shows that the level from before is back.

If looks are Gaussian with known variances, the expected M is the number of candidates, whatever the mean of the
reference. Then the mean number of looks to a false alarm is at least A, and the probability of an alarm in T looks at
most T / A. Here the variances are estimated, so that the promise is measured by simulation, not proved.

Sources: Shin, Ramdas & Rinaldo (2023), E-detectors; Shiryaev (1963); Roberts (1966); Pollak (1985); Lorden (1971).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import log

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.monitoring.candidate_likelihoods import CandidateLikelihoods
from stats.monitoring.change_interval import change_interval
from stats.monitoring.chart_group import ChartAlarm, ChartGroup, ChartHistory, check_group
from stats.monitoring.look_variance import block_inflation, day_correlations

CAP = 2.5  # standard errors that one look may lie from the mean before it
CLOSING = log(100)
SIGNS = {"down": (1.0,), "up": (-1.0,), "both": (1.0, -1.0)}
MAX_SERIES = 512  # series computed at once: their arrays fit the processor's cache


def run_detector(groups: Sequence[ChartGroup]) -> tuple[ChartHistory, ...]:
    """Compute the statistic and the alarms of each group, in the order of the groups.

    The result depends on the day sums alone. Groups of the same shape are computed together, which changes nothing but
    the time. Raises StatsError as `check_group`.
    """
    for group in groups:
        check_group(group)
    histories: dict[int, ChartHistory] = {}
    order = sorted(range(len(groups)), key=lambda number: (*_shape(groups[number]), len(groups[number].days), number))
    for (n_series, *_), numbers in groupby(order, key=lambda number: _shape(groups[number])):
        alike, step = list(numbers), max(MAX_SERIES // n_series, 1)
        for start in range(0, len(alike), step):
            batch = alike[start : start + step]
            histories |= zip(batch, _Batch([groups[number] for number in batch]).run(), strict=True)
    return tuple(histories[number] for number in range(len(groups)))


def added(rows: FloatArray) -> FloatArray:
    """Add rows (T, B) one after the other, so that the last digit of a series does not depend on its neighbours."""
    if rows.shape[1] == 1:  # numpy would add a single column in another order
        return np.asarray(np.add.accumulate(rows, axis=0)[-1])
    return np.asarray(np.ascontiguousarray(rows).sum(axis=0))


def _shape(group: ChartGroup) -> tuple[int, str, bool]:
    return group.n_series, group.direction, group.larger_change is not None


@dataclass
class _OpenAlarm:
    """An alarm and what its closing needs.

    row and sign of the chart that named it; position of the change; level before and changed level, in units of the
    smallest change, turned so that the change is a drop; the evidence so far that the level is back.
    """

    alarm: ChartAlarm
    row: int
    sign: float
    position: int
    level: float
    changed_level: float
    evidence: float = 0.0


class _Batch:
    """G groups of S series each, followed look by look. Row g S + s is series s of group g.

    Groups with fewer looks than others are filled up with looks that are never read.
    """

    def __init__(self, groups: list[ChartGroup]) -> None:
        self.groups, self.S, self.signs = groups, groups[0].n_series, SIGNS[groups[0].direction]
        self.thresholds = np.array([group.threshold for group in groups])
        self.n_looks = np.array([len(group.days) for group in groups])
        self.n_reference = np.array([group.n_reference for group in groups])
        self.start: IntArray = self.n_reference.copy()  # first candidate of each group
        self.unit = np.array([group.smallest_change for group in groups])
        x, n = self._looks()
        s2 = np.concatenate([group.variances / group.smallest_change**2 for group in groups])
        rho = day_correlations(x.T, n.T, s2, np.repeat([group.prior_correlation for group in groups], self.S))
        larger = [(group.larger_change or 0.0) / group.smallest_change for group in groups]
        ratio = np.repeat(larger, self.S) if groups[0].larger_change is not None else None
        inflation = block_inflation(x.T, n.T, s2, rho)
        self.candidates = CandidateLikelihoods(x, n, s2, rho.T.copy(), inflation.T.copy(), ratio)
        self.statistic = np.zeros((len(groups), len(x)))
        self.open: dict[int, _OpenAlarm] = {}
        self.alarms: list[list[ChartAlarm]] = [[] for _ in groups]

    def run(self) -> list[ChartHistory]:
        """Follow all looks and return one history for each group."""
        for t in range(int(self.n_reference.min()), self.statistic.shape[1]):
            self._look(t)
        for g, state in self.open.items():
            self.alarms[g].append(state.alarm)
        return [
            ChartHistory(group, self.statistic[g, : len(group.days)], tuple(self.alarms[g]))
            for g, group in enumerate(self.groups)
        ]

    def _looks(self) -> tuple[FloatArray, FloatArray]:
        """Return (T, G S) mean scores, less the level and in units of the smallest change, and items."""
        shape = (int(self.n_looks.max()), len(self.groups) * self.S)
        x, n = np.zeros(shape), np.ones(shape)
        for g, group in enumerate(self.groups):
            rows, looks = self._rows(g), slice(len(group.days))
            x[looks, rows] = (group.means.T - group.levels) / group.smallest_change
            n[looks, rows] = group.n_items[:, None]
        return x, n

    def _look(self, t: int) -> None:
        """Cap look t, compute the statistic, close and open alarms."""
        mean, weight, v = self.candidates.weigh(t)
        x, half = self.candidates.x[t], CAP * np.sqrt(v + 1 / weight)
        after_reference = np.repeat(t >= self.n_reference, self.S)
        self.candidates.include(np.where(after_reference, np.clip(x, mean - half, mean + half), x), v)
        if self.start.min() >= t:
            return
        by_chart = np.stack([self._sums(t, sign).reshape(-1, self.S) for sign in self.signs], axis=1)  # (G, signs, S)
        live = (self.start < t) & (t < self.n_looks)
        charts = by_chart.reshape(len(self.groups), -1).T
        self.statistic[live, t] = (added(charts) / len(charts))[live]
        self._close(t, v)
        for g in np.flatnonzero(self.statistic[:, t] >= self.thresholds):
            if g not in self.open:
                side, s = np.unravel_index(int(by_chart[g].argmax()), by_chart[g].shape)
                self._open(int(g), int(s), self.signs[int(side)], t)

    def _sums(self, t: int, sign: float) -> FloatArray:
        """Return (G S,) the sum of L over the candidates of each series. tau = t has a segment of one look only."""
        first, last = int(self.start.min()), min(int(self.start.max()), t)
        L = self.candidates.likelihoods(first, sign)
        L[: last - first] *= np.arange(first, last)[:, None] >= np.repeat(self.start, self.S)
        return added(L)

    def _open(self, g: int, s: int, sign: float, t: int) -> None:
        """Open an alarm of group g at look t. Its chart with the largest sum of L names it: series s, and the sign."""
        group, row, start, unit = self.groups[g], g * self.S + s, int(self.start[g]), float(self.unit[g])
        L = self.candidates.likelihoods(start, sign)[:, row]
        change, low, high = (start + position for position in change_interval(L))
        before, since = self.candidates.mean_before(row, change), self.candidates.mean_since(row, change)
        day = group.days.astype(object)
        alarm = ChartAlarm(
            chart=group.chart,
            subject=group.subject,
            label=group.labels[s] if group.labels else None,
            direction="down" if sign > 0 else "up",
            opened_on=day[t],
            changed_on=day[change],
            changed_low=day[low],
            changed_high=day[high],
            closed_on=None,
            before=float(group.levels[s]) + unit * before,
            after=float(group.levels[s]) + unit * since,
            statistic=float(self.statistic[g, t]),
            n_items=int(group.n_items[change : t + 1].sum()),
        )
        level, drop = sign * before, sign * (before - since)
        self.open[g] = _OpenAlarm(alarm, row, sign, change, level, level - max(1.0, drop) / 2)

    def _close(self, t: int, v: FloatArray) -> None:
        """Add the evidence of look t that the level is back, and close the alarms that have enough of it."""
        for g, state in list(self.open.items()):
            if t >= self.n_looks[g]:
                continue
            x = state.sign * self.candidates.x[t, state.row]
            gain = ((x - state.changed_level) ** 2 - (x - state.level) ** 2) / (2 * v[state.row])
            state.evidence = max(0.0, state.evidence + float(gain))
            if state.evidence >= CLOSING:
                self.alarms[g].append(replace(state.alarm, closed_on=self.groups[g].days.astype(object)[t]))
                self.candidates.drop(self._rows(g), state.position)
                self.statistic[g, t], self.start[g] = 0.0, t + 1
                del self.open[g]

    def _rows(self, g: int) -> slice:
        return slice(g * self.S, (g + 1) * self.S)
