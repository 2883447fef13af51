"""Divide the charts of a question into sections, each with other reference days.

Most charts share the section `main`. Another section serves

- a chart whose change was accepted as the new normal: its reference begins on the day of the change;
- a rater or a system with too few ratings in the main reference, such as one that joined later: its reference is its
  own first days.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl

from stats.monitoring import ReferencePeriod, ReferenceSettings, reference_period
from stats.monitoring.question_reference import MIN_SCORES

MAIN = "main"
RATER_CHARTS = ("rater", "rater_labels", "rater_speed")
MIN_LOOKS_OF_ONE = 5  # days that the reference of one rater has at least
Chart = tuple[str, str | None]


@dataclass(frozen=True)
class ChartSection:
    """Charts that share their reference days.

    - name: `main`, or the chart and where its reference begins, as JSON.
    - period: the reference days, None while there are too few items.
    - charts: kind and subject of the charts served; empty for `main`, which serves all others.
    - rater: for charts of a rater, whose items alone are scored.
    - n_needed, days_needed: items and days that the reference needs. n_found: items that there are on closed days.
    """

    name: str
    period: ReferencePeriod | None
    charts: tuple[Chart, ...] = ()
    rater: str | None = None
    n_needed: int = 0
    days_needed: int = 0
    n_found: int = 0


def plan_sections(
    days: pl.DataFrame, rater_days: pl.DataFrame, accepted: pl.DataFrame, settings: ReferenceSettings
) -> tuple[ChartSection, ...]:
    """Return the sections of a question, `main` first.

    - days: day, n_items. rater_days: day, rater, rater_kind, n_ratings. Both of closed days only.
    - accepted: kind, subject, changed_on of the changes that were accepted.
    """
    period = settings.period(days)
    main = ChartSection(
        MAIN, period, n_needed=settings.n_items, days_needed=settings.n_days, n_found=int(days["n_items"].sum())
    )
    if period is None:
        return (main,)
    accepted_sections = [
        _section(kind, subject, _own_days(kind, subject, days, rater_days), settings, changed_on)
        for kind, subject, changed_on in accepted.select("kind", "subject", "changed_on").iter_rows()
        if kind != "version"
    ]
    served = {chart for section in accepted_sections for chart in section.charts}
    return (main, *accepted_sections, *_late_sections(period, rater_days, settings, served))


def serving_section(sections: Sequence[ChartSection], chart: Chart) -> ChartSection:
    """Return the section that serves a chart."""
    return next((section for section in sections if chart in section.charts), sections[0])


def _late_sections(
    main: ReferencePeriod, rater_days: pl.DataFrame, settings: ReferenceSettings, served: set[Chart]
) -> Iterator[ChartSection]:
    """Make the sections of the raters and systems that gave too few ratings within the main reference."""
    within = rater_days.filter(pl.col("day").is_between(main.first, main.last))
    early = within.group_by("rater").agg(pl.col("n_ratings").sum()).filter(pl.col("n_ratings") >= MIN_SCORES)
    late = rater_days.join(early, on="rater", how="anti").filter(pl.col("day") >= main.first)
    totals = late.group_by("rater", "rater_kind").agg(pl.col("n_ratings").sum(), pl.col("day").min())
    days = dict(_counted(late).partition_by("rater", as_dict=True, include_key=False))
    for rater, rater_kind, _, _ in totals.filter(pl.col("n_ratings") >= MIN_SCORES).sort("day", "rater").iter_rows():
        own = days[(rater,)]
        if rater_kind == "system" and ("system", rater) not in served:
            yield _section("system", rater, own, settings, own["day"][0])
        elif rater_kind == "human":
            charts = [chart for kind in RATER_CHARTS if (chart := (kind, rater)) not in served]
            if charts:
                yield _section(charts[0][0], rater, own, settings, own["day"][0], charts)


def _section(
    kind: str,
    subject: str | None,
    days: pl.DataFrame,
    settings: ReferenceSettings,
    start: date,
    charts: Sequence[Chart] = (),
) -> ChartSection:
    is_rater = kind in RATER_CHARTS
    n_days = min(MIN_LOOKS_OF_ONE, settings.n_days) if is_rater else settings.n_days
    chart = (kind, None if kind == "labels" else subject)
    return ChartSection(
        name=json.dumps([*chart, start.isoformat()]),
        period=reference_period(days, n_items=settings.n_items, n_days=n_days, start=start),
        charts=tuple(charts) or (chart,),
        rater=subject if is_rater else None,
        n_needed=settings.n_items,
        days_needed=n_days,
        n_found=int(days["n_items"].to_numpy()[days["day"].to_numpy() >= np.datetime64(start)].sum()),
    )


def _own_days(kind: str, subject: str | None, days: pl.DataFrame, rater_days: pl.DataFrame) -> pl.DataFrame:
    return days if kind in ("agreement", "labels") else _counted(rater_days.filter(rater=subject)).drop("rater")


def _counted(rater_days: pl.DataFrame) -> pl.DataFrame:
    """Count the ratings of each rater by day, of all kinds."""
    return rater_days.group_by("rater", "day").agg(n_items=pl.col("n_ratings").sum()).sort("rater", "day")
