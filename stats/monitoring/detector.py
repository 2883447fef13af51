"""Find a lasting change in day sums of scores, with a promise on false alarms.

A two-sample Shiryaev-Roberts e-detector. For each look that could be the first of a change, the mean before it is
compared with the mean since. The statistic M is the sum of the likelihood ratios L over these candidates. An alarm
opens when M reaches the threshold A. It closes when a CUSUM shows that the level from before is back.

If looks are Gaussian with known variances, the expected M is the number of candidates, whatever the mean of the
reference. Then the mean number of looks to a false alarm is at least A, and the probability of an alarm in T looks at
most T / A. Here the variances are estimated, so that the promise is measured by simulation, not proved.

Sources: Shin, Ramdas & Rinaldo (2023), E-detectors; Shiryaev (1963); Roberts (1966); Pollak (1985); Lorden (1971).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import log

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.monitoring.candidate_likelihoods import CandidateLikelihoods, added
from stats.monitoring.change_interval import change_interval
from stats.monitoring.chart_group import ChartAlarm, ChartGroup, ChartHistory, check_group
from stats.monitoring.look_variance import block_inflation, day_correlations, look_variances

CAP = 2.5  # standard errors that one look may lie from the mean before it
CLOSING = log(100)
SIGNS = {"down": (1.0,), "up": (-1.0,), "both": (1.0, -1.0)}
MAX_SERIES = 1024  # series computed at once: more cost memory and save no time


def run_detector(groups: Sequence[ChartGroup]) -> tuple[ChartHistory, ...]:
    """Compute the statistic and the alarms of each group, in the order of the groups.

    The result depends on the day sums alone. Groups of the same shape are computed together, which changes nothing but
    the time. Raises StatsError as `check_group`.
    """
    for group in groups:
        check_group(group)
    order = sorted(range(len(groups)), key=lambda number: (*_shape(groups[number]), number))
    column = np.cumsum([groups[number].n_series for number in order])
    histories: dict[int, ChartHistory] = {}
    for _, members in groupby(zip(order, column, strict=True), key=lambda member: member[1] // MAX_SERIES):
        batch = [number for number, _ in members]
        histories |= zip(batch, _Batch([groups[number] for number in batch]).run(), strict=True)
    return tuple(histories[number] for number in range(len(groups)))


def _shape(group: ChartGroup) -> tuple[int, str, bool]:
    return group.n_series, group.direction, group.larger_change is not None


@dataclass
class _OpenAlarm:
    """An alarm and what its closing needs.

    column and sign of the chart that named it; position of the change; level before and changed level, in units of the
    smallest change, turned so that the change is a drop; the evidence so far that the level is back.
    """

    alarm: ChartAlarm
    column: int
    sign: float
    position: int
    level: float
    changed_level: float
    evidence: float = 0.0


@dataclass(frozen=True)
class _Part:
    """The groups of a batch that have one shape: neighbours in the batch, each with `n_series` columns."""

    groups: slice
    columns: slice
    n_series: int
    signs: tuple[float, ...]
    larger: bool


class _Batch:
    """G groups, followed look by look. Their B series stand side by side as columns, group after group.

    Groups with fewer looks than others are filled up with looks that are never read.
    """

    def __init__(self, groups: list[ChartGroup]) -> None:
        self.groups = groups
        self.sizes = np.array([group.n_series for group in groups])
        self.first_column = np.cumsum(self.sizes) - self.sizes
        self.parts = list(self._parts())
        self.thresholds = np.array([group.threshold for group in groups])
        self.n_looks = np.array([len(group.days) for group in groups])
        self.n_reference = np.array([group.n_reference for group in groups])
        self.start: IntArray = self.n_reference.copy()  # first candidate of each group
        x, n = self._looks()
        s2 = np.concatenate([group.variances / group.smallest_change**2 for group in groups])
        rho = day_correlations(x.T, n.T, s2, self._by_column([group.prior_correlation for group in groups]))
        inflation = block_inflation(x.T, n.T, s2, rho)
        ratio = self._by_column([(group.larger_change or 0.0) / group.smallest_change for group in groups])
        self.candidates = CandidateLikelihoods(x, n, s2, rho.T.copy(), inflation.T.copy(), ratio)
        self.variances = look_variances(n, s2, rho.T, inflation.T)
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
            ChartHistory(group, self.statistic[g, : len(group.days)], self._deviations(g), tuple(self.alarms[g]))
            for g, group in enumerate(self.groups)
        ]

    def _parts(self) -> Iterator[_Part]:
        for (n_series, direction, larger), numbers in groupby(
            range(len(self.groups)), lambda g: _shape(self.groups[g])
        ):
            members = list(numbers)
            first, last = members[0], members[-1]
            columns = slice(int(self.first_column[first]), int(self.first_column[last]) + n_series)
            yield _Part(slice(first, last + 1), columns, n_series, SIGNS[direction], larger)

    def _by_column(self, by_group: list[float]) -> FloatArray:
        return np.repeat(np.array(by_group, np.float64), self.sizes)

    def _columns(self, g: int) -> slice:
        return slice(int(self.first_column[g]), int(self.first_column[g] + self.sizes[g]))

    def _deviations(self, g: int) -> FloatArray:
        group = self.groups[g]
        return group.smallest_change * np.sqrt(self.variances[: len(group.days), self._columns(g)].T)

    def _looks(self) -> tuple[FloatArray, FloatArray]:
        """Return (T, B) mean scores, less the level and in units of the smallest change, and items."""
        shape = (int(self.n_looks.max()), int(self.sizes.sum()))
        x, n = np.zeros(shape), np.ones(shape)
        for g, group in enumerate(self.groups):
            looks, columns = slice(len(group.days)), self._columns(g)
            x[looks, columns] = (group.means.T - group.levels) / group.smallest_change
            n[looks, columns] = group.n_items[:, None]
        return x, n

    def _look(self, t: int) -> None:
        """Cap look t, compute the statistic, close and open alarms."""
        mean, weight, v = self.candidates.weigh(t)
        x, half = self.candidates.x[t], CAP * np.sqrt(v + 1 / weight)
        after_reference = np.repeat(t >= self.n_reference, self.sizes)
        self.candidates.include(np.where(after_reference, np.clip(x, mean - half, mean + half), x), v)
        sums = {part.groups.start: self._sums(t, part) for part in self.parts}
        self._close(t, v)
        for part in self.parts:
            by_chart = sums[part.groups.start]
            for g in np.flatnonzero(self.statistic[part.groups, t] >= self.thresholds[part.groups]):
                if part.groups.start + g not in self.open:
                    side, s = np.unravel_index(int(by_chart[g].argmax()), by_chart[g].shape)
                    self._open(int(part.groups.start + g), part, int(s), part.signs[int(side)], t)

    def _sums(self, t: int, part: _Part) -> FloatArray:
        """Return the sum of L of each chart (groups, signs, series), and store the statistic of the part's groups.

        The candidate t is left out: its segment has one look only.
        """
        start = self.start[part.groups]
        by_chart = np.zeros((len(start), len(part.signs), part.n_series))
        by_column = np.repeat(start, part.n_series)
        for side, sign in enumerate(part.signs):
            total = self.candidates.likelihood_sums(by_column, sign, part.columns, larger=part.larger)
            by_chart[:, side] = total.reshape(-1, part.n_series)
        live = (start < t) & (t < self.n_looks[part.groups])
        charts = np.ascontiguousarray(by_chart.reshape(len(start), -1).T)
        self.statistic[part.groups, t] = np.where(live, added(charts) / len(charts), 0)
        return by_chart

    def _open(self, g: int, part: _Part, s: int, sign: float, t: int) -> None:
        """Open an alarm of group g at look t. Its chart with the largest sum of L names it: series s, and the sign."""
        group, column, start = self.groups[g], int(self.first_column[g]) + s, int(self.start[g])
        L = self.candidates.likelihoods(slice(start, t), sign, slice(column, column + 1), larger=part.larger)[:, 0]
        change, low, high = (start + position for position in change_interval(L))
        before, since = self.candidates.mean_before(column, change), self.candidates.mean_since(column, change)
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
            before=float(group.levels[s]) + group.smallest_change * before,
            after=float(group.levels[s]) + group.smallest_change * since,
            statistic=float(self.statistic[g, t]),
            n_items=int(group.n_items[change : t + 1].sum()),
        )
        level, drop = sign * before, sign * (before - since)
        self.open[g] = _OpenAlarm(alarm, column, sign, change, level, level - max(1.0, drop) / 2)

    def _close(self, t: int, v: FloatArray) -> None:
        """Add the evidence of look t that the level is back, and close the alarms that have enough of it."""
        for g, state in list(self.open.items()):
            if t >= self.n_looks[g]:
                continue
            x = state.sign * self.candidates.x[t, state.column]
            gain = ((x - state.changed_level) ** 2 - (x - state.level) ** 2) / (2 * v[state.column])
            state.evidence = max(0.0, state.evidence + float(gain))
            if state.evidence >= CLOSING:
                self.alarms[g].append(replace(state.alarm, closed_on=self.groups[g].days.astype(object)[t]))
                self.candidates.drop(self._columns(g), state.position)
                self.statistic[g, t], self.start[g] = 0.0, t + 1
                del self.open[g]
