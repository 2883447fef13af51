"""Plan how soon a chart finds a change: items until the alarm, and whether any method can do better.

The change is found once the logarithm of M has drifted up to log A. With D the true drop and V the variance of the
difference of the means, log L of the true day is normal with mean (delta D - delta^2 / 2) / V and variance delta^2 / V.
M adds the L of neighbouring days, and is taken as twice as large. `make monitoring-power` sets the plans beside
simulated charts (docs/monitoring-power.md).
"""

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Any

from stats.defaults import LOOKS_PER_YEAR
from stats.errors import StatsError
from stats.special_functions import ndtr, ndtri

TARGET = 0.8
NEIGHBOURS = log(2)  # what the days beside the true one add to log M
MIN_LOOKS = 2  # a segment after a change has two looks or more
MAX_LOOKS = 100_000_000  # looks of a plan: more would take longer than any project


@dataclass(frozen=True)
class AlarmPlan:
    """Items from a change to its alarm.

    - drop: the change that was asked for. threshold: A. false_alarms_per_year: of this chart alone.
    - median_items, items_80: items in which the alarm opens in half and in 80 % of cases, in whole days, or None where
      it never does.
    - within_items: the number of items that was wished for, or None.
    - power: share of cases in which the chart finds the drop within that number, in whole days.
    - best_power: the share that no method with as few false alarms exceeds by much, even one that knew the level before
      and the size and day of the change.
    - best_items_80: items in which such a method finds the drop in 80 % of cases, in whole days. With fewer none does.
    - reason, detail: why median_items or items_80 is None. warnings: sentences.
    """

    drop: float
    threshold: float
    false_alarms_per_year: float
    median_items: int | None
    items_80: int | None
    within_items: int | None
    power: float | None
    best_power: float | None
    best_items_80: int
    reason: str | None
    detail: str | None
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON."""
        return {**vars(self), "warnings": list(self.warnings)}


def plan_alarm(
    *,
    variance: float,
    drop: float,
    smallest_change: float,
    larger_change: float | None = None,
    threshold: float,
    looks_per_year: float = LOOKS_PER_YEAR,
    items_per_day: int,
    items_before: int,
    correlation: float = 0.03,
    within_items: int | None = None,
) -> AlarmPlan:
    """Return how many items it takes until a chart finds a drop.

    - variance: of the item scores (`agreement_variance`, `rater_variance`, `system_variance`, or a chart's own).
    - drop, smallest_change, larger_change: in units of the score.
    - threshold: A, from `AlarmBudget.threshold`.
    - items_per_day, items_before: scored items of a day, and of the time before the change.
    - correlation: of the items of a day, in 0..1.
    - within_items: the number of items in which the drop ought to be found, if there is a wish.

    Raises StatsError for a value out of range.

    >>> plan = plan_alarm(variance=0.11, drop=0.15, smallest_change=0.15, threshold=1000, items_per_day=20,
    ...                   items_before=5000, correlation=0)
    >>> plan.median_items, plan.items_80
    (80, 100)
    """
    _check(variance, drop, smallest_change, threshold, looks_per_year, correlation)
    for name, number in (
        ("items_per_day", items_per_day),
        ("items_before", items_before),
        ("within_items", within_items),
    ):
        if number is not None and number < 1:
            raise StatsError(f"{name} is 1 or more, found {number}. Plan for some items.")
    unit = variance * (1 + correlation * (items_per_day - 1))  # variance of one item among those of a day
    target = log(threshold) - NEIGHBOURS
    changes = [(smallest_change, target)]
    if larger_change is not None:  # each change has half the weight
        changes = [(delta, target + log(2)) for delta in (smallest_change, larger_change)]
    needed = [
        min(_items(unit, drop, delta, target, share, items_before) for delta, target in changes)
        for share in (0.5, TARGET)
    ]
    median, most = (None if n == inf else max(MIN_LOOKS, ceil(n / items_per_day)) * items_per_day for n in needed)
    reason, detail = _why_not(drop, min(delta for delta, _ in changes), median, most, items_before)
    power = best = None
    if within_items is not None:
        best = _best_power(unit, drop, threshold, within_items, items_per_day)
        days = within_items // items_per_day  # a chart looks at whole days, as in items_80
        powers = [
            _power(unit, drop, delta, target, days * items_per_day, items_before)
            for delta, target in changes
            if days >= MIN_LOOKS
        ]
        power = min(max(powers, default=0.0), best)
    best_items = _best_items(unit, drop, threshold, items_per_day)
    warnings = _warnings(drop, within_items, power, best, items_before)
    yearly = looks_per_year / threshold
    return AlarmPlan(
        drop, threshold, yearly, median, most, within_items, power, best, best_items, reason, detail, warnings
    )


def _items(unit: float, drop: float, delta: float, target: float, share: float, items_before: int) -> float:
    """Return the items after which log L reaches the target in this share of cases; infinite if it never does.

    With u = 1 / sqrt(V): (delta D - delta^2 / 2) u^2 - z delta u = target.
    """
    drift = delta * drop - delta**2 / 2
    if drift <= 0:
        return inf
    z = float(ndtri(share))
    u = (z * delta + sqrt((z * delta) ** 2 + 4 * drift * target)) / (2 * drift)
    V = 1 / u**2
    return unit / (V - unit / items_before) if unit / items_before < V else inf


def _power(unit: float, drop: float, delta: float, target: float, n_items: int, items_before: int) -> float:
    """Return the share of cases in which log L reaches the target with so many items after the change."""
    V = unit / n_items + unit / items_before
    return float(ndtr(((delta * drop - delta**2 / 2) / V - target) * sqrt(V) / delta))


def _best_power(unit: float, drop: float, threshold: float, n_items: int, items_per_day: int) -> float:
    """Return the share in which a test of the items after a known day finds the drop, the level before being known.

    It makes as many false alarms in these looks as the chart may.
    """
    looks = n_items / items_per_day
    return float(ndtr(drop / sqrt(unit / n_items) - ndtri(1 - min(looks / threshold, 0.5))))


def _best_items(unit: float, drop: float, threshold: float, items_per_day: int) -> int:
    """Return the items of the first whole days in which that test finds the drop in 80 % of cases."""
    days = range(MAX_LOOKS)
    return items_per_day * bisect_left(
        days, TARGET, lo=1, key=lambda n: _best_power(unit, drop, threshold, n * items_per_day, items_per_day)
    )


def _why_not(
    drop: float, delta: float, median: int | None, most: int | None, items_before: int
) -> tuple[str | None, str | None]:
    if most is not None:
        return None, None
    if drop <= delta / 2:
        detail = f"A chart that seeks a change of {delta:.2f} does not find a drop of {drop:.2f}, half of it or less."
        return "not_applicable", detail
    often = "in 80 % of cases" if median is not None else "in half of the cases"
    return (
        "too_few_items",
        f"The items before the change ({items_before}) are too few to find it {often}, however long it lasts.",
    )


def _warnings(
    drop: float, within_items: int | None, power: float | None, best: float | None, items_before: int
) -> tuple[str, ...]:
    if within_items is None or power is None or best is None or power >= TARGET:
        return ()
    if best < TARGET:
        return (
            f"No method finds a drop of {drop:.2f} within {within_items} items in 80 % of cases with so few false"
            f" alarms: the best possible share is about {best:.0%}. Allow more items or more false alarms.",
        )
    return (
        f"The chart finds a drop of {drop:.2f} within {within_items} items in {power:.0%} of cases. Allow more items or"
        " more false alarms.",
    )


def _check(
    variance: float, drop: float, smallest_change: float, threshold: float, looks_per_year: float, correlation: float
) -> None:
    above_0 = {"variance": variance, "drop": drop, "smallest_change": smallest_change, "looks_per_year": looks_per_year}
    for name, value in above_0.items():
        if not value > 0:
            raise StatsError(f"{name} is above 0, found {value}. Write .15 for a drop of .15.")
    if not threshold > 2:
        raise StatsError(f"A threshold is above 2, found {threshold}. Allow fewer false alarms a year.")
    if not 0 <= correlation < 1:
        raise StatsError(f"The correlation of a day's items lies in [0, 1), found {correlation}. Write .03.")
