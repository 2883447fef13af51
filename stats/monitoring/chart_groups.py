"""Make the groups of charts of a question from its day sums, each with its threshold."""

import numpy as np
import polars as pl

from stats.monitoring.chart_group import ChartGroup, Direction
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
RATER_CHANGE = 0.30  # of the span; the span itself is the larger change
PRIOR_CORRELATIONS = {"rater": 0.01, "rater_labels": 0.01}
PRIOR_CORRELATION = 0.03


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
    kept = sums.filter(pl.col("day") >= reference.period.first).sort(*SERIES_COLUMNS, "day")
    groups = []
    for rows in kept.partition_by("chart", "subject", maintain_order=True):
        chart = str(rows["chart"][0])
        group = _group(rows, by_name, reference, thresholds[chart])
        if group.n_reference:
            groups.append(group)
    order = list(DIRECTIONS)
    return tuple(sorted(groups, key=lambda group: (order.index(group.chart), group.subject or "")))


def _group(
    rows: pl.DataFrame,
    by_name: dict[tuple[str, str | None, str | None], SeriesReference],
    reference: QuestionReference,
    threshold: float,
) -> ChartGroup:
    """Return the group of one kind and subject. All its labels have the same looks."""
    chart, subject = rows["chart"][0], rows["subject"][0]
    labels = rows["label"].unique(maintain_order=True).to_list()
    series = [by_name[chart, subject, label] for label in labels]
    shape = (len(labels), -1)
    days = rows["day"].to_numpy().astype("datetime64[D]").reshape(shape)[0]
    is_rater = chart == "rater"
    return ChartGroup(
        chart=chart,
        subject=subject,
        days=days,
        n_items=rows["n_items"].to_numpy().reshape(shape)[0],
        score_sums=rows["score_sum"].to_numpy().reshape(shape),
        n_reference=int((days <= np.datetime64(reference.period.last)).sum()),
        labels=tuple(labels) if labels[0] is not None else (),
        direction=DIRECTIONS[chart],
        levels=np.array([one.level for one in series]),
        variances=np.array([one.variance for one in series]),
        smallest_change=RATER_CHANGE * reference.span if is_rater else SMALLEST_CHANGES[chart],
        larger_change=reference.span if is_rater else None,
        prior_correlation=PRIOR_CORRELATIONS.get(chart, PRIOR_CORRELATION),
        threshold=threshold,
    )
