"""Plans of alarms: figures by hand, limits of what can be planned."""

from math import ceil, log, sqrt
from typing import Any

import pytest
from scipy.special import ndtr, ndtri

from stats.errors import StatsError
from tasks.errors import InputError
from tasks.single_file.plan_alarms import ALARMS, AlarmDesign, plan_alarms

BINARY: dict[str, Any] = {"alarm": "agreement", "n_labels": 2, "n_raters": 3, "kappa": 0.6}


def by_hand(*, unit: float, drop: float, delta: float, threshold: float, before: int, z: float) -> float:
    """Items until log L reaches log A - log 2, in the share of cases that z stands for.

    log L is normal with mean (delta D - delta^2 / 2) / V and variance delta^2 / V, V = unit / n + unit / before.
    """
    target, drift = log(threshold) - log(2), delta * drop - delta**2 / 2
    root = (z * delta + sqrt((z * delta) ** 2 + 4 * drift * target)) / (2 * drift)  # 1 / sqrt(V)
    return unit / (1 / root**2 - unit / before)


def test_agreement_by_hand() -> None:
    """Three raters, two labels, kappa .6: all agree in .7 of the items, else a third of the pairs does; 1 - Pe = .5."""
    variance = 0.7 * 0.3 * (2 / 3) ** 2 / 0.25
    plan = plan_alarms(AlarmDesign(**BINARY, items_before=5000))
    assert plan["score_variance"] == pytest.approx(variance)
    assert (plan["threshold"], plan["chart_alarms_per_year"], plan["drop"]) == (1000, 0.25, 0.15)
    unit = variance * (1 + 0.03 * 19)
    for share, items, days in ((0.5, "median_items", "median_days"), (0.8, "items_80", "days_80")):
        n = by_hand(unit=unit, drop=0.15, delta=0.15, threshold=1000, before=5000, z=float(ndtri(share)))
        assert plan[days] == ceil(n / 20)
        assert plan[items] == 20 * plan[days]
    assert (plan["median_items"], plan["items_80"]) == (360, 580)


def test_a_rater_by_hand() -> None:
    """The others agree in .8: the rater with both (.7) or none (.1), else with one of two who disagree (.2)."""
    plan = plan_alarms(AlarmDesign(**BINARY | {"alarm": "rater"}, n_annotators=6, items_per_day=40, items_before=4000))
    assert plan["score_variance"] == pytest.approx(0.1 + 0.2 * 0.5**2)
    assert plan["largest_drop"] == pytest.approx(0.8 - 0.5)
    assert plan["drop"] == plan["smallest_change"] == pytest.approx(0.3 * 0.3)
    assert plan["threshold"] == 250 * 6 / (1 / 8)
    assert (plan["items_per_day"], plan["items_before"], plan["correlation"]) == (20, 2000, 0.01)
    unit, items = plan["score_variance"] * (1 + 0.01 * 19), []
    for delta in (0.09, 0.3):  # two changes are sought, each with half the weight
        if delta * 0.09 > delta**2 / 2:
            items.append(by_hand(unit=unit, drop=0.09, delta=delta, threshold=2 * 12_000, before=2000, z=0.0))
    assert plan["median_items"] == 20 * ceil(min(items) / 20)


def test_best_possible_by_hand() -> None:
    """A test at a known day against a known level: sqrt(n) D / sd against the normal quantile of its false alarms."""
    plan = plan_alarms(AlarmDesign(**BINARY, within=200))
    unit = plan["score_variance"] * (1 + 0.03 * 19)

    def best(n: float) -> float:
        return float(ndtr(0.15 / sqrt(unit / n) - ndtri(1 - n / 20 / 1000)))

    assert plan["best_power"] == pytest.approx(best(200))
    assert best(plan["best_items_80"] - 20) < 0.8 <= best(plan["best_items_80"])


