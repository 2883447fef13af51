"""One coin for the raters, one for the system: closed cases, and the likelihood searched by a general optimiser."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from stats.accuracy import ESTIMATORS
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.models.coins import coins
from stats.arrays import FloatArray, IntArray

Ask = Callable[..., dict[str, Any]]


def searched(C: IntArray, system: IntArray) -> float:
    """Nelder-Mead over logits, from the likelihood as the reference states it."""
    k, used = C.shape[1], C.sum(axis=0) > 0

    def parts(theta: FloatArray) -> tuple[FloatArray, float, float]:
        rates = np.where(used, np.exp(np.append(theta[:-2], 0.0)), 0)
        c, s = 1 / (1 + np.exp(-theta[-2:]))
        return rates / rates.sum(), max(float(c), 1 / k), float(s)

    def joint(theta: FloatArray) -> FloatArray:
        rates, c, s = parts(theta)
        raters = c**C * ((1 - c) / (k - 1)) ** (C.sum(axis=1, keepdims=True) - C)
        return np.asarray(rates * raters * np.where(system[:, None] == np.arange(k), s, (1 - s) / (k - 1)))

    def lost(theta: FloatArray) -> float:
        rates, c, s = parts(theta)
        prior = 0.5 / k * np.log(rates[used]).sum() + sum(0.5 * np.log(p) + 0.5 * np.log(1 - p) for p in (c, s))
        return -float(np.log(joint(theta).sum(axis=1)).sum() + prior)

    theta: FloatArray = minimize(lost, np.append(np.zeros(k - 1), [0.5, 0.5])).x
    theta = minimize(lost, theta, method="Nelder-Mead", tol=1e-12, options={"maxiter": 40_000, "maxfev": 40_000}).x
    P = joint(theta)
    own = P[np.arange(len(C)), system] / P.sum(axis=1)
    return float((own.sum() + 0.5) / (len(C) + 1))


def test_table_2(ask: Ask, golden: Callable[[str], dict[str, Any]], lehner_facts: dict[str, Any]) -> None:
    texts = [case.split() for case in lehner_facts["table2"]["cases"]]
    fact = golden("one_coin")["table2"]["accuracy"]
    C = np.array([[raters.count(x) for x in "ABCD"] for raters, _ in texts])
    assert searched(C, np.array(["ABCD".index(answer) for _, answer in texts])) == pytest.approx(fact, abs=1e-5)
    row = ask("one_coin", ["".join(text) for text in texts], "ABCD")
    assert row["accuracy"] == pytest.approx(fact, abs=1e-4)  # EM stops at a gain of 1e-6 of log-likelihood
    assert 0 < row["low"] < row["accuracy"] < row["high"] < 1


def test_one_label_each(ask: Ask, golden: Callable[[str], dict[str, Any]]) -> None:
    fact = golden("one_coin")["one_label_each"]
    assert ask("one_coin", fact["items"], "AB")["accuracy"] == pytest.approx(fact["accuracy"], abs=1e-3)


def test_where_the_right_labels_are_plain_it_is_a_share_and_its_error_binomial(ask: Ask) -> None:
    """Six raters who always agree: the system is right on 30 of 40 items, half a right and half a wrong one added."""
    row = ask("one_coin", [*["AAAAAAA", "BBBBBBB"] * 15, *["AAAAAAC", "CCCCCCA"] * 5], "ABC")
    accuracy = 30.5 / 41
    assert row["accuracy"] == pytest.approx(accuracy, abs=1e-5)
    assert row["se"] == pytest.approx((accuracy * (1 - accuracy) / 41) ** 0.5, rel=1e-3)
    half = 1.959964 * row["se"] / (accuracy * (1 - accuracy))
    odds = accuracy / (1 - accuracy)
    assert row["low"] == pytest.approx(odds * np.exp(-half) / (1 + odds * np.exp(-half)), abs=1e-4)
    assert row["high"] == pytest.approx(odds * np.exp(half) / (1 + odds * np.exp(half)), abs=1e-4)


@pytest.mark.parametrize("s", [0.1, 0.5, 0.95])
def test_a_population_of_its_own_is_exact(
    s: float, population: Callable[..., SystemPatterns], even: Callable[[float, int], Any]
) -> None:
    patterns = population([(1, [0.6, 0.3, 0.1], [even(0.6, 3)] * 3, even(s, 3))])
    assert ESTIMATORS["one_coin"].fit(patterns).accuracy == pytest.approx(s, abs=1e-3)


def test_pooled_raters_are_held_at_chance_and_single_ones_are_not() -> None:
    bad, good = np.full((3, 3), 2.0) - 2 * np.eye(3), 4 * np.eye(3) + 1
    assert coins(np.stack([bad, bad])[None, None])[0, 0].tolist() == [1 / 3, 0]
    assert coins(np.stack([bad, good, bad])[None, None])[0, 0] == pytest.approx([0, 15 / 21, 0])


def test_raters_barely_above_chance_have_a_wide_interval(ask: Ask) -> None:
    """26 of 51 pairs agree, where chance is 1/2: nearly anything goes, and kappa says so."""
    row = ask(
        "one_coin", [*["AAA", "AAB", "BBA", "BBB", "AAA", "BBB"] * 4, "AAA", "BBB", *["ABA", "BAB"] * 12, "ABA"], "AB"
    )
    assert row["high"] - row["low"] > 0.5
    assert any("agree little (kappa 0.020" in note for note in row["warnings"])
