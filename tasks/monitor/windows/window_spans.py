"""Divide the items of a question into windows: calendar and rolling windows of days, batches, and the last items."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from stats.trends.window_sums import WindowUnits, window_units
from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.patterns import TIME, WindowPatterns

CALENDAR = {"day": "1d", "week": "1w", "month": "1mo"}
WINDOW: dict[str, pl.DataType | type[pl.DataType]] = {
    "period": pl.String,
    "period_start": TIME,
    "period_end": TIME,
    "batch_id": pl.String,
}
SPAN = ["period", "first_day", "end_day"]


@dataclass(frozen=True)
class WindowSettings:
    """Which windows of time there are.

    - calendar: names of CALENDAR. rolling_days: windows of so many days, one that ends on each day with items; 0: none.
    - min_items: a window with fewer items is too small. timezone: a window begins and ends at midnight there.
    """

    calendar: tuple[str, ...] = tuple(CALENDAR)
    rolling_days: int = 0
    min_items: int = 0
    timezone: str = "UTC"

    @classmethod
    def of(cls, options: EvaluationOptions) -> "WindowSettings":
        """Return the settings of a run."""
        return cls(options.windows, options.rolling_days, options.window_items, options.timezone)


@dataclass(frozen=True)
class ItemWindows:
    """The windows of a question and their items.

    A unit is a day, a batch, or the items rated last. A window is a set of units that have no item in common, so that
    its sums are sums over its units.

    - windows: window (a number), and the columns of WINDOW. A batch begins and ends with its ratings. The items rated
      last (period last_n) have no start and no end. members (window, unit): what each window consists of.
    - counts (unit, item, n_items): the items of each unit that show the pattern `item`.
    """

    windows: pl.DataFrame
    members: pl.DataFrame
    counts: pl.DataFrame

    def only(self, windows: pl.Series) -> "ItemWindows":
        """Return some of the windows (numbers, ascending), numbered from 0, and the units of these."""
        kept = self.windows.filter(pl.col("window").is_in(windows.implode())).rename({"window": "before"})
        kept = kept.with_row_index("window")
        numbers = kept.select("window", "before")
        members = self.members.rename({"window": "before"}).join(numbers, on="before").select("window", "unit")
        counts = self.counts.filter(pl.col("unit").is_in(members["unit"].implode()))
        return ItemWindows(kept.drop("before"), members.sort("window", "unit"), counts)

    def unit_counts(self, names: pl.DataFrame) -> pl.DataFrame:
        """Count the items by unit (unit, item, n_items). `names` (source, item) renames the patterns."""
        counted = self.counts.rename({"item": "source"}).join(names, on="source").group_by("unit", "item")
        return counted.agg(pl.col("n_items").sum()).sort("unit", "item")

    def coded_units(self, counts: pl.DataFrame, *, n_patterns: int) -> WindowUnits:
        """Code the windows for sums over patterns. `counts` has unit, place (of the pattern) and n_items, sorted."""
        member, unit_counts = (
            [table[name].to_numpy().astype(np.int64) for name in columns]
            for table, columns in ((self.members, ("window", "unit")), (counts, ("unit", "place", "n_items")))
        )
        return window_units(
            (member[0], member[1]),
            (unit_counts[0], unit_counts[1], unit_counts[2]),
            n_windows=self.windows.height,
            n_patterns=n_patterns,
        )


def item_windows(patterns: WindowPatterns, settings: WindowSettings) -> ItemWindows:
    """Divide the items into windows, in the order of period, start and batch."""
    day_units = patterns.days.select(pl.col("day").unique().sort()).with_row_index("unit")
    batch_units = patterns.batches.select("batch_id", "first_at", "last_at").unique().sort("first_at", "batch_id")
    batch_units = batch_units.with_row_index("unit", offset=day_units.height)
    last_unit = day_units.height + batch_units.height
    counts = pl.concat(
        [
            patterns.days.join(day_units, on="day").select("unit", "item", "n_items"),
            patterns.batches.join(batch_units, on="batch_id").select("unit", "item", "n_items"),
            patterns.last.select(pl.lit(last_unit, pl.UInt32).alias("unit"), "item", "n_items"),
        ]
    )
    spans = _spans(day_units, settings).join(_midnights(day_units, settings), on=SPAN)
    batches = batch_units.select(
        pl.lit("batch").alias("period"),
        pl.col("first_at").alias("period_start"),
        pl.col("last_at").alias("period_end"),
        "batch_id",
        "unit",
    )
    last = pl.DataFrame({"period": ["last_n"], "unit": [last_unit]}, schema_overrides={"unit": pl.UInt32})
    placed = pl.concat([spans.drop(SPAN[1:]), batches, last if patterns.last.height else last.clear()], how="diagonal")
    placed = placed.with_columns(pl.col(name).cast(dtype) for name, dtype in WINDOW.items())
    windows = placed.select(*WINDOW).unique().sort(list(WINDOW), nulls_last=True).with_row_index("window")
    members = placed.join(windows, on=list(WINDOW), nulls_equal=True).select("window", "unit").sort("window", "unit")
    return ItemWindows(windows, members, counts.sort("unit", "item"))


def _spans(days: pl.DataFrame, settings: WindowSettings) -> pl.DataFrame:
    """List the days of each calendar and rolling window: unit, period, first_day, end_day (the day after the last)."""
    day = pl.col("day")
    frames = [
        days.select(
            "unit",
            period=pl.lit(period),
            first_day=day.dt.truncate(CALENDAR[period]),
            end_day=day.dt.truncate(CALENDAR[period]).dt.offset_by(CALENDAR[period]),
        )
        for period in settings.calendar
    ]
    if settings.rolling_days:
        length = timedelta(days=settings.rolling_days)
        rolling = days.select(period=pl.lit("rolling"), end_day=day + timedelta(days=1))
        rolling = rolling.with_columns(first_day=pl.col("end_day") - length)
        inside = days.join_where(rolling, day >= pl.col("first_day"), day < pl.col("end_day"))
        frames.append(inside.select("unit", *SPAN))
    empty = pl.DataFrame(schema={"unit": pl.UInt32, "period": pl.String, "first_day": pl.Date, "end_day": pl.Date})
    return pl.concat([empty, *(frame.select(empty.columns) for frame in frames)])


def _midnights(days: pl.DataFrame, settings: WindowSettings) -> pl.DataFrame:
    """Return start and end of each window: *SPAN, period_start, period_end."""
    spans = _spans(days, settings).select(SPAN).unique()
    zone = ZoneInfo(settings.timezone)
    ends = pl.concat([spans["first_day"], spans["end_day"]]).unique()
    instants = pl.DataFrame(
        {"day": ends, "at": [_first_instant(day, zone) for day in ends]}, schema={"day": pl.Date, "at": TIME}
    )
    return spans.join(instants.rename({"day": "first_day", "at": "period_start"}), on="first_day").join(
        instants.rename({"day": "end_day", "at": "period_end"}), on="end_day"
    )


def _first_instant(day: date, zone: ZoneInfo) -> datetime:
    """Return when a day begins in a time zone, in UTC. Where clocks skip midnight, it begins with that change."""
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
