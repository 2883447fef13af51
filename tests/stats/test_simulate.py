"""The paper's experiments against its printed figures, and simulated ratings for a demo."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import ESTIMATORS, accuracy, plan, summary
from stats.errors import StatsError
from stats.simulate import FIGURES, PRINTED_KAPPA, SimulationSetting, simulate, simulate_ratings
from stats.simulation.confusion_matrices import confusion_matrix
from stats.simulation.draws import distinct_rows, patterns_with_system, split_studies

FACTS: dict[str, Any] = tomllib.loads((Path(__file__).parents[1] / "data" / "golden" / "lehner.toml").read_text())
# Figures of an independent implementation, where the team's shared folder lies beside the checkout.
CASES = Path(__file__).parents[3] / "shared" / "data" / "oracle" / "accuracy_cases.json"


def mean(frame: pl.DataFrame, column: str) -> float:
    result = frame[column].mean()
    assert isinstance(result, float)
    return result


def means(frame: pl.DataFrame) -> dict[float, float]:
    """Mean estimate by system level."""
    return dict(frame.group_by("system_accuracy").agg(pl.col("estimate").mean()).rows())


@pytest.fixture(scope="module")
def third() -> pl.DataFrame:
    return simulate(FIGURES[3], runs=400, seed=7)


def test_columns_and_rows(third: pl.DataFrame) -> None:
    named = "run system_accuracy method kappa expected_accuracy in_sample_accuracy estimate"
    assert third.columns == named.split()
    assert third.height == 400 * 5
    assert third["method"].unique().to_list() == ["lehner"]
    assert third.select("run", "system_accuracy").is_duplicated().sum() == 0
    # one set of raters serves all systems of a run
    assert third.group_by("run").agg(pl.col("kappa").n_unique())["kappa"].unique().to_list() == [1]


def test_without_violations_the_expected_accuracy_is_the_level(third: pl.DataFrame) -> None:
    assert (third["expected_accuracy"] - third["system_accuracy"]).abs().max() < 1e-9  # type: ignore[operator]
    gap = third["in_sample_accuracy"] - third["expected_accuracy"]
    assert gap.std() == pytest.approx(np.sqrt(np.mean([p * (1 - p) for p in FIGURES[3].systems]) / 200), rel=0.05)


def test_bias_of_small_samples_is_the_known_one(third: pl.DataFrame) -> None:
    """Lehner calls his estimates unbiased; clipping of bins makes .9 into .862 with 200 items and .816 with 50."""
    assert means(third)[0.9] == pytest.approx(0.862, abs=0.01)
    assert means(simulate(FIGURES[6], runs=800, seed=1))[0.9] == pytest.approx(0.816, abs=0.012)


@pytest.mark.parametrize("figure", range(1, 15))
def test_kappa_of_every_figure_is_the_printed_one(figure: int) -> None:
    printed = FACTS["figures"]["kappa"][figure - 1]
    setting = replace(FIGURES[figure], systems=(0.5,))
    runs = 60 if setting.n_items == 5000 else 400
    result = simulate(setting, runs=runs, seed=figure)
    spread = result["kappa"].std()
    assert isinstance(spread, float)
    # the printed mean is over 50 runs, and its violated settings leave room for how errors were drawn
    allowed = 3.5 * spread * (1 / 50 + 1 / runs) ** 0.5
    assert mean(result, "kappa") == pytest.approx(printed, abs=allowed)
    assert PRINTED_KAPPA[figure] == printed


def test_levels_and_raters_of_the_violated_figures() -> None:
    result = simulate(FIGURES[8], runs=10, seed=3)
    expected = dict(result.group_by("system_accuracy").agg(pl.col("expected_accuracy").mean()).rows())
    assert expected[0.1] == pytest.approx(FACTS["figures"]["lowest_level"], abs=5e-5)
    assert expected[0.9] == pytest.approx(FACTS["figures"]["highest_level"], abs=5e-5)
    assert expected[0.5] == pytest.approx(0.5, abs=1e-6)
    accuracy_of_raters = (1 + 4 * mean(result, "kappa") ** 0.5) / 5
    assert accuracy_of_raters == pytest.approx(FACTS["figures"]["rater_accuracy_of_8"], abs=0.005)


@pytest.mark.parametrize(
    ("name", "change", "tolerance"),
    [
        ("unequal_raters", {"raters": (0.4, 0.6, 0.8)}, 0.010),
        ("error_range", {"error_range": 1.0}, 0.015),
        ("asymmetry", {"asymmetry": 2.0}, 0.013),
        ("difficulty_estimate", {"difficulty": 0.2, "system_difficulty": 0.1}, 0.006),
    ],
)
def test_single_violations(name: str, change: dict[str, Any], tolerance: float) -> None:
    setting = replace(SimulationSetting(10_000, (0.6, 0.6, 0.6), systems=(0.9,)), **change)
    result = simulate(setting, runs=50, seed=4)
    printed = FACTS["single_violations"][name]
    right = printed if name == "difficulty_estimate" else 0.9 + printed
    assert mean(result, "expected_accuracy") == pytest.approx(0.9, abs=1e-5)
    assert mean(result, "estimate") == pytest.approx(right, abs=tolerance)


def test_the_seed_decides() -> None:
    result, again, other = (simulate(FIGURES[13], runs=3, seed=seed) for seed in (1, 1, 2))
    assert result.equals(again)
    assert not result.equals(other)


def test_undefined_estimates_are_null() -> None:
    result = simulate(replace(FIGURES[5], n_items=10), runs=100, seed=1)
    assert result["estimate"].null_count() > 0
    assert result["estimate"].is_nan().sum() == 0
    below = result.filter(pl.col("kappa") <= 0)
    assert below["estimate"].null_count() == below.height


def test_portions_of_runs_make_one_frame() -> None:
    result = simulate(SimulationSetting(40_000, (0.6, 0.6), systems=(0.5,)), runs=5, seed=1)
    assert result["run"].to_list() == [0, 1, 2, 3, 4]


def test_simulation_agrees_with_accuracy_on_the_same_ratings() -> None:
    rng = np.random.default_rng(9)
    frame = simulate_ratings(
        n_items=3000,
        labels=list("ABC"),
        raters={"a": 0.8, "b": 0.6, "c": 0.7},
        systems={"s": 0.9, "t": 0.5},
        rng=rng,
    )
    right = frame.group_by("rater").agg((pl.col("label") == pl.col("truth")).mean())
    share = dict(right.rows())
    assert share == pytest.approx({"a": 0.8, "b": 0.6, "c": 0.7, "s": 0.9, "t": 0.5}, abs=0.04)
    assert frame.columns == ["item", "rater", "label", "truth"]
    assert frame.group_by("item").agg(pl.col("truth").n_unique())["truth"].max() == 1
    ratings = frame.drop("truth")
    result = accuracy(ratings, systems=["s", "t"], labels=list("ABC"), methods=["lehner"])
    assert result["accuracy"].to_list() == pytest.approx([0.9, 0.5], abs=0.08)


def test_difficulty_is_shared_by_raters() -> None:
    """With shared difficulty raters agree more often than their accuracies alone make them."""
    rng, agreement = np.random.default_rng(4), []
    for difficulty in (0.0, 0.3):
        frame = simulate_ratings(
            n_items=5000,
            labels=list("AB"),
            raters={"a": 0.7, "b": 0.7},
            systems={},
            rng=rng,
            difficulty=difficulty,
        )
        result = summary(frame.drop("truth"), labels=list("AB")).kappa
        assert result is not None
        agreement.append(result)
    assert agreement[0] == pytest.approx(0.4**2, abs=0.05)  # (2 * .7 - 1)^2
    assert agreement[1] == pytest.approx((0.2**2 + 0.4**2 + 1) / 3, abs=0.06)  # levels .4, .7, 1.0


def test_all_fourteen_figures_have_a_printed_kappa_and_five_systems() -> None:
    assert list(FIGURES) == list(PRINTED_KAPPA) == list(range(1, 15))
    assert {len(setting.systems) for setting in FIGURES.values()} == {5}


def test_methods_neither_change_the_draws_nor_each_other() -> None:
    setting = SimulationSetting(60, (0.6, 0.7, 0.7), systems=(0.5, 0.9), n_labels=3)
    several = simulate(setting, runs=3, seed=2, methods=["dawid_skene", "lehner", "one_coin"])
    for method in ("dawid_skene", "lehner", "one_coin"):
        assert several.filter(pl.col("method") == method).equals(simulate(setting, runs=3, seed=2, methods=[method]))


@pytest.mark.parametrize("method", ESTIMATORS)
def test_intervals_hold_the_estimate_of_their_own_run(method: str) -> None:
    setting = SimulationSetting(80, (0.6, 0.7, 0.8), systems=(0.5, 0.9), n_labels=3)
    result = simulate(setting, runs=3, seed=1, methods=[method], confidence=0.9)
    assert result.columns[-2:] == ["low", "high"]
    assert result.drop("low", "high").equals(simulate(setting, runs=3, seed=1, methods=[method]))
    inside = pl.col("estimate").is_between(pl.col("low") - 1e-4, pl.col("high") + 1e-4)
    assert result["low"].null_count() < result.height
    assert result.select(inside.all()).item()


def test_a_run_without_an_estimate_has_no_interval() -> None:
    result = simulate(replace(FIGURES[5], n_items=10, systems=(0.5,)), runs=20, seed=1, confidence=0.9)
    undefined = result.filter(pl.col("estimate").is_null())
    assert undefined.height > 0
    assert undefined["low"].null_count() == undefined["high"].null_count() == undefined.height


@pytest.mark.parametrize("by_rater", [False, True])
def test_study_by_study_gives_back_what_was_drawn(by_rater: bool) -> None:
    rng, k = np.random.default_rng(3), 3
    given, answer = rng.integers(0, k, (4, 20, 2)), rng.integers(0, k, (4, 20))
    rows, labels = distinct_rows(given.reshape(-1, 2), k)
    patterns, W = patterns_with_system(rows, labels, answer, k, ordered=True, by_rater=by_rater)
    for number, result in enumerate(split_studies(patterns, W)):
        counts = (given[number][:, :, None] == np.arange(k)).sum(axis=1)
        drawn = sorted((*c, a) for c, a in zip(counts.tolist(), answer[number].tolist(), strict=True))
        listed = np.repeat(np.column_stack([result.C, result.system]), result.n_items, axis=0)
        assert sorted(map(tuple, listed.tolist())) == drawn
        assert result.ordered
        if by_rater:
            assert result.raters is not None
            codes = np.full((len(result.C), 2), -1)
            codes[result.raters.pattern, result.raters.rater] = result.raters.label
            who = np.repeat(np.column_stack([codes, result.system]), result.n_items, axis=0)
            wanted = np.column_stack([given[number], answer[number]])
            assert sorted(map(tuple, who.tolist())) == sorted(map(tuple, wanted.tolist()))


def test_progress_counts_every_run_and_system() -> None:
    told: list[int] = []
    simulate(SimulationSetting(60_000, (0.6, 0.6), systems=(0.5, 0.7)), runs=3, seed=1, progress=told.append)
    assert (sum(told), len(told)) == (3 * 2, 6)  # one run at a time


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"difficulty": -0.1}, "found -0.1"),
        ({"difficulty": float("nan")}, "found nan"),
        ({"system_difficulty": 1.5}, "found 1.5"),
        ({"n_items": 0}, "one item or more, found 0"),
        ({"raters": (0.6,)}, "two raters or more, found 1"),
        ({"raters": (0.6, 1.6)}, "found 1.6"),
        ({"systems": ()}, "one system or more, found 0"),
        ({"n_labels": 1}, "found 1"),
        ({"error_range": 3.0}, "found 3.0"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(StatsError, match=words):
        simulate(replace(FIGURES[3], **wrong), runs=1, seed=0)


def test_unknown_methods_and_names_are_refused() -> None:
    for confidence in (0.0, 1.0, float("nan")):
        with pytest.raises(StatsError, match="Confidence"):
            simulate(FIGURES[3], runs=1, seed=0, confidence=confidence)
    with pytest.raises(StatsError, match="one run or more, found 0"):
        simulate(FIGURES[3], runs=0, seed=0)
    with pytest.raises(StatsError, match="'oracle'"):
        simulate(FIGURES[3], runs=1, seed=0, methods=["oracle"])
    rng = np.random.default_rng(0)
    with pytest.raises(StatsError, match="both"):
        simulate_ratings(n_items=5, labels=["A", "B"], raters={"a": 0.5}, systems={"a": 0.5}, rng=rng)
    with pytest.raises(StatsError, match="sum to 1"):
        simulate_ratings(n_items=5, labels=["A", "B"], raters={"a": 0.5}, systems={}, rng=rng, base_rates=[0.5, 0.6])


@pytest.fixture(scope="module")
def oracle() -> dict[str, Any]:
    if not CASES.is_file():
        pytest.skip(f"{CASES} is not there")
    text: dict[str, Any] = json.loads(CASES.read_text())
    return text


def test_oracle_table_2(oracle: dict[str, Any]) -> None:
    case = oracle["table2"]
    rows = [
        (f"{i}", rater, "ABCD"[code])
        for i, (codes, answer) in enumerate(zip(case["ratings"], case["system"], strict=True))
        for rater, code in zip("1234s", [*codes, answer], strict=True)
    ]
    frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    result = accuracy(frame, systems=["s"], labels=list("ABCD"), methods=["lehner"])
    assert result["accuracy"][0] == pytest.approx(case["accuracy"], abs=1e-12)


def test_oracle_confusion_matrices(oracle: dict[str, Any]) -> None:
    assert pytest.approx(np.array(oracle["table5"]), abs=1e-12) == confusion_matrix(5, 0.6)
    assert pytest.approx(np.array(oracle["table6"]), abs=1e-12) == confusion_matrix(5, 0.4, 2.0)


@pytest.mark.parametrize("figure", range(1, 15))
def test_oracle_figures(oracle: dict[str, Any], figure: int) -> None:
    case = oracle["figures"][f"fig{figure}"]
    result = simulate(FIGURES[figure], runs=50, seed=figure)
    assert mean(result, "kappa") == pytest.approx(case["kappa_mean"], abs=4 * case["kappa_sd_per_run"] / 50**0.5)
    for level, value in means(result).items():
        right = case["system"][f"{level}"]
        assert value == pytest.approx(right["mean"], abs=4 * right["sd"] / 50**0.5)


def test_oracle_planner(oracle: dict[str, Any]) -> None:
    for name, case in oracle["fisher_planner_onecoin_mle"].items():
        labels, raters, kappa, system = (float(part.lstrip("Kmks")) for part in name.split("|"))
        for half_width, n_items in ((0.1, case["n_h0_10"]), (0.05, case["n_h0_05"])):
            result = plan(n_labels=int(labels), n_raters=int(raters), kappa=kappa, half_width=half_width,
                          confidence=0.9, system_accuracy=system)  # fmt: skip
            assert result.n_items == n_items, name
            assert result.sd == pytest.approx(case["sd_root_n"], rel=1e-8)


def test_a_seed_is_a_whole_number_from_0() -> None:
    with pytest.raises(StatsError, match="The seed must be a whole number from 0, found -1"):
        simulate(FIGURES[5], runs=1, seed=-1)


def test_base_rates_that_are_no_numbers() -> None:
    with pytest.raises(StatsError, match="one share per label that sum to 1"):
        simulate_ratings(
            n_items=5,
            labels=["A", "B"],
            raters={"ann": 0.8},
            systems={},
            rng=np.random.default_rng(1),
            base_rates=[float("nan"), 0.5],
        )
