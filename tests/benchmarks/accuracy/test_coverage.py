"""Simulated accuracy: batches give what single fits give, a run is repeatable, the page holds every setting."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchmarks.accuracy import coverage as accuracy_coverage
from benchmarks.accuracy.coverage import SCHEMA, estimates, run
from benchmarks.accuracy.coverage_page import figures, judged, page, requirement
from benchmarks.accuracy.studies import Kind, Study, kinds, studies
from stats.accuracy import ESTIMATORS
from stats.simulate import FIGURES, SimulationSetting

SMALL = Kind("small", SimulationSetting(60, (0.6, 0.7, 0.8), (0.3, 0.9), 3), True)
MANY = Kind("many", SimulationSetting(40, (0.7,) * 6, (0.2, 0.8), 4), False)


def _drawn(kind: Kind, sets: int, seed: int = 3) -> list[Study]:
    return list(studies(kind, sets, np.random.default_rng(seed)))


def test_the_papers_settings_come_first() -> None:
    result = kinds()
    assert [kind.setting for kind in result if kind.paper] == list(FIGURES.values())
    assert len({(kind.name, kind.setting.n_items, kind.violated) for kind in result}) == len(result)
    assert all(kind.raters == pytest.approx(0.6) for kind in result if not kind.paper)
    assert sum(not kind.setting.ordered for kind in result) == 3


@pytest.mark.parametrize("kind", [SMALL, replace(SMALL, setting=replace(SMALL.setting, difficulty=0.2, ordered=False))])
def test_models_fitted_to_many_sets_at_once_give_what_single_fits_give(kind: Kind) -> None:
    assert kind.recurring
    for study in _drawn(kind, 3):
        rows = {row["method"]: row for row in estimates(study)}
        assert set(rows) >= {"average", "lehner", "binless", "attenuation", "one_coin", "pooled_free", "dawid_skene"}
        for method, row in rows.items():
            estimator = ESTIMATORS[method]
            patterns = study.patterns[estimator.by_rater]
            single = estimator.fit(patterns)
            assert row["estimate"] == pytest.approx(single.accuracy, abs=1e-3), method
            if method == "average":
                result = estimator.interval(patterns, single, 0.9, 0)
                assert (row["low"], row["high"]) == pytest.approx((result.low, result.high), abs=2e-3)
                assert row["low_95"] < row["low"] < row["high"] < row["high_95"]
                assert row["warnings"] == list(single.warnings)


def test_every_system_answers_in_every_set_where_patterns_recur() -> None:
    results = [(study.number, study.system) for study in _drawn(SMALL, 3)]
    assert sorted(results) == [(number, system) for number in range(3) for system in (0.3, 0.9)]


def test_systems_take_turns_where_patterns_seldom_recur() -> None:
    assert not MANY.recurring
    assert [(study.number, study.system) for study in _drawn(MANY, 3)] == [(0, 0.2), (1, 0.8), (2, 0.2)]


def test_a_study_has_the_items_of_its_setting() -> None:
    for study in _drawn(SMALL, 2):
        assert {patterns.n_items.sum() for patterns in study.patterns.values()} == {60}
        assert study.truth == pytest.approx(study.system)


def test_raters_no_better_than_chance_give_no_estimate() -> None:
    hopeless = Kind("hopeless", SimulationSetting(10, (0.2, 0.2), (0.5,), 5), False)
    rows = [row for study in _drawn(hopeless, 20) for row in estimates(study)]
    without = [row for row in rows if row["estimate"] is None]
    assert without
    assert all(row.get("low") is None for row in without)
    assert {row["method"] for row in without} >= {"average", "lehner", "one_coin"}


def test_the_same_seed_gives_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy_coverage, "kinds", lambda: [SMALL])
    assert run((0, 2)).equals(run((0, 2)))


def _rows(**of_method: list[tuple[float, float, float]]) -> pl.DataFrame:
    """Estimate, low and high of each method around a truth of .8, one setting each."""
    rows = [
        dict.fromkeys(SCHEMA)
        | {"setting": number, "set": 0, "system": 0.8, "truth": 0.8, "method": method, "warnings": []}
        | {"estimate": estimate, "low": low, "high": high, "low_95": low, "high_95": high}
        for method, result in of_method.items()
        for number, (estimate, low, high) in enumerate(result)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def test_what_the_default_has_to_keep_is_taken_over_the_right_settings() -> None:
    poor = replace(SMALL, setting=replace(SMALL.setting, raters=(0.4, 0.4, 0.4)))
    result = _rows(
        average=[(0.83, 0.7, 0.9), (0.9, 0.85, 0.95), (0.2, 0.1, 0.3)],
        lehner=[(0.9, 0.7, 0.9), (0.2, 0.1, 0.3), (0.1, 0.0, 0.2)],
    )
    other = Kind("other", SMALL.setting, False)
    kept = requirement(judged(result, [SMALL, other, poor]))
    assert kept["ratio"] == pytest.approx(((0.03**2 + 0.6**2) / (0.1**2 + 0.7**2)) ** 0.5)
    assert (kept["lowest"], kept["highest"], kept["pooled"], kept["settings"]) == (0, 1, 0.5, 2)


def test_undefined_estimates_are_counted_and_left_out() -> None:
    result = _rows(average=[(0.9, 0.7, 0.95)]).with_columns(pl.col("estimate"))
    none = result.with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("estimate", "low", "high"))
    row = figures(judged(pl.concat([result, none]), [SMALL]), ["setting"]).row(0, named=True)
    assert (row["n"], row["undefined"], row["without"], row["coverage"]) == (2, 1, 0, 1)
    assert row["bias"] == pytest.approx(0.1)


def test_the_page_holds_every_setting_and_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [SMALL, replace(SMALL, name="second", paper=False)]
    monkeypatch.setattr(accuracy_coverage, "kinds", lambda: some)
    text = page(pl.concat([run((0, 2)), run((1, 2))]), some, 20)
    assert text.startswith("<!-- Written by")
    assert "| small | 60 | 0.7 | no | 4 |" in text
    assert "| second | 60 | 0.7 | no | 4 |" in text
    for gone in ("None", "nan", "NaN"):
        assert gone not in text
