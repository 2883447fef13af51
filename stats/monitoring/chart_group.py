"""Define a group of charts: day sums of per-item scores, followed against a reference and judged by one threshold."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stats.arrays import FloatArray, IntArray
from stats.errors import StatsError

UNIT = 1_000_000  # score sums are whole numbers of 1e-6
MIN_VARIANCE = 0.001
Direction = Literal["down", "up", "both"]
DayArray = NDArray[np.datetime64]


@dataclass(frozen=True)
class ChartGroup:
    """G series of scores with the same looks, and what the detector needs to know of them.

    A look is a day on which at least one item was scored. A series is the score of one label, or of the one quantity
    that the group follows. With the direction `both` each series has two charts, one for a drop and one for a rise.

    - chart: the kind: agreement, labels, rater, rater_labels, rater_speed or system.
    - subject: the rater or system; None for agreement and labels.
    - days (T,): dates of the looks, ascending (datetime64[D]).
    - n_items (T,): items scored at each look, 1 or more.
    - score_sums (G, T): sum of the items' scores, in whole 1e-6.
    - n_reference: the first looks, which are the reference; 1 or more.
    - labels (G,): the label of each series; empty if the group has one series that is not a label.
    - direction: down, up, or both.
    - levels, variances (G,): mean and variance (ddof 1) of the scores of the reference items.
    - smallest_change: the change to be found, in units of the score, above 0.
    - larger_change: a second, larger change that gets half the weight, or None.
    - prior_correlation: the expected correlation of the items of a day, in 0..0.5.
    - threshold: the statistic at which an alarm opens, above 0.
    """

    chart: str
    subject: str | None
    days: DayArray
    n_items: IntArray
    score_sums: IntArray
    n_reference: int
    labels: tuple[str, ...]
    direction: Direction
    levels: FloatArray
    variances: FloatArray
    smallest_change: float
    larger_change: float | None
    prior_correlation: float
    threshold: float

    @property
    def means(self) -> FloatArray:
        """Return the mean score of each look (G, T)."""
        return self.score_sums / (UNIT * self.n_items)

    @property
    def n_series(self) -> int:
        """Return the number of series."""
        return len(self.score_sums)

    def until(self, day: date) -> "ChartGroup":
        """Return the group with the looks up to and including a day."""
        n = int(np.searchsorted(self.days, np.datetime64(day), side="right"))
        return replace(self, days=self.days[:n], n_items=self.n_items[:n], score_sums=self.score_sums[:, :n])


@dataclass(frozen=True)
class ChartAlarm:
    """A change that a chart found.

    - chart, subject: as the group has them. label: the label that contributes most, None where the group has none.
    - direction: down or up.
    - opened_on: the day on which the statistic reached the threshold.
    - changed_on: the most probable first day of the change. changed_low, changed_high: its 90 % interval.
    - closed_on: the day on which the scores were shown to be back, or None while the alarm is open.
    - before, after: mean score before the change and since, in units of the score, odd days moved to the limit.
    - statistic: its value on the opening day. n_items: items from the change to the opening day.
    """

    chart: str
    subject: str | None
    label: str | None
    direction: str
    opened_on: date
    changed_on: date
    changed_low: date
    changed_high: date
    closed_on: date | None
    before: float
    after: float
    statistic: float
    n_items: int

    def to_json(self) -> dict[str, Any]:
        """Return the alarm as JSON, with dates as text."""
        return {name: value.isoformat() if isinstance(value, date) else value for name, value in vars(self).items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "ChartAlarm":
        """Return the alarm of `to_json`."""
        days = {name: values[name] for name in ("opened_on", "changed_on", "changed_low", "changed_high", "closed_on")}
        return cls(**{**values, **{name: day and date.fromisoformat(day) for name, day in days.items()}})


def check_group(group: ChartGroup) -> None:
    """Raise StatsError for looks out of order, a look without items, or a group without reference or threshold."""
    name = f"{group.chart} {group.subject}" if group.subject else group.chart
    if len(group.days) == 0 or (np.diff(group.days) <= np.timedelta64(0, "D")).any():
        raise StatsError(f"The looks of a chart have ascending days; those of {name} do not. Sort and add up by day.")
    if (group.n_items < 1).any():
        raise StatsError(f"A look has at least one item; {name} has one with none. Leave out days without scores.")
    if not 1 <= group.n_reference <= len(group.days):
        raise StatsError(f"The reference of {name} has {group.n_reference} looks. Draw no chart without reference.")
    if not (group.threshold > 0 and group.smallest_change > 0 and (group.variances >= MIN_VARIANCE).all()):
        raise StatsError(
            f"{name} needs a threshold and a smallest change above 0 and variances of {MIN_VARIANCE} or more. "
            "Raise the variance of the reference to this minimum."
        )
