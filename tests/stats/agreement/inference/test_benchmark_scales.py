"""Benchmark scales."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.agreement.inference.benchmark_scales import BENCHMARKS, SCHEMA, Benchmark, benchmark, benchmark_of
from stats.errors import StatsError

FILE = Path(__file__).parents[5] / "shared" / "data" / "oracle" / "agreement_cases.json"
CASES = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []
CASES = [case for case in CASES if case["measure"] == "benchmark_cumprob"]

estimates = st.floats(-1.5, 1)
errors = st.floats(1e-6, 2)
scales = st.sampled_from(list(BENCHMARKS))

# Cumulative membership probabilities of the coefficient .67 with standard error .15, from the highest level down:
# tests of irrCAC for Python (test_benchmark), which follow ch. 6 of Gwet (2014)
PUBLISHED = {
    "landis_koch": [0.18168, 0.67511, 0.96356, 0.99912, 1, 1],
    "altman": [0.18168, 0.67511, 0.96356, 0.99912, 1],
    "fleiss": [0.28699, 0.96356, 1],
    "cicchetti_sparrow": [0.28699, 0.67511, 0.96356, 1],
    "regier": [0.18168, 0.67511, 0.96356, 0.99912, 1],
}


def test_every_scale_has_a_published_case():
    assert list(BENCHMARKS) == list(PUBLISHED)
    assert all(name == scale.name for name, scale in BENCHMARKS.items())


@pytest.mark.parametrize("scale", BENCHMARKS)
def test_published_probabilities(scale):
    result = benchmark(0.67, 0.15, scale=scale)
    assert result.schema == SCHEMA
    assert result["cumulative"].to_list() == pytest.approx(PUBLISHED[scale], abs=6e-6)
    assert result["scale"].unique().to_list() == [scale]


def test_the_level_to_quote_is_not_that_of_the_estimate():
    # .67 alone would be substantial, of which one is sure to .675 only
    result = benchmark(0.67, 0.15)
    assert result.filter("chosen")["level"].to_list() == ["Moderate"]
    assert result.rows()[1][:4] == ("landis_koch", "Substantial", 0.6, 0.8)
    # Phi((.67 - .6)/.15) - Phi((.67 - .8)/.15) = .67964 - .19306 = .48658, of Phi(11.1) - Phi(-2.2) = .98610
    assert result["probability"][1] == pytest.approx(0.48658 / 0.98610, abs=1e-4)


@pytest.mark.skipif(not CASES, reason=f"{FILE} is not there")
def test_oracle():
    assert len(CASES) == 6
    for case in CASES:
        options, expected = case["options"], list(case["expected"].values())
        scale = options["scale"]
        if scale == "custom":  # its levels start at 0, and are listed and cumulated from there upwards
            custom = options["custom"]
            scale = Benchmark(custom["scale_name"], (-1, *custom["lb"]), ("below 0", *custom["interp"]))
            probability = benchmark(options["coefficient"], options["se"], scale=scale)["probability"]
            result = probability.reverse()[1:].cum_sum().to_list()
        else:
            result = benchmark(options["coefficient"], options["se"], scale=scale)["cumulative"].to_list()
        assert result == pytest.approx(expected, abs=case["tolerance"]), case["name"]


@given(estimates, errors, scales)
def test_probabilities_of_any_estimate(estimate, se, scale):
    result = benchmark(estimate, se, scale=scale)
    assert result["probability"].sum() == pytest.approx(1)
    assert result["probability"].min() >= 0
    assert result["cumulative"].to_list() == pytest.approx(result["probability"].cum_sum().to_list())
    assert result["cumulative"].to_list()[-1] == 1
    assert result["chosen"].sum() == 1
    of_chosen = result["chosen"].arg_max()
    assert result["cumulative"][of_chosen] >= 0.95
    assert (result["cumulative"].head(of_chosen) < 0.95).all()


@given(estimates, estimates, errors, scales)
def test_a_higher_estimate_is_never_called_by_a_lower_name(first, other, se, scale):
    lower, higher = (benchmark(x, se, scale=scale)["chosen"].arg_max() for x in sorted((first, other)))
    assert higher <= lower


@given(estimates, scales)
def test_without_spread_the_level_is_that_of_the_estimate(estimate, scale):
    result = benchmark(estimate, 0.0, scale=scale).filter("chosen").row(0, named=True)
    assert result["probability"] == result["cumulative"] == 1
    assert result["low"] <= max(estimate, -1) + 1e-12
    assert estimate < result["high"] + 1e-12


def test_a_level_holds_its_lower_bound():
    for estimate, level in [(1.0, "Almost perfect"), (0.8, "Almost perfect"), (0.6, "Substantial"), (-1.0, "Poor")]:
        assert benchmark(estimate, 0.0).filter("chosen")["level"].to_list() == [level]
    assert benchmark(0.1 + 0.7, 0.0).filter("chosen")["level"].to_list() == ["Almost perfect"]  # .7999999999999999


def test_far_below_minus_1_nothing_is_divided_by_0():
    assert benchmark(-5.0, 0.01).filter("chosen").select("level", "probability").rows() == [("Poor", 1.0)]


@pytest.mark.parametrize(("estimate", "se"), [(None, None), (None, 0.1), (0.5, None), (float("nan"), 0.1)])
def test_nothing_is_chosen_without_estimate_or_standard_error(estimate, se):
    result = benchmark(estimate, se)
    assert result.schema == SCHEMA
    assert result.height == 6
    assert result["probability"].null_count() == result["cumulative"].null_count() == 6
    assert not result["chosen"].any()


def test_a_scale_of_ones_own():
    own = Benchmark("ours", (-1, 0.667, 0.8), ("unreliable", "tentative", "reliable"))
    result = benchmark(0.9, 0.02, scale=own)
    assert result.select("scale", "level", "low", "high", "chosen").rows() == [
        ("ours", "reliable", 0.8, 1.0, True),
        ("ours", "tentative", 0.667, 0.8, False),
        ("ours", "unreliable", -1.0, 0.667, False),
    ]
    assert benchmark(0.2, 0.1, scale=Benchmark("one", (-1,), ("any",)))["chosen"].to_list() == [True]


@pytest.mark.field_trial(8)
@pytest.mark.parametrize("start", [0, -0.5])
@pytest.mark.parametrize(("estimate", "se"), [(0.3, 0.2), (-0.3, 0.1), (0.9, 0.02), (-0.2, 0), (0, 0), (0.5, 0)])
def test_a_scale_may_start_at_0_and_still_names_what_lies_below(start, estimate, se):
    levels = ("poor", "fair", "good")
    result = benchmark(estimate, se, scale=Benchmark("own", (start, 0.4, 0.75), levels))
    whole = benchmark(estimate, se, scale=Benchmark("own", (-1, 0.4, 0.75), levels))
    same = ("level", "high", "probability", "cumulative", "chosen")
    assert result.select(same).equals(whole.select(same))
    assert result["low"].to_list() == [0.75, 0.4, start]
    assert result["probability"].sum() == pytest.approx(1)
    assert result["chosen"].sum() == 1
    if estimate < 0:
        assert result.filter("chosen")["level"].to_list() == ["poor"]


@pytest.mark.parametrize(
    ("lower", "levels", "message"),
    [
        ((0.1, 0.5), ("a", "b"), r"must rise from -1 to 0 for the lowest level to below 1, found \[0.1, 0.5\]"),
        ((-1.5, 0.5), ("a", "b"), "must rise"),
        ((-1, 0.5, 0.5), ("a", "b", "c"), "must rise"),
        ((-1, 1), ("a", "b"), "must rise"),
        ((-1, float("nan")), ("a", "b"), "must rise"),
        ((), (), "must rise"),
        ((-1, 0.5), ("a",), "found 1 for 2"),
    ],
)
def test_bad_scales_are_refused(lower, levels, message):
    with pytest.raises(StatsError, match=message):
        Benchmark("own", lower, levels)


@pytest.mark.parametrize(
    ("estimate", "se", "scale", "message"),
    [
        (0.5, 0.1, "landis", "The scale must be one of landis_koch, altman, .* found 'landis'"),
        (1.2, 0.1, "altman", "at most 1, found 1.2"),
        (float("-inf"), 0.1, "altman", "at most 1, found -inf"),
        (0.5, -0.1, "altman", "0 or more, found -0.1"),
        (0.5, float("inf"), "altman", "0 or more, found inf"),
    ],
)
def test_bad_input_is_named(estimate, se, scale, message):
    with pytest.raises(StatsError, match=message):
        benchmark(estimate, se, scale=scale)


def alike(value: float, n_items: int) -> dict[str, float]:
    """The row of an agreement whose items are all alike."""
    return {"estimate": value, "se": 0.0, "low": value, "high": value, "expected": 0.5, "n_items": n_items}


def test_items_that_all_agree_have_the_level_that_so_many_prove():
    chosen = {n: benchmark_of(alike(1.0, n)).filter("chosen").row(0, named=True) for n in (2, 28, 29)}
    assert [row["level"] for row in chosen.values()] == ["Poor", "Substantial", "Almost perfect"]
    assert chosen[29]["cumulative"] == pytest.approx(1 - 0.9**29)
    levels = benchmark_of(alike(1.0, 10))
    assert levels["probability"].sum() == pytest.approx(1)
    assert levels["cumulative"].is_sorted()


def test_items_that_all_disagree_alike_have_no_level():
    levels = benchmark_of(alike(-1.0, 30))
    assert (levels["chosen"].sum(), levels["probability"].null_count()) == (0, levels.height)


def test_a_row_with_a_standard_error_has_its_level():
    row = {"estimate": 0.67, "se": 0.15, "low": 0.37, "high": 0.97, "expected": 0.3, "n_items": 30}
    assert benchmark_of(row).equals(benchmark(0.67, 0.15))
