"""Thresholds from the false alarms that a user accepts."""

import pytest

from stats.errors import StatsError
from stats.monitoring import CHART_SHARES, AlarmBudget, project_alarms


def test_printed_thresholds() -> None:
    budget = AlarmBudget(false_alarms_per_year=1, looks_per_year=250)
    assert budget.threshold("agreement") == 1000
    assert budget.threshold("rater", n_raters=5) == 10_000
    assert budget.threshold("rater_labels", n_raters=5) == budget.threshold("rater_speed", n_raters=5) == 20_000
    assert budget.threshold("system", n_systems=2) == 2000


@pytest.mark.parametrize("budget", [AlarmBudget(), AlarmBudget(0.3, 52), AlarmBudget(12, 365)])
def test_the_charts_together_keep_the_promise(budget: AlarmBudget) -> None:
    n_raters, n_systems = 7, 3
    yearly = 0.0
    for chart in CHART_SHARES:
        copies = n_raters if chart.startswith("rater") else n_systems if chart == "system" else 1
        yearly += copies * budget.looks_per_year / budget.threshold(chart, n_raters=n_raters, n_systems=n_systems)
    assert yearly == pytest.approx(budget.false_alarms_per_year)


def test_questions_add_up() -> None:
    assert project_alarms([AlarmBudget(1), AlarmBudget(0.5)]) == 1.5


def test_errors() -> None:
    with pytest.raises(StatsError, match="false_alarms_per_year is above 0"):
        AlarmBudget(false_alarms_per_year=0)
    with pytest.raises(StatsError, match="No chart is called"):
        AlarmBudget().threshold("versions")
