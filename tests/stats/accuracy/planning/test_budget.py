"""Raters per item for a budget, gold items, and what a running study still needs."""

import json
import os
import re
from itertools import product
from math import ceil, prod, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from stats.accuracy.gold.prediction_powered import Score, prediction_powered
from stats.accuracy.planning import (
    cheapest,
    gold_half_width,
    gold_items,
    more_gold_items,
    more_items,
    plan,
    raters_for_budget,
    score_correlation,
    sd_per_item,
)
from stats.errors import StatsError

EXPECTED: dict[str, Any] = {"n_labels": 5, "kappa": 0.3, "confidence": 0.9, "system_accuracy": 0.9}
GOLD: dict[str, Any] = EXPECTED | {"n_raters": 3, "half_width": 0.1}
# Figures of an independent implementation; the folder that holds them is named by the environment.
CASES = Path(os.environ.get("KAPPAFLOW_SHARED", "nowhere")) / "data" / "oracle" / "accuracy_cases.json"


@pytest.mark.skipif(not CASES.exists(), reason="KAPPAFLOW_SHARED names no folder with data/oracle/accuracy_cases.json")
def test_the_whole_table_of_an_independent_implementation() -> None:
    table = json.loads(CASES.read_text())["fisher_planner_onecoin_mle"]
    assert len(table) == 108
    for name, expected in table.items():
        results = re.fullmatch(r"K(\d+)\|m(\d+)\|k([\d.]+)\|s([\d.]+)", name)
        assert results is not None
        N, m, kappa, s = int(results[1]), int(results[2]), float(results[3]), float(results[4])
        assert sd_per_item(N, m, (1 + (N - 1) * sqrt(kappa)) / N, s) == pytest.approx(expected["sd_root_n"], rel=1e-6)
        for half_width, key in ((0.1, "n_h0_10"), (0.05, "n_h0_05")):
            result = plan(n_labels=N, n_raters=m, kappa=kappa, half_width=half_width, confidence=0.9, system_accuracy=s)
            assert result.n_items == expected[key], (name, half_width)


@pytest.mark.parametrize(("kappa", "n_raters"), [(0.1, 5), (0.3, 3), (0.55, 2), (0.7, 2)])
def test_few_raters_where_they_agree_and_many_where_they_do_not(kappa: float, n_raters: int) -> None:
    best = raters_for_budget(budget=600, **EXPECTED | {"kappa": kappa}).best.n_raters
    assert best >= 5 if kappa == 0.1 else best == n_raters


def test_a_budget_and_a_half_width_are_two_sides_of_one_plan() -> None:
    for share in raters_for_budget(budget=10_000, **EXPECTED).shares:
        back = plan(n_raters=share.n_raters, half_width=share.half_width + 1e-12, **EXPECTED)
        assert back.n_items == share.n_items == 10_000 // share.n_raters
        assert share.n_ratings == share.n_items * share.n_raters <= 10_000


def test_one_row_is_best_and_none_beats_it() -> None:
    result = raters_for_budget(budget=600, **EXPECTED)
    assert [share.n_raters for share in result.shares] == list(range(2, 11))
    assert sum(share.best for share in result.shares) == 1
    assert result.best.half_width == min(share.half_width for share in result.shares)
    assert result.warnings == ()


def test_a_tiny_budget_says_that_it_is_one() -> None:
    result = raters_for_budget(budget=7, **EXPECTED)
    assert [share.n_raters for share in result.shares] == [2, 3, 4, 5, 6, 7]
    assert "many items" in result.warnings[0]
    assert "say nothing" in result.warnings[1]
    with pytest.raises(StatsError, match="must be 1,000,000,000,000 ratings or less"):
        raters_for_budget(budget=10**400, **EXPECTED)
    with pytest.raises(StatsError, match="at least the 2 ratings of one item, found 1"):
        raters_for_budget(budget=1, **EXPECTED)


def test_the_cheapest_plan_is_no_dearer_than_any() -> None:
    options = EXPECTED | {"half_width": 0.05}
    result = cheapest(**options)
    every = [plan(n_raters=m, **options).n_ratings for m in range(2, 11)]
    assert result.n_ratings == min(every) == result.n_items * result.n_raters


@pytest.mark.parametrize(("N", "m", "c", "s"), [(2, 2, 0.7, 0.9), (3, 3, 0.6, 0.4), (4, 2, 0.5, 0.95)])
def test_correlation_is_that_over_every_row_of_labels(N: int, m: int, c: float, s: float) -> None:
    """E f^2 and E f Y over the right label, the raters' labels and the system's."""
    joint = {
        (x, row): (1 / N)
        * prod(c if label == x else (1 - c) / (N - 1) for label in row[:-1])
        * (s if row[-1] == x else (1 - s) / (N - 1))
        for x in range(N)
        for row in product(range(N), repeat=m + 1)
    }
    total: dict[tuple[int, ...], float] = {}
    for (_, row), p in joint.items():
        total[row] = total.get(row, 0.0) + p
    f = {row: joint[row[-1], row] / p for row, p in total.items()}
    mean = sum(total[row] * f[row] for row in total)
    cov = sum(p * (f[row] - s) * ((x == row[-1]) - s) for (x, row), p in joint.items())
    var = sum(p * (f[row] - s) ** 2 for row, p in total.items())
    assert mean == pytest.approx(s)
    assert score_correlation(N, m, c, s) == pytest.approx(cov / sqrt(var * s * (1 - s)))


