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
from datetime import date
from itertools import groupby
from math import log

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.monitoring.candidate_likelihoods import CandidateLikelihoods, added
from stats.monitoring.change_interval import change_interval
from stats.monitoring.chart_group import ChartAlarm, ChartGroup, check_group
from stats.monitoring.chart_history import ChartHistory, DetectorState, KnownLooks, PastAlarm
from stats.monitoring.look_variance import block_inflation, day_correlations, look_variances

CAP = 2.5  # standard errors that one look may lie from the mean before it
CLOSING = log(100)
SIGNS = {"down": (1.0,), "up": (-1.0,), "both": (1.0, -1.0)}
MAX_SERIES = 1024  # series computed at once: more cost memory and save no time


def run_detector(
    groups: Sequence[ChartGroup], known: Sequence[KnownLooks | None] | None = None
) -> tuple[ChartHistory, ...]:
    """Compute the statistic and the alarms of each group, in the order of the groups.

    The result depends on the day sums alone. Groups of the same shape are computed together, which changes nothing but
    the time. `known`, one entry per group, holds the states of an earlier run: only looks since are computed. Raises
    StatsError as `check_group`.
    """
    for group in groups:
        check_group(group)
    states = list(known or [None] * len(groups))
    first = [0 if state is None else state.first_look(group) for group, state in zip(groups, states, strict=True)]
    order = sorted(range(len(groups)), key=lambda number: (first[number], *_shape(groups[number]), number))
    column = np.cumsum([groups[number].n_series for number in order])
    batches = zip(order, column, strict=True)
    histories: dict[int, ChartHistory] = {}
    for _, members in groupby(batches, key=lambda member: (first[member[0]], member[1] // MAX_SERIES)):
        batch = [number for number, _ in members]
        runner = _Batch([groups[number] for number in batch], [states[number] for number in batch])
        histories |= zip(batch, runner.run(), strict=True)
    return tuple(histories[number] for number in range(len(groups)))


def _shape(group: ChartGroup) -> tuple[int, str, bool]:
    return group.n_series, group.direction, group.larger_change is not None


def _position(group: ChartGroup, day: date) -> int:
    return int(np.searchsorted(group.days, np.datetime64(day)))


@dataclass
class _OpenAlarm:
    """An open alarm: column and sign of the chart that named it, position of the change, and the evidence so far that
    the level is back."""

    past: PastAlarm
    column: int
    sign: float
    position: int
    evidence: float = 0.0

    def add(self, score: float, variance: float) -> None:
        """Add the evidence of a look, by its capped score and its variance."""
        x, past = self.sign * score, self.past
        gain = ((x - past.changed_level) ** 2 - (x - past.level) ** 2) / (2 * variance)
        self.evidence = max(0.0, self.evidence + float(gain))


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

    Groups with fewer looks than others are filled up with looks that are never read. Either no group has known looks,
    or all have the same number.
    """

    def __init__(self, groups: list[ChartGroup], states: list[KnownLooks | None]) -> None:
        self.groups = groups
        self.sizes = np.array([group.n_series for group in groups])
        self.first_column = np.cumsum(self.sizes) - self.sizes
        self.same_shape = list(self._same_shape())
        self.thresholds = np.array([group.threshold for group in groups])
        self.n_looks = np.array([len(group.days) for group in groups])
        self.n_reference = np.array([group.n_reference for group in groups])
        self.start: IntArray = self.n_reference.copy()  # first candidate of each group
        x, n = self._looks()
        self.uncapped = x.copy()
        s2 = np.concatenate([group.variances / group.smallest_change**2 for group in groups])
        rho = day_correlations(x.T, n.T, s2, self._by_column([group.prior_correlation for group in groups]))
        inflation = block_inflation(x.T, n.T, s2, rho)
        ratio = self._by_column([(group.larger_change or 0.0) / group.smallest_change for group in groups])
        self.candidates = CandidateLikelihoods(x, n, s2, rho.T.copy(), inflation.T.copy(), ratio)
        self.variances = look_variances(n, s2, rho.T, inflation.T)
        self.statistic = np.zeros((len(groups), len(x)))
        self.open: dict[int, _OpenAlarm] = {}
        self.alarms: list[list[PastAlarm]] = [[] for _ in groups]
        self.first_look = int(self.n_reference.min())
        for g, (group, state) in enumerate(zip(groups, states, strict=True)):
            if state is not None:
                self.first_look = state.first_look(group)
                self._take_up(g, state.state.before(state.changed_from))

    def run(self) -> list[ChartHistory]:
        """Follow all looks that are not known, and return one history for each group."""
        for t in range(self.first_look, self.statistic.shape[1]):
            self._look(t)
        for g, state in self.open.items():
            self.alarms[g].append(state.past)
        capped = self._capped()
        return [
            ChartHistory(
                group,
                self.statistic[g, : len(group.days)],
                self._deviations(g),
                tuple(past.alarm for past in self.alarms[g]),
                DetectorState(tuple(capped[g]), tuple(self.alarms[g])),
            )
            for g, group in enumerate(self.groups)
        ]

    def _take_up(self, g: int, state: DetectorState) -> None:
        """Put a group into the state that it had before the first look that is to be computed."""
        group, first = self.groups[g], int(self.first_column[g])
        self.statistic[g, self.n_reference[g] : self.first_look] = np.nan
        for look, series, x in state.capped:
            if look < self.first_look:
                self.candidates.x[look, first + series] = x
        for past in state.alarms:
            alarm, column = past.alarm, first + past.series
            change = _position(group, alarm.changed_on)
            if alarm.closed_on is not None:
                closed = _position(group, alarm.closed_on)
                self.candidates.exclude(self._columns(g), change, closed)
                self.start[g] = closed + 1
                self.alarms[g].append(past)
                continue
            self.open[g] = _OpenAlarm(past, column, 1.0 if alarm.direction == "down" else -1.0, change)
            for t in range(_position(group, alarm.opened_on) + 1, self.first_look):
                self.open[g].add(self.candidates.x[t, column], self.variances[t, column])

    def _capped(self) -> list[list[tuple[int, int, float]]]:
        """List the looks that were capped, for each group."""
        capped: list[list[tuple[int, int, float]]] = [[] for _ in self.groups]
        looks, columns = np.nonzero(self.candidates.x != self.uncapped)
        scores = self.candidates.x[looks, columns]
        of_group = np.asarray(np.searchsorted(self.first_column, columns, side="right")) - 1
        series = columns - self.first_column[of_group]
        for g, look, number, x in zip(of_group.tolist(), looks.tolist(), series.tolist(), scores.tolist(), strict=True):
            if look < self.n_looks[g]:
                capped[g].append((look, number, x))
        return capped

    def _same_shape(self) -> Iterator[_Part]:
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
        sums = {part.groups.start: self._sums(t, part) for part in self.same_shape}
        self._close(t, v)
        for part in self.same_shape:
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
        level, fall = sign * before, sign * (before - since)
        self.open[g] = _OpenAlarm(PastAlarm(alarm, s, level, level - max(1.0, fall) / 2), column, sign, change)

    def _close(self, t: int, v: FloatArray) -> None:
        """Add the evidence of look t that the level is back, and close the alarms that have enough of it."""
        for g, state in list(self.open.items()):
            if t >= self.n_looks[g]:
                continue
            state.add(self.candidates.x[t, state.column], v[state.column])
            if state.evidence >= CLOSING:
                closed = replace(state.past.alarm, closed_on=self.groups[g].days.astype(object)[t])
                self.alarms[g].append(replace(state.past, alarm=closed))
                self.candidates.exclude(self._columns(g), state.position, t)
                self.statistic[g, t], self.start[g] = 0.0, t + 1
                del self.open[g]
