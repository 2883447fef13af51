"""Lehner's method without bins, against its likelihood searched by a general optimiser."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.binless import estimate
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray

Ask = Callable[..., dict[str, Any]]


def searched(C: IntArray, system: IntArray, n: FloatArray) -> float:
    """The same, item by item, from the formulas in the paper."""
    k = C.shape[1]
    m = C.sum(axis=1)
    P_a = (n @ (C * (C - 1)).sum(axis=1)) / (n @ (m * (m - 1)))
    P_c = 1 / k + np.sqrt(((k - 1) * P_a - (k - 1) / k) / k)
    f = n @ C / (n @ m)
    raw = np.clip(((k - 1) * f - 1 + P_c) / (k * P_c - 1), 0, None)
    rates = np.where(f > 0, np.maximum(raw / raw.sum(), min(0.03, 0.15 / k)), 0)
    P = rates / rates.sum() * (P_c**C) * ((1 - P_c) / (k - 1)) ** (m[:, None] - C)
    g = (P / P.sum(axis=1, keepdims=True))[np.arange(len(C)), system]

    def lost(s: float) -> float:
        return -float(n @ np.log(g * s + (1 - g) * (1 - s) / (k - 1)))

    return float(minimize_scalar(lost, bounds=(1e-12, 1 - 1e-12), method="bounded", options={"xatol": 1e-12}).x)


def test_golden(ask: Ask, golden: Callable[[str], dict[str, Any]], lehner_facts: dict[str, Any]) -> None:
    facts, cases = golden("binless"), [case.replace(" ", "") for case in lehner_facts["table2"]["cases"]]
    assert ask("binless", cases, "ABCD")["accuracy"] == pytest.approx(facts["table2"]["accuracy"], abs=1e-7)
    by_hand = facts["by_hand"]
    assert ask("binless", by_hand["items"], "AB")["accuracy"] == pytest.approx(by_hand["accuracy"], abs=1e-6)


def test_the_maximum_is_that_of_a_general_optimiser() -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        k = int(rng.integers(2, 6))
        truth = rng.choice(k, 60, p=rng.dirichlet(np.ones(k)))
        raters = np.where(rng.random((3, 60)) < 0.6, truth, rng.integers(0, k, (3, 60)))
        C = (raters[:, :, None] == np.arange(k)).sum(axis=0)
        system = np.where(rng.random(60) < rng.random(), truth, rng.integers(0, k, 60))
        n = rng.integers(1, 5, 60).astype(float)
        if not np.isnan(lehner.rater_figures(C, n[None]).P_c[0]):
            assert estimate(C, system, n[None])[0] == pytest.approx(searched(C, system, n), abs=1e-5)


@pytest.mark.parametrize("s", [0.1, 0.5, 0.95])
def test_a_population_of_equal_coins_is_exact(
    s: float, population: Callable[..., SystemPatterns], even: Callable[[float, int], Any]
) -> None:
    patterns = population([(1, [0.6, 0.3, 0.1], [even(0.6, 3)] * 3, even(s, 3))])
    result = estimate(patterns.C, patterns.system, patterns.n_items[None].astype(float))[0]
    assert result == pytest.approx(s, abs=1e-4)


def test_a_floor_keeps_a_clipped_base_rate_off_zero(ask: Ask) -> None:
    """The label C was given by one rater on two items of 14: its base rate is clipped, yet the system may be right."""
    items = ["AAAA", "BBBB", "AAAA", "BBBB", "AABA", "BBAB", "CAAC"] * 2
    assert "is 0 (clipped)" in " ".join(ask("lehner", items, "ABC")["warnings"])
    row = ask("binless", items, "ABC")
    assert 0.8 < row["accuracy"] < 1
    assert not any("clipped" in note for note in row["warnings"])


def test_items_that_say_nothing_are_not_identified(ask: Ask) -> None:
    # base rates .5, and the items that the system answered are split: the posterior is 1/2 for either label
    row = ask("binless", ["AA-", "AA-", "BB-", "BB-", "ABA", "BAB"], "AB")
    assert (row["accuracy"], row["low"], row["reason"]) == (None, None, "not_identified")
    assert "no better than a guess" in row["detail"]


def test_all_right_or_all_wrong_is_an_end_of_the_range(ask: Ask) -> None:
    right, wrong = (ask("binless", items, "AB") for items in (["AAAA", "BBBB"] * 20, ["AAAB", "BBBA"] * 20))
    assert right["accuracy"] == pytest.approx(1, abs=1e-9)
    assert wrong["accuracy"] == pytest.approx(0, abs=1e-9)
    # 40 of 40: the exact binomial bound is .912, and no method that has not seen the truth may promise more
    assert right["low"] < 0.912
    assert wrong["high"] > 1 - 0.912
    assert right["se"] > 0