@pytest.mark.parametrize(("accuracy", "half_width"), [(0.5, 0.1), (0.8, 0.05), (0.9, 0.1), (0.95, 0.05), (0.98, 0.1),
                                                      (0.99, 0.03), (0.999, 0.05)])  # fmt: skip
def test_gold_alone_reaches_the_width_that_an_audit_shows(accuracy: float, half_width: float) -> None:
    """The mean of the intervals that an audit shows, over all numbers of right answers that gold may have."""
    m = gold_items(**GOLD | {"system_accuracy": accuracy, "half_width": half_width}).n_gold_alone
    mean = 0.0
    for n_right in range(m + 1):
        right = np.repeat([1.0, 0.0], [n_right, m - n_right])
        shown = prediction_powered(Score(right, np.zeros(m), 0.0, 10**9)).cut_half_width(m, 0.9)
        mean += float(binom.pmf(n_right, m, accuracy)) * shown
    assert 0.92 * half_width < mean < 1.025 * half_width


def test_gold_with_ratings_reaches_the_width_that_an_audit_shows() -> None:
    """Where the model holds. The score is computed from the accuracies that the ratings were drawn with."""
    rng, n, s, c = np.random.default_rng(3), 1000, 0.9, (1 + 4 * sqrt(0.55)) / 5
    m = gold_items(**GOLD | {"kappa": 0.55, "half_width": 0.05, "n_items": n}).n_gold
    assert m is not None
    widths = []
    for _ in range(40):
        rated = (rng.integers(1, 5, (n, 4)) * (rng.random((n, 4)) > [c, c, c, s]))[:, :, None] == np.arange(
            5
        )  # right: 0
        likely = np.where(rated[:, :3], c, (1 - c) / 4).prod(axis=1) * np.where(rated[:, 3], s, (1 - s) / 4)
        f = (likely * rated[:, 3]).sum(axis=1) / likely.sum(axis=1)
        gold = rng.choice(n, m, replace=False)
        score = Score(rated[gold, 3, 0].astype(float), f[gold], float(f.mean()), n)
        widths.append(prediction_powered(score).cut_half_width(m, 0.9))
    assert np.mean(widths) == pytest.approx(0.05, rel=0.06)


def test_better_raters_save_gold() -> None:
    needed = [gold_items(**GOLD | {"kappa": kappa}).n_gold for kappa in (0.01, 0.1, 0.3, 0.6, 0.9)]
    assert needed == sorted(needed, key=lambda n: -(n or 0))
    assert abs((needed[0] or 0) - gold_items(**GOLD).n_gold_alone) <= 1
    assert (needed[-1] or 0) < 20  # the audit counts two right and two wrong answers more


def test_gold_for_too_few_items_is_not_enough() -> None:
    result = gold_items(**GOLD | {"n_items": 10})
    assert result.n_gold is None
    assert result.n_gold_alone == 28
    with pytest.raises(StatsError, match="two items or more, found 1"):
        gold_items(**GOLD | {"n_items": 1})


@pytest.mark.parametrize("r", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("n", [60.0, 1000.0, float("inf")])
def test_more_gold_is_never_worse(r: float, n: float) -> None:
    widths = [gold_half_width(m, 0.9, 0.09, r, n) for m in range(2, 60)]
    assert widths == sorted(widths, reverse=True)


def test_a_tiny_half_width_is_answered() -> None:
    result = gold_items(**GOLD | {"half_width": 0.0001})
    assert result.n_gold_alone == pytest.approx(1.6449**2 * 0.09 / 0.0001**2, rel=1e-3)


def test_ratings_help_less_the_more_items_have_gold() -> None:
    """Of 200 items 50 have gold: four times the gold would be all 200, and then the ratings add nothing."""
    known = {"n_gold": 50, "n_items": 200, "system_accuracy": 0.8, "confidence": 0.95}
    assert gold_half_width(200, 0.95, 0.16, 0.9, 200) > 0.055
    # From a separate program: a squared correlation of .422 gives .1, and 253 gold items give .05.
    assert more_gold_items(half_width_now=0.1, half_width=0.05, **known) == 203
    assert more_gold_items(half_width_now=0.05, half_width=0.05, **known) == 0
    assert more_gold_items(half_width_now=0.14, half_width=0.05, **known) > 203  # wider than gold alone
    all_right = more_gold_items(half_width_now=0.05, half_width=0.02, **known | {"system_accuracy": 1.0})
    assert 0 < all_right < 1000
    with pytest.raises(StatsError, match="n_gold lies between 2"):
        more_gold_items(half_width_now=0.1, half_width=0.05, **known | {"n_gold": 1})


def test_what_is_missing() -> None:
    assert more_items(half_width_now=0.06, n_now=219, half_width=0.05).n_more == ceil(219 * 1.44) - 219
    assert more_items(half_width_now=0.05, n_now=219, half_width=0.05).enough
    assert more_items(half_width_now=0.01, n_now=219, half_width=0.05).n_more == 0
    for wrong in ({"half_width": 1.5}, {"half_width_now": -0.1}, {"n_now": 0}):
        with pytest.raises(StatsError):
            more_items(**{"half_width_now": 0.1, "n_now": 10, "half_width": 0.05} | wrong)


def test_an_absurd_half_width_is_answered_in_words() -> None:
    result = plan(n_raters=3, half_width=0.9, **EXPECTED)
    assert result.n_items == 1
    assert "says nothing" in result.warnings[0]
    assert "Take 30 or more" in result.warnings[1]
    assert "says nothing" in gold_items(**GOLD | {"half_width": 0.9}).warnings[0]
