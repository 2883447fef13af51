"""Agreement corrected for attenuation: a closed form, so every figure here is worked out by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stats.accuracy.estimators.attenuation import estimate
from stats.accuracy.fitting.estimator import SystemPatterns

Ask = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("labels", ["AB", "ABC"])
def test_golden(labels: str, ask: Ask, golden: Callable[[str], dict[str, Any]]) -> None:
    fact = golden("attenuation")["by_hand"]
    if labels == "AB":
        assert ask("attenuation", fact["items"], labels)["accuracy"] == pytest.approx(fact["accuracy"], abs=5e-8)
    else:
        # 4/5 and 7/10 with three labels: s = .7 and .55; c = .55 / sqrt(.7), accuracy (1 + 2 c)/3
        c = 0.55 / 0.7**0.5
        assert ask("attenuation", fact["items"], labels)["accuracy"] == pytest.approx((1 + 2 * c) / 3, abs=1e-12)


def test_table_2(ask: Ask, golden: Callable[[str], dict[str, Any]], lehner_facts: dict[str, Any]) -> None:
    cases = [case.replace(" ", "") for case in lehner_facts["table2"]["cases"]]
    row = ask("attenuation", cases, "ABCD")
    assert row["accuracy"] == pytest.approx(golden("attenuation")["table2"]["accuracy"], abs=1e-12)
    assert 0 < row["low"] < 0.85 < row["high"] < 1
    assert (row["reason"], row["n_items"]) == (None, 10)


@pytest.mark.parametrize("s", [0.1, 0.5, 0.95])
def test_a_population_of_equal_coins_is_exact_whatever_the_base_rates(
    s: float, population: Callable[..., SystemPatterns], even: Callable[[float, int], Any]
) -> None:
    patterns = population([(1, [0.7, 0.2, 0.1], [even(0.6, 3)] * 3, even(s, 3))])
    result = estimate(patterns.C, patterns.system, patterns.n_items[None].astype(float))[0]
    assert result == pytest.approx(s, abs=1e-5)


def test_missing_ratings_are_pooled_by_ratings_and_pairs(ask: Ask) -> None:
    # pairs AA and BB agree, AB does not: 2 of 3, s = 1/3; the system agrees with both of AA, none of BB, the one of A,
    # one of AB; ratings 2 + 2 + 1 + 2 = 7, of which 2 + 0 + 1 + 1 = 4 agree: s = 1/7
    result = ask("attenuation", ["AAA", "BBA", "A-A", "ABB"], "AB")
    assert result["accuracy"] == pytest.approx((1 + 1 / 7 / (1 / 3) ** 0.5) / 2, abs=1e-12)


def test_above_1_it_is_cut_and_says_so(ask: Ask) -> None:
    # raters: 4 of 5 pairs agree, s = .6; the system agrees in 8 + 1 of 10, s = .8; .8 / sqrt(.6) = 1.033
    row = ask("attenuation", ["AAA", "AAA", "BBB", "BBB", "ABA"], "AB")
    assert (row["accuracy"], row["high"]) == (1.0, 1.0)
    assert row["low"] < 0.9
    assert any("1.016" in note and "cut to 1" in note for note in row["warnings"])


def test_below_0_it_is_cut_and_says_so(ask: Ask) -> None:
    row = ask("attenuation", ["AAB", "AAB", "BBA", "BBA", "ABA"], "AB")
    assert (row["accuracy"], row["low"]) == (0.0, 0.0)
    assert any("-0.016" in note and "cut to 0" in note for note in row["warnings"])


def test_each_weighting_is_estimated_or_undefined_by_itself() -> None:
    C, system = np.array([[2, 0], [1, 1], [0, 2]]), np.array([0, 0, 0])
    W = np.array([[5.0, 2.0, 3.0], [0.0, 4.0, 0.0], [1.0, 1.0, 0.0]])
    result = estimate(C, system, W)
    assert np.isnan(result).tolist() == [False, True, True]  # agreement 0 and 1/2: no better than chance
    assert result[0] == estimate(C, system, W[:1])[0]