@pytest.mark.parametrize("kappa", [0.4, 0.5, 0.6])
def test_no_method_finds_it(kappa: float) -> None:
    """3 raters, 2 labels: a drop of .15 in 200 items with 5 % false alarms in 300 looks, which is A = 6,000."""
    design = AlarmDesign(
        **BINARY | {"kappa": kappa}, within=200, false_alarms_per_year=1 / 6, correlation=0.0, items_before=5000
    )
    plan = plan_alarms(design)
    assert plan["threshold"] == pytest.approx(6000)
    assert plan["power"] < plan["best_power"] < 0.8
    assert plan["warnings"][0].startswith("No method finds a drop of 0.15 within 200 items in 80 % of cases")
    assert plan["items_80"] > plan["best_items_80"] > 200


@pytest.mark.parametrize("alarm", ALARMS)
def test_more_false_alarms_find_it_sooner_and_no_chart_beats_the_best(alarm: str) -> None:
    for kappa, drop in ((0.4, None), (0.8, None), (0.6, 0.25)):
        plan = plan_alarms(AlarmDesign(**BINARY | {"alarm": alarm, "kappa": kappa}, drop=drop, items_before=10_000))
        items = [row["items_80"] for row in plan["budgets"]]
        assert items == sorted(items, reverse=True)
        assert [row["false_alarms_per_year"] for row in plan["budgets"]] == [0.25, 0.5, 1, 2, 4]
        assert plan["best_items_80"] <= plan["items_80"]
        assert plan["budgets"][2].items() <= plan.items()


def test_systems_share_and_questions_add_up() -> None:
    plan = plan_alarms(AlarmDesign(**BINARY | {"alarm": "system"}, n_systems=2, n_questions=10))
    assert (plan["threshold"], plan["project_alarms_per_year"]) == (2000, 10)
    assert (plan["drop"], plan["level"]) == (0.1, 0.9)


def test_what_is_not_found_says_why() -> None:
    half = plan_alarms(AlarmDesign(**BINARY, drop=0.07))
    assert (half["median_items"], half["days_80"], half["reason"]) == (None, None, "not_applicable")
    short = plan_alarms(AlarmDesign(**BINARY, items_before=100))
    assert (short["items_80"], short["reason"]) == (None, "too_few_items")
    assert "here 400 items" in short["warnings"][0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"alarm": "speed"}, "Use one of agreement, rater, system."),
        ({"alarm": "rater", "n_raters": 2}, "two raters"),
        ({"alarm": "rater", "n_annotators": 2}, "2 annotators cannot be 3 raters"),
        ({"alarm": "system", "system_accuracy": 1.5}, "system_accuracy lies between 0 and 1"),
        ({"n_labels": 1}, "n_labels lies between 2 and 50, found 1"),
        ({"n_raters": 41}, "n_raters lies between 2 and 40, found 41"),
        ({"kappa": 1.0}, "kappa lies between 0 and 1"),
        ({"drop": 0.7}, "--drop 0.7 is too large: 0.60 is the most"),
        ({"drop": -0.1}, "drop is above 0"),
        ({"within": 0}, "within_items is 1 or more"),
        ({"items_per_day": 0}, "items_per_day is 1 or more"),
        ({"n_questions": 0}, "--n-questions must be 1 or more"),
        ({"false_alarms_per_year": 0}, "false_alarms_per_year is above 0"),
        ({"false_alarms_per_year": 600}, "Allow fewer false alarms"),
        ({"correlation": 1.0}, "correlation of a day's items"),
    ],
)
def test_what_cannot_be_planned(changes: dict[str, Any], words: str) -> None:
    with pytest.raises((InputError, StatsError)) as error:
        plan_alarms(AlarmDesign(**BINARY | changes))
    assert words in f"{error.value} {getattr(error.value, 'hint', '')}"


@pytest.mark.parametrize("within", [15, 39, 50, 60, 119, 200])
def test_the_share_within_some_items_fits_the_items_of_most_cases(within: int) -> None:
    result = plan_alarms(AlarmDesign(alarm="agreement", n_labels=5, n_raters=6, kappa=0.6, drop=0.3, within=within))
    for row in result["budgets"]:
        assert (row["items_80"] <= within) is (row["power"] >= 0.8)
