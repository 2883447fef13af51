"""The planner against simulated charts, and its limits."""

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest

from stats.errors import StatsError
from stats.monitoring import (
    AlarmBudget,
    ChartGroup,
    agreement_variance,
    plan_alarm,
    rater_variance,
    run_detector,
    system_variance,
)

PLAN: dict[str, Any] = {
    "variance": 0.11,
    "drop": 0.15,
    "smallest_change": 0.15,
    "threshold": 1000,
    "items_per_day": 20,
    "items_before": 5000,
    "correlation": 0.0,
}


def test_simulated_charts_need_about_as_many_items() -> None:
    """The measured 80 % figure lies within .7 and 1.5 of the plan, the median likewise."""
    rng, before, after, n, s2 = np.random.default_rng(3), 100, 60, 20, 0.11
    x = 0.6 + rng.normal(0, sqrt(s2 / n), (300, before + after))
    x[:, before:] -= 0.15
    days = np.datetime64("2026-01-05") + np.arange(before + after) * np.timedelta64(1, "D")
    group = ChartGroup(
        "agreement", None, days, np.full(before + after, n), np.zeros((1, before + after), np.int64), 20, (), "down",
        np.array([0.6]), np.array([s2]), 0.15, None, 0.03, 1000.0,
    )  # fmt: skip
    groups = [replace(group, score_sums=np.rint(row * n * 1e6).astype(np.int64)[None]) for row in x]
    first = days[before].astype(object)
    items = []
    for history in run_detector(groups):
        late = [alarm for alarm in history.alarms if alarm.opened_on >= first]
        items.append(((late[0].opened_on - first).days + 1) * n if late else np.inf)
    plan = plan_alarm(**PLAN | {"items_before": before * n})
    assert plan.median_items is not None
    assert plan.items_80 is not None
    assert 0.7 < np.quantile(items, 0.5, method="higher") / plan.median_items < 1.5
    assert 0.7 < np.quantile(items, 0.8, method="higher") / plan.items_80 < 1.5


def test_no_method_finds_it() -> None:
    """The case that the design names: 3 raters, 2 labels, kappa .4 to .6, 5 % false alarms in 300 looks."""
    for kappa in (0.4, 0.5, 0.6):
        plan = plan_alarm(
            **PLAN | {"variance": agreement_variance(2, 3, kappa), "threshold": 6000, "correlation": 0.02},
            within_items=200,
        )
        assert plan.power is not None
        assert plan.best_power is not None
        assert plan.power <= plan.best_power < 0.8
        assert "No method" in plan.warnings[0]


def test_a_wish_that_can_be_met() -> None:
    plan = plan_alarm(**PLAN, within_items=200)
    assert plan.power is not None
    assert plan.power > 0.8
    assert plan.warnings == ()
    assert plan.to_json()["warnings"] == []


def test_more_false_alarms_find_it_sooner() -> None:
    items = [plan_alarm(**PLAN | {"threshold": A}).items_80 for A in (100, 1000, 10_000)]
    assert items == sorted(items, key=lambda n: n or 0)
    assert plan_alarm(**PLAN).false_alarms_per_year == 0.25
    assert AlarmBudget().threshold("agreement") == PLAN["threshold"]


def test_a_larger_change_helps_with_large_drops() -> None:
    both = plan_alarm(**PLAN | {"drop": 0.5, "larger_change": 0.5, "items_per_day": 1})
    result = plan_alarm(**PLAN | {"drop": 0.5, "items_per_day": 1})
    assert both.items_80 is not None
    assert result.items_80 is not None
    assert both.items_80 < result.items_80


def test_a_drop_that_is_too_small() -> None:
    plan = plan_alarm(**PLAN | {"drop": 0.075})
    assert (plan.median_items, plan.items_80, plan.reason) == (None, None, "not_applicable")


def test_too_short_a_past() -> None:
    plan = plan_alarm(**PLAN | {"items_before": 60})
    assert plan.median_items is None
    assert plan.reason == "too_few_items"
    assert plan.detail is not None
    assert "The items before the change (60)" in plan.detail


@pytest.mark.parametrize(
    "changes",
    [
        {"variance": 0},
        {"drop": -0.1},
        {"threshold": 1},
        {"correlation": 1},
        {"items_per_day": 0},
        {"looks_per_year": 0},
    ],
)
def test_errors(changes: dict[str, Any]) -> None:
    with pytest.raises(StatsError):
        plan_alarm(**PLAN | changes)


def test_variances_by_hand() -> None:
    """Three raters, two labels, kappa .6: all three agree in .7 of the items, else a third of the pairs."""
    assert agreement_variance(2, 3, 0.6) == pytest.approx(0.7 * 0.3 * (2 / 3) ** 2 / 0.25)
    # the two others agree (.8): the rater agrees with both (.7) or none (.1); else one of two agrees and nobody else
    mean = 0.0
    assert rater_variance(2, 3, 0.6) == pytest.approx(0.1 * 1 + 0.2 * 0.5**2 - mean)


def test_a_system_without_doubt_about_the_truth() -> None:
    assert system_variance(4, 40, 0.8, 0.9) == pytest.approx(0.09, rel=1e-3)
