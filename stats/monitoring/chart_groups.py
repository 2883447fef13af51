"""Make the groups of charts of a question from its day sums, each with its threshold."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import polars as pl

from stats.arrays import IntArray
from stats.monitoring.chart_group import ChartGroup, DayArray, Direction
from stats.monitoring.day_sums import SERIES_COLUMNS
from stats.monitoring.question_reference import QuestionReference, SeriesReference
from stats.monitoring.thresholds import AlarmBudget

DIRECTIONS: dict[str, Direction] = {
    "agreement": "down",
    "labels": "both",
    "rater": "down",
    "rater_labels": "both",
    "rater_speed": "up",
    "system": "down",
}
SMALLEST_CHANGES = {"agreement": 0.15, "labels": 0.10, "rater_labels": 0.15, "rater_speed": 0.20, "system": 0.10}
SeriesName = tuple[str, str | None, str | None]
RATER_CHANGE = 0.30  # of the span; the span itself is the larger change
PRIOR_CORRELATIONS = {"rater": 0.01, "rater_labels": 0.01}
PRIOR_CORRELATION = 0.03


@dataclass(frozen=True)
class _Looks:
    """Days (T,), items of each (T,) and score sums of each series (G, T)."""

    days: DayArray
    n_items: IntArray
    score_sums: IntArray


def chart_groups(
    sums: pl.DataFrame,
    *,
    reference: QuestionReference,
    budget: AlarmBudget,
    n_raters: int | None = None,
    n_systems: int | None = None,
) -> tuple[ChartGroup, ...]:
    """Return the groups in a fixed order: by kind as in DIRECTIONS, then by subject.

    `sums` is the result of `day_sums`. Days before the reference are left out. Raters share their part of the budget
    equally, as do systems: n_raters and n_systems are their numbers, by default of those with a chart.
    """
    by_name = {(series.chart, series.subject, series.label): series for series in reference.series}
    raters = {series.subject for series in reference.series if series.chart.startswith("rater")}
    systems = {series.subject for series in reference.series if series.chart == "system"}
    thresholds = {
        chart: budget.threshold(
            chart, n_raters=n_raters or max(len(raters), 1), n_systems=n_systems or max(len(systems), 1)
        )
        for chart in DIRECTIONS
    }
    groups = []
    for series, looks in _looks_by_group(sums.filter(pl.col("day") >= reference.period.first)):
        group = _group([by_name[name] for name in series], looks, reference, thresholds[series[0][0]])
        if group.n_reference:
            groups.append(group)
    order = list(DIRECTIONS)
    return tuple(sorted(groups, key=lambda group: (order.index(group.chart), group.subject or "")))


def _looks_by_group(sums: pl.DataFrame) -> Iterator[tuple[list[SeriesName], _Looks]]:
    """Yield the series of each kind and subject in the order of their names, with their looks."""
    by_series = (
        sums.group_by(SERIES_COLUMNS)
        .agg(pl.col("day", "n_items", "score_sum").sort_by("day"))
        .sort(SERIES_COLUMNS, nulls_last=False)
    )
    ends = np.concatenate([[0], by_series["day"].list.len().to_numpy()]).cumsum()
    day, n_items, score_sum = (by_series[name].explode().to_numpy() for name in ("day", "n_items", "score_sum"))
    day = day.astype("datetime64[D]")
    names = by_series.select(SERIES_COLUMNS)
    for _, members in groupby(enumerate(names.iter_rows()), key=lambda member: member[1][:2]):
        numbered = list(members)
        rows = slice(ends[numbered[0][0]], ends[numbered[-1][0] + 1])
        shape = (len(numbered), -1)  # all series of a group have the same looks
        looks = _Looks(day[rows].reshape(shape)[0], n_items[rows].reshape(shape)[0], score_sum[rows].reshape(shape))
        yield [name for _, name in numbered], looks


def _group(series: list[SeriesReference], looks: _Looks, reference: QuestionReference, threshold: float) -> ChartGroup:
    """Return the group of one kind and subject."""
    chart, subject = series[0].chart, series[0].subject
    is_rater = chart == "rater"
    return ChartGroup(
        chart=chart,
        subject=subject,
        days=looks.days,
        n_items=looks.n_items,
        score_sums=looks.score_sums,
        n_reference=int((looks.days <= np.datetime64(reference.period.last)).sum()),
        labels=tuple(reference_series.label for reference_series in series if reference_series.label is not None),
        direction=DIRECTIONS[chart],
        levels=np.array([reference_series.level for reference_series in series]),
        variances=np.array([reference_series.variance for reference_series in series]),
        smallest_change=RATER_CHANGE * reference.span if is_rater else SMALLEST_CHANGES[chart],
        larger_change=reference.span if is_rater else None,
        prior_correlation=PRIOR_CORRELATIONS.get(chart, PRIOR_CORRELATION),
        threshold=threshold,
    )
