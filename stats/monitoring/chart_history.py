"""Hold what the detector found in a group, and what it takes to go on from there instead of from the first look.

The looks before a day, their capped scores and the alarms so far are all that later looks depend on. So a run that goes
on from a day equals a run over all looks, to the last bit, as long as no look before that day has changed.
"""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from stats.arrays import FloatArray
from stats.monitoring.chart_group import ChartAlarm, ChartGroup


@dataclass(frozen=True)
class PastAlarm:
    """An alarm with what its closing needs.

    series: the position of the chart that named it. level, changed_level: before and since the change, in units of the
    smallest change, turned so that the change is a drop.
    """

    alarm: ChartAlarm
    series: int
    level: float
    changed_level: float

    def to_json(self) -> dict[str, Any]:
        """Return the alarm as JSON, with dates as text."""
        return {**vars(self), "alarm": self.alarm.to_json()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "PastAlarm":
        """Return the alarm of `to_json`, equal to the last bit."""
        return cls(**{**values, "alarm": ChartAlarm.from_json(values["alarm"])})


@dataclass(frozen=True)
class DetectorState:
    """What the detector knew of a group after its last look.

    - capped: position of the look, position of the series, and score of each look that was capped, in units of the
      smallest change. alarms: oldest first.
    """

    capped: tuple[tuple[int, int, float], ...] = ()
    alarms: tuple[PastAlarm, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {"capped": [list(look) for look in self.capped], "alarms": [alarm.to_json() for alarm in self.alarms]}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "DetectorState":
        """Return the state of `to_json`, equal to the last bit."""
        alarms = tuple(PastAlarm.from_json(alarm) for alarm in values["alarms"])
        return cls(tuple((look, series, x) for look, series, x in values["capped"]), alarms)

    def before(self, day: date) -> "DetectorState":
        """Return the state with the alarms that were open or closed before a day; one that closed later is open."""
        alarms = [
            replace(past, alarm=replace(past.alarm, closed_on=None))
            if past.alarm.closed_on is not None and past.alarm.closed_on >= day
            else past
            for past in self.alarms
            if past.alarm.opened_on < day
        ]
        return replace(self, alarms=tuple(alarms))


@dataclass(frozen=True)
class KnownLooks:
    """A state, and the first day on which looks may differ from those that the state was computed from."""

    state: DetectorState
    changed_from: date

    def first_look(self, group: ChartGroup) -> int:
        """Return the position of the first look that has to be computed."""
        return max(group.n_reference, int(np.searchsorted(group.days, np.datetime64(self.changed_from))))


@dataclass(frozen=True)
class ChartHistory:
    """A group of charts with its statistic (T,) at each look and its alarms, oldest first.

    deviations (G, T): standard deviation of the mean score of each look, in units of the score.

    The statistic is 0 up to the end of the reference. A rerun up to an earlier day has the same values up to that day,
    except that its last alarm may still be open. It is NaN at looks that were known and not computed again.
    """

    group: ChartGroup
    statistic: FloatArray
    deviations: FloatArray
    alarms: tuple[ChartAlarm, ...]
    state: DetectorState

    def to_json(self) -> dict[str, Any]:
        """Return the statistic by day and the alarms as JSON."""
        days = [str(day) for day in self.group.days]
        return {
            "chart": self.group.chart,
            "subject": self.group.subject,
            "threshold": self.group.threshold,
            "statistic": dict(zip(days, self.statistic.tolist(), strict=True)),
            "alarms": [alarm.to_json() for alarm in self.alarms],
        }
