"""Choose the days that all later days are compared with."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from stats.defaults import REFERENCE_DAYS, REFERENCE_ITEMS
from stats.errors import StatsError


@dataclass(frozen=True)
class ReferencePeriod:
    """The days from first to last, both included, with n_days looks and n_items items."""

    first: date
    last: date
    n_days: int
    n_items: int

    def to_json(self) -> dict[str, Any]:
        """Return the period as JSON, with dates as text."""
        return {**vars(self), "first": self.first.isoformat(), "last": self.last.isoformat()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "ReferencePeriod":
        """Return the period of `to_json`."""
        days = {name: date.fromisoformat(values[name]) for name in ("first", "last")}
        return cls(**{**values, **days})


def reference_period(
    items: pl.DataFrame, *, n_items: int = REFERENCE_ITEMS, n_days: int = REFERENCE_DAYS, start: date | None = None
) -> ReferencePeriod | None:
    """Return the first whole days that hold at least so many items and looks; None while there are too few.

    `items` has the columns day and n_items. With `start` the search begins there: a change that was accepted as the new
    normal starts a new reference on its date. Raises StatsError for a number below 1.

    >>> rows = {"day": [date(2026, 1, 5), date(2026, 1, 6), date(2026, 1, 7)], "n_items": [40, 20, 30]}
    >>> reference_period(pl.DataFrame(rows), n_items=50, n_days=1).to_json()
    {'first': '2026-01-05', 'last': '2026-01-06', 'n_days': 2, 'n_items': 60}
    """
    if n_items < 1 or n_days < 1:
        raise StatsError(f"A reference has items and days, found {n_items} and {n_days}. Take 300 and 20.")
    day, counts = (items[name].to_numpy() for name in ("day", "n_items"))
    if start is not None:
        later = day >= np.datetime64(start)
        day, counts = day[later], counts[later]
    days, position = np.unique(day, return_inverse=True)
    sums = np.cumsum(np.bincount(position, weights=counts, minlength=len(days)))
    enough = np.flatnonzero((sums >= n_items) & (np.arange(1, len(sums) + 1) >= n_days))
    if not len(enough):
        return None
    end = int(enough[0])
    return ReferencePeriod(days[0].item(), days[end].item(), end + 1, int(sums[end]))


def period_between(items: pl.DataFrame, *, first: date, last: date) -> ReferencePeriod | None:
    """Return the period that a user named, with its looks and items; None if it holds no items.

    `items` has the columns day and n_items. Raises StatsError if it ends before it starts.
    """
    if last < first:
        raise StatsError(f"The reference ends on {last}, before it starts on {first}. Swap the two dates.")
    rows = items.filter(pl.col("day").is_between(first, last))
    if rows.is_empty():
        return None
    return ReferencePeriod(first, last, rows["day"].n_unique(), int(rows["n_items"].sum()))
