"""Equality of coefficients of independent groups."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.agreement.inference.homogeneity import homogeneity
from stats.errors import StatsError
from stats.reasons import REASONS


def groups(estimates, ses):
    names = [f"group {i}" for i in range(len(estimates))]
    schema = {"group": pl.String, "estimate": pl.Float64, "se": pl.Float64}
    return pl.DataFrame({"group": names, "estimate": estimates, "se": ses}, schema=schema)


def test_three_studies_of_fleiss():
    # Fleiss, Levin & Paik (2003), problem 18.3 with its solution in Appendix C, as quoted in the tests of the R
    # package kappaGold (kappa_test): kappas .39, .48, .35 with standard errors .21, .25, .17 give the overall kappa
    # .39, chi-squared .18 and the interval .16 to .62
    test = homogeneity(groups([0.39, 0.48, 0.35], [0.21, 0.25, 0.17]))
    assert test.estimate == pytest.approx(0.39, abs=0.005)
    assert test.statistic == pytest.approx(0.18, abs=0.006)
    assert (test.low, test.high) == (pytest.approx(0.16, abs=0.005), pytest.approx(0.62, abs=0.005))
    assert (test.df, test.n_groups, test.left_out, test.reason, test.detail) == (2, 3, (), None, None)
    assert test.p_value == pytest.approx(math.exp(-test.statistic / 2))  # chi-squared with 2 degrees of freedom


def test_two_groups_by_hand():
    # Weights 1/.1^2 = 100 and 1/.2^2 = 25: mean (80 + 7.5) / 125 = .7, standard error 125^-.5 = .0894427;
    # statistic 100 * .1^2 + 25 * .4^2 = 5 with 1 degree of freedom, p = P(|z| > sqrt 5) = .0253473
    test = homogeneity(groups([0.8, 0.3], [0.1, 0.2]), confidence=0.9)
    assert test.estimate == pytest.approx(0.7)
    assert test.se == pytest.approx(0.0894427, abs=1e-7)
    assert (test.statistic, test.df) == (pytest.approx(5), 1)
    assert test.p_value == pytest.approx(0.0253473, abs=1e-7)
    assert (test.low, test.high) == (pytest.approx(0.7 - 1.644854 * test.se), pytest.approx(0.7 + 1.644854 * test.se))


def test_the_interval_ends_at_1():
    assert homogeneity(groups([0.95, 0.97], [0.1, 0.1])).high == 1


def test_undefined_groups_are_left_out_and_named():
    table = groups([0.5, None, 1.0, 0.7, 0.6, math.nan], [0.1, 0.1, 0.0, 0.1, None, 0.1])
    test = homogeneity(table)
    both = homogeneity(table.filter(pl.col("group").is_in(["group 0", "group 3"])))
    assert (test.estimate, test.statistic, test.df) == (both.estimate, both.statistic, 1)
    assert (test.n_groups, test.left_out) == (2, ("group 1", "group 2", "group 4", "group 5"))
    assert test.detail == "Without group 1, group 2, group 4, group 5: no estimate, or no standard error above 0."


@pytest.mark.parametrize(("estimates", "ses"), [([], []), ([0.5], [0.1]), ([0.5, 1.0], [0.1, 0.0]), ([None], [None])])
def test_too_few_groups(estimates, ses):
    test = homogeneity(groups(estimates, ses))
    assert test.reason == "too_few_groups"
    assert test.reason in REASONS
    assert f"found {test.n_groups}" in test.detail
    assert len(test.left_out) + test.n_groups == len(estimates)
    undefined = (test.estimate, test.se, test.low, test.high, test.statistic, test.df, test.p_value)
    assert undefined == (None,) * 7


members = st.lists(st.tuples(st.floats(-1, 1), st.floats(0.001, 1)), min_size=2, max_size=8)


@given(members, st.randoms(use_true_random=False))
def test_what_holds_of_any_groups(result, chance):
    table = groups(*map(list, zip(*result, strict=True)))
    test = homogeneity(table)
    assert 0 <= test.p_value <= 1
    assert test.statistic >= 0
    assert min(k for k, _ in result) - 1e-12 <= test.estimate <= max(k for k, _ in result) + 1e-12
    assert test.se <= min(se for _, se in result)
    assert test.low < test.estimate
    rows = table.rows()
    chance.shuffle(rows)
    assert homogeneity(pl.DataFrame(rows, schema=table.schema, orient="row")) == test


@given(st.floats(-1, 1), st.lists(st.floats(0.001, 1), min_size=2, max_size=6))
def test_equal_groups_do_not_differ(estimate, ses):
    test = homogeneity(groups([estimate] * len(ses), ses))
    assert test.statistic == pytest.approx(0, abs=1e-9)
    assert test.p_value == pytest.approx(1)


def test_other_columns_and_integers_are_welcome():
    table = pl.DataFrame({"group": [1, 2], "estimate": [1, 0], "se": [1, 1], "n_items": [5, 5]})
    assert homogeneity(table).estimate == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pl.DataFrame({"group": ["a"], "estimate": [0.5]}),
            "need the columns group, estimate, se, found group, estimate",
        ),
        (pl.DataFrame(), "found none"),
        (pl.DataFrame({"group": ["a", "a"], "estimate": [0.5, 0.5], "se": [0.1, 0.1]}), "one row with its name"),
        (pl.DataFrame({"group": ["a", None], "estimate": [0.5, 0.5], "se": [0.1, 0.1]}), "one row with its name"),
        (pl.DataFrame({"group": ["a"], "estimate": ["x"], "se": [0.1]}), "estimate must hold numbers, found String"),
        (groups([0.5, 0.5], [0.1, -0.1]), "standard errors 0 or more"),
        (groups([0.5, math.inf], [0.1, 0.1]), "must be finite"),
        (groups([0.5, 0.5], [0.1, math.inf]), "standard errors 0 or more"),
    ],
)
def test_bad_groups_are_named(table, message):
    with pytest.raises(StatsError, match=message):
        homogeneity(table)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidence_is_a_share(confidence):
    with pytest.raises(StatsError, match="between 0 and 1"):
        homogeneity(groups([0.5, 0.6], [0.1, 0.1]), confidence=confidence)
