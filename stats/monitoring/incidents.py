"""Put alarms that have one cause into one incident, so that people get one message."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from stats.monitoring.chart_group import ChartAlarm

SHARED_CAUSE = ("agreement", "rater", "rater_labels", "rater_speed")
"""Charts that one careless rater moves together."""


@dataclass(frozen=True)
class Incident:
    """Alarms with one cause, in the order in which they opened.

    - changed_low, changed_high: the span of the alarms' intervals. opened_on: the first opening day.
    - raters: the raters that stand out, sorted.
    """

    alarms: tuple[ChartAlarm, ...]

    @property
    def opened_on(self) -> date:
        """Return the day on which the first alarm opened."""
        return self.alarms[0].opened_on

    @property
    def changed_low(self) -> date:
        """Return the earliest day on which the change may have begun."""
        return min(alarm.changed_low for alarm in self.alarms)

    @property
    def changed_high(self) -> date:
        """Return the latest day on which the change may have begun."""
        return max(alarm.changed_high for alarm in self.alarms)

    @property
    def raters(self) -> tuple[str, ...]:
        """Return the raters that stand out, sorted."""
        return tuple(
            sorted({alarm.subject for alarm in self.alarms if alarm.chart.startswith("rater") and alarm.subject})
        )

    @property
    def no_rater_stands_out(self) -> bool:
        """Return whether agreement fell and no rater explains it: look at the items or the guideline."""
        return not self.raters and any(alarm.chart == "agreement" for alarm in self.alarms)

    def to_json(self) -> dict[str, Any]:
        """Return the incident as JSON, with dates as text."""
        return {
            "opened_on": self.opened_on.isoformat(),
            "changed_low": self.changed_low.isoformat(),
            "changed_high": self.changed_high.isoformat(),
            "raters": list(self.raters),
            "no_rater_stands_out": self.no_rater_stands_out,
            "alarms": [alarm.to_json() for alarm in self.alarms],
        }


def incidents(alarms: Sequence[ChartAlarm]) -> tuple[Incident, ...]:
    """Group alarms into incidents, in the order in which they opened.

    Alarms of agreement and of raters belong together where the intervals of their change overlap, directly or through
    a third one. Every other alarm is an incident by itself.
    """
    by_start = sorted(alarms, key=lambda alarm: (alarm.changed_low, alarm.changed_high, *_order(alarm)))
    groups: list[list[ChartAlarm]] = [[alarm] for alarm in by_start if alarm.chart not in SHARED_CAUSE]
    last: date | None = None
    for alarm in (alarm for alarm in by_start if alarm.chart in SHARED_CAUSE):
        if last is not None and alarm.changed_low <= last:
            groups[-1].append(alarm)
            last = max(last, alarm.changed_high)
        else:
            groups.append([alarm])
            last = alarm.changed_high
    joined = [Incident(tuple(sorted(group, key=_order))) for group in groups]
    return tuple(sorted(joined, key=lambda incident: _order(incident.alarms[0])))


def _order(alarm: ChartAlarm) -> tuple[date, str, str]:
    return alarm.opened_on, alarm.chart, alarm.subject or ""
