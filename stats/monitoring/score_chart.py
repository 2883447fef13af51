"""Draw the agreement chart of questions whose answers are no labels, from a score of each item."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.monitoring.chart_group import MIN_VARIANCE, UNIT, ChartGroup
from stats.monitoring.chart_groups import DIRECTIONS, PRIOR_CORRELATION, SMALLEST_CHANGES
from stats.monitoring.chart_history import ChartHistory
from stats.monitoring.detector import run_detector
from stats.monitoring.question_charts import ReferenceSettings, too_few
from stats.monitoring.question_reference import MissingChart
from stats.monitoring.reference_period import ReferencePeriod
from stats.monitoring.thresholds import AlarmBudget

CHART = "agreement"


@dataclass(frozen=True)
class ScoreChart:
    """A chart and its reference days. Where there is no chart, both are None, and `missing` gives the reason."""

    period: ReferencePeriod | None
    history: ChartHistory | None
    missing: MissingChart | None


def score_chart(
    scores: pl.DataFrame, *, settings: ReferenceSettings | None = None, budget: AlarmBudget | None = None
) -> ScoreChart:
    """Draw the chart of the mean score of each day, as the agreement chart of labels is drawn.

    `scores` has one row per item: day, and score, the agreement on the item, at most 1. The smallest change to be found
    is a drop of .15. The same scores always give the same chart.

    >>> from datetime import date, timedelta
    >>> days = [date(2026, 1, 5) + timedelta(days=i // 20) for i in range(1600)]
    >>> chance = np.random.default_rng(1)
    >>> values = [chance.binomial(5, 0.9 if i < 1000 else 0.6) / 5 for i in range(1600)]
    >>> chart = score_chart(pl.DataFrame({"day": days, "score": values}))
    >>> [(str(alarm.changed_on), str(alarm.opened_on)) for alarm in chart.history.alarms]
    [('2026-02-24', '2026-02-27')]
    """
    settings = settings or ReferenceSettings()
    by_day = (
        scores.group_by("day")
        .agg(n_items=pl.len().cast(pl.Int64), score_sum=(pl.col("score") * UNIT).round().cast(pl.Int64).sum())
        .sort("day")
    )
    period = settings.period(by_day)
    if period is None:
        return ScoreChart(None, None, too_few(by_day, settings))
    reference = scores.filter(pl.col("day").is_between(period.first, period.last))["score"].to_numpy()
    looks = by_day.filter(pl.col("day") >= period.first)
    days = looks["day"].to_numpy().astype("datetime64[D]")
    group = ChartGroup(
        chart=CHART,
        subject=None,
        days=days,
        n_items=looks["n_items"].to_numpy(),
        score_sums=looks["score_sum"].to_numpy().reshape(1, -1),
        n_reference=int((days <= np.datetime64(period.last)).sum()),
        labels=(),
        direction=DIRECTIONS[CHART],
        levels=np.array([reference.mean()]),
        variances=np.array([max(reference.var(ddof=1) if len(reference) > 1 else 0.0, MIN_VARIANCE)]),
        smallest_change=SMALLEST_CHANGES[CHART],
        larger_change=None,
        prior_correlation=PRIOR_CORRELATION,
        threshold=(budget or AlarmBudget()).threshold(CHART),
    )
    (history,) = run_detector([group])
    return ScoreChart(period, history, None)
