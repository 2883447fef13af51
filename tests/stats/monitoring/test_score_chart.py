"""The agreement chart of answers that are no labels, from a score of each item."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from stats.monitoring import AlarmBudget, DailyCounts, ReferenceSettings, question_charts, score_chart

FIRST = date(2026, 1, 5)


def scores_of(rng: np.random.Generator, right: list[float], n_items: int = 20) -> pl.DataFrame:
    """Scores of items by day: the share of five spans that two raters have in common."""
    rows = [
        (FIRST + timedelta(days=day), rng.binomial(5, share) / 5)
        for day, share in enumerate(right)
        for _ in range(n_items)
    ]
    return pl.DataFrame(rows, schema=["day", "score"], orient="row")


def test_the_chart_of_equal_pairs_is_that_of_percent_agreement() -> None:
    rng = np.random.default_rng(3)
    rows = []
    for item in range(1500):
        for rater in ("ann", "bob", "carl"):
            right = rng.random() < (0.9 if item < 1000 else 0.6)
            rows.append((item, rater, "no" if right else "yes"))
    ratings = pl.DataFrame(rows, schema=["pattern", "rater", "label"], orient="row")
    days = ratings.select("pattern").unique(maintain_order=True)
    days = days.with_columns(day=pl.lit(FIRST) + pl.duration(days=pl.col("pattern") // 20))
    settings = ReferenceSettings(coefficient="percent_agreement")
    counts = DailyCounts(labels=("no", "yes"), items=days.with_columns(n_items=1), ratings=ratings)
    of_labels = next(each for each in question_charts(counts, settings=settings).histories if not each.group.labels)
    n_yes = ratings.group_by("pattern").agg((pl.col("label") == "yes").sum().alias("n")).join(days, on="pattern")
    equal = n_yes.select("day", score=pl.when(pl.col("n").is_in([0, 3])).then(1.0).otherwise(1 / 3))
    history = score_chart(equal).history
    assert history is not None
    assert history.group.chart == of_labels.group.chart == "agreement"
    assert history.group.threshold == of_labels.group.threshold
    np.testing.assert_allclose(history.group.means, of_labels.group.means, atol=1e-6)
    np.testing.assert_allclose(history.group.variances, of_labels.group.variances, rtol=1e-5)
    assert len(history.alarms) == 1
    assert [alarm.opened_on for alarm in history.alarms] == [alarm.opened_on for alarm in of_labels.alarms]
    assert [alarm.changed_on for alarm in history.alarms] == [alarm.changed_on for alarm in of_labels.alarms]


@pytest.mark.parametrize("seed", range(5))
def test_a_drop_is_found_and_steady_work_raises_no_alarm(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steady = score_chart(scores_of(rng, [0.85] * 120)).history
    assert steady is not None
    assert steady.alarms == ()
    history = score_chart(scores_of(rng, [0.85] * 60 + [0.65] * 20)).history
    assert history is not None
    (alarm,) = history.alarms
    assert alarm.direction == "down"
    assert alarm.changed_low <= FIRST + timedelta(days=60) <= alarm.changed_high
    assert alarm.opened_on >= FIRST + timedelta(days=60)


def test_the_reference_and_the_budget_are_those_of_the_settings() -> None:
    scores = scores_of(np.random.default_rng(1), [0.9] * 30)
    settings = ReferenceSettings(n_items=50, n_days=2, start=FIRST + timedelta(days=5))
    chart = score_chart(scores, settings=settings, budget=AlarmBudget(false_alarms_per_year=2))
    assert chart.period is not None
    assert chart.history is not None
    assert (chart.period.first, chart.period.n_items) == (FIRST + timedelta(days=5), 60)
    assert chart.history.group.n_reference == 3
    assert chart.history.group.threshold == AlarmBudget(false_alarms_per_year=2).threshold("agreement")


def test_too_few_items_are_a_reason() -> None:
    chart = score_chart(scores_of(np.random.default_rng(1), [0.9] * 3))
    assert (chart.period, chart.history) == (None, None)
    assert chart.missing is not None
    assert chart.missing.reason == "too_few_items"
    assert chart.missing.detail.endswith("so far there are 60 on 3.")
    assert score_chart(scores_of(np.random.default_rng(1), [])).history is None
