"""Replays of six months against an independent implementation, where the shared folder lies beside the checkout."""

import importlib.util
import json
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from stats.monitoring import ChartHistory, DailyCounts, QuestionCharts, day_sums, fit_reference, question_charts

SHARED = Path(os.environ.get("KAPPAFLOW_SHARED", Path(__file__).parents[4] / "shared"))
FILE, SCRIPT = SHARED / "data" / "oracle" / "monitoring_cases.json", SHARED / "monitoring" / "six_months.py"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text())["cases"] if FILE.exists() and SCRIPT.exists() else []
NAMES = {"rater labels": "rater_labels", "rater speed": "rater_speed"}
Count = Callable[[list[dict[str, Any]], list[str]], DailyCounts]

pytestmark = pytest.mark.skipif(not CASES, reason="no replays beside the checkout, nor in KAPPAFLOW_SHARED")


@pytest.fixture(scope="module")
def six_months() -> ModuleType:
    spec = importlib.util.spec_from_file_location("six_months", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(
    scope="module", params=CASES, ids=lambda case: f"{case['seed']}-{case['quiet_world']}-{case['recovers']}"
)
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(request.param)


@pytest.fixture(scope="module")
def counts(case: dict[str, Any], six_months: ModuleType, count_days: Count) -> DailyCounts:
    rows, _ = six_months.world(case["seed"], case["quiet_world"], case["recovers"])
    by_time = sorted(rows, key=lambda row: str(row[4]))
    ratings = [
        {
            "item": item,
            "rater": rater,
            "kind": kind,
            "label": label,
            "day": date.fromisoformat(rated_at[:10]),
            "duration": float(duration) if duration else None,
            "version": version or None,
        }
        for item, rater, kind, label, rated_at, duration, version, _ in by_time
    ]
    return count_days(ratings, six_months.LABELS)


@pytest.fixture(scope="module")
def charts(counts: DailyCounts) -> QuestionCharts:
    return question_charts(counts)


def history_of(charts: QuestionCharts, name: str) -> ChartHistory:
    """Find the group of a chart by its name, such as `label X`, `rater R labels`, `rater R label X` or `system S`."""
    words = name.replace(" labels", " label").split()
    kind = {"label": "labels", "labels": "labels"}.get(words[0], words[0])
    subject = words[1] if kind in ("rater", "system") else None
    if kind == "rater" and len(words) > 2:
        kind = {"label": "rater_labels", "speed": "rater_speed"}[words[2]]
    return next(h for h in charts.histories if (h.group.chart, h.group.subject) == (kind, subject))


def test_reference_and_items(case: dict[str, Any], counts: DailyCounts, charts: QuestionCharts) -> None:
    assert charts.reference is not None
    assert charts.reference.period.n_days == case["reference_days"]
    assert charts.reference.period.last.isoformat() == case["reference_last_day"]
    assert counts.items["n_items"].sum() == case["n_items"]
    assert counts.items["day"].n_unique() == case["n_days"]


def test_charts(case: dict[str, Any], charts: QuestionCharts) -> None:
    for expected in case["charts"]:
        group = history_of(charts, expected["name"]).group
        s = group.labels.index(expected["name"].split()[-1]) if group.labels else 0
        assert group.levels[s] == pytest.approx(expected["level"], abs=6e-10)
        assert group.variances[s] == pytest.approx(expected["variance"], abs=6e-10)
        assert group.smallest_change == pytest.approx(expected["smallest_change"], abs=6e-9)
        assert (group.larger_change or 0) == pytest.approx(expected["larger_change"], abs=6e-9)
        assert group.prior_correlation == expected["prior_correlation"]
        assert group.threshold == expected["threshold"]
        assert group.n_items.sum() == expected["n_items"]
        assert group.score_sums[s].sum() == round(expected["score_sum"] * 1e6)
        assert group.direction in (expected["direction"], "both")


def test_other_coefficients(case: dict[str, Any], counts: DailyCounts, charts: QuestionCharts) -> None:
    assert charts.reference is not None
    for expected in case["other_agreement_scores"]:
        reference = fit_reference(counts, period=charts.reference.period, coefficient=expected["name"])
        sums = day_sums(counts, reference=reference).filter(chart="agreement")
        series = next(series for series in reference.series if series.chart == "agreement")
        assert series.level == pytest.approx(expected["level"], abs=6e-10)
        assert series.variance == pytest.approx(expected["variance"], abs=6e-10)
        assert sums["n_items"].sum() == expected["n_items"]
        assert sums["score_sum"].sum() == round(expected["score_sum"] * 1e6)


def test_statistic(case: dict[str, Any], charts: QuestionCharts) -> None:
    for name, values in case["statistic"].items():
        history = history_of(charts, name)
        for day, expected in values.items():
            look = int(np.searchsorted(history.group.days, np.datetime64(day), side="right")) - 1
            assert history.statistic[look] == pytest.approx(expected, rel=1e-6), (name, day)


def test_alarms(case: dict[str, Any], charts: QuestionCharts) -> None:
    alarms = [alarm.to_json() for alarm in charts.alarms]
    assert len(alarms) == len(case["alarms"])
    for expected in case["alarms"]:
        kind, subject = expected["kind"].replace(" ", "_"), history_of(charts, expected["name"]).group.subject
        alarm = next(alarm for alarm in alarms if (alarm["chart"], alarm["subject"]) == (kind, subject))
        dates = {"opened_on": "opened", "changed_on": "change", "changed_low": "low", "changed_high": "high"}
        same = {**dates, "closed_on": "closed", "n_items": "items", "direction": "direction"}
        assert {ours: alarm[ours] for ours in same} == {ours: expected[theirs] for ours, theirs in same.items()}
        assert alarm["before"] == pytest.approx(expected["before"], abs=6e-10)
        assert alarm["after"] == pytest.approx(expected["after"], abs=6e-10)
        assert alarm["statistic"] == pytest.approx(expected["M"], rel=1e-6)


def test_versions(case: dict[str, Any], charts: QuestionCharts) -> None:
    assert len(charts.versions) == len(case["versions"])
    for version, expected in zip(charts.versions, case["versions"], strict=True):
        assert (version.system, version.version, version.verdict) == (
            expected["system"],
            expected["version"],
            expected["verdict"],
        )
        assert version.decided_on.isoformat() == expected["day"]
        assert version.difference == pytest.approx(expected["difference"], rel=1e-9)
        assert version.se == pytest.approx(expected["se"], rel=1e-9)
        assert version.e == pytest.approx(expected["e"], rel=1e-9)


def test_a_run_up_to_a_day_shows_what_the_full_run_shows(
    case: dict[str, Any], counts: DailyCounts, charts: QuestionCharts
) -> None:
    if case["seed"] > 4:
        pytest.skip("one replay with closings is enough")
    days = counts.items["day"].unique().sort()
    for day in (days[59], days[99]):
        early = question_charts(counts.between(days[0], day))
        for history, full in zip(early.histories, charts.histories, strict=True):
            assert (history.statistic == full.statistic[: len(history.statistic)]).all()
            known = [alarm for alarm in full.alarms if alarm.opened_on <= day]
            assert [alarm.opened_on for alarm in history.alarms] == [alarm.opened_on for alarm in known]
