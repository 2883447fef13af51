"""Lehner's formulas against his printed tables, and at the edges of their domain."""

from typing import Any

import numpy as np
import pytest

from stats.accuracy.estimators import lehner, lehner_fit
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray

Arrays = tuple[IntArray, IntArray, FloatArray]


@pytest.fixture(scope="module")
def cases(lehner_facts: dict[str, Any]) -> Arrays:
    """Counts C, the system's codes, one weighting of ones."""
    texts = [case.split() for case in lehner_facts["table2"]["cases"]]
    C = np.array([[raters.count(x) for x in "ABCD"] for raters, _ in texts])
    return C, np.array(["ABCD".index(answer) for _, answer in texts]), np.ones((1, len(texts)))


def ask(C: list[list[int]], system: list[int], n: list[int] | None = None) -> float:
    weights = np.array([n or [1] * len(C)], np.float64)
    return float(lehner.replicate(np.array(C), np.array(system), weights)[0])


def test_raters_of_table_2(cases: Arrays, lehner_facts: dict[str, Any]) -> None:
    C, _, W = cases
    facts, raters = lehner_facts["table2"], lehner.rater_figures(C, W)
    assert C.sum(axis=0).tolist() == facts["ratings_by_label"]
    assert raters.P_a[0] == pytest.approx(facts["agreeing_pairs"] / facts["pairs"], abs=1e-15)
    assert raters.P_c[0] == pytest.approx(facts["rater_accuracy"], abs=1e-12)
    assert raters.base_rates[0] == pytest.approx(facts["base_rates"], abs=1e-12)
    assert lehner.kappa(raters.P_a, 4)[0] == pytest.approx(facts["kappa"], abs=5e-5)


def test_posterior_is_table_3(cases: Arrays, lehner_facts: dict[str, Any]) -> None:
    C, system, W = cases
    P = lehner.posterior(C, lehner.rater_figures(C, W))[0]
    assert pytest.approx(np.array(lehner_facts["table3"]["posterior"]), abs=5.1e-4) == P
    assert "".join("ABCD"[x] for x in lehner.top_label(P)) == lehner_facts["table3"]["top"]
    answers = P[np.arange(10), system].mean()
    assert answers == pytest.approx(lehner_facts["table2"]["mean_posterior_of_answers"], abs=5e-4)


def test_bins_and_accuracy_are_table_4(cases: Arrays, lehner_facts: dict[str, Any]) -> None:
    C, system, W = cases
    bins = lehner.bin_figures(C, system, W, lehner.rater_figures(C, W))
    for low, _, P_g, n, P_a, P_s in lehner_facts["table4"]["bins"]:
        b = round(low * 10)
        results = bins.n[0, b], bins.P_g[0, b], bins.P_a[0, b], bins.P_s[0, b]
        assert results == pytest.approx((n, P_g, P_a, P_s), abs=5.1e-4)
    assert bins.n.sum() == 10
    assert lehner.mean_of_bins(bins)[0] == pytest.approx(lehner_facts["table4"]["accuracy"], abs=5e-6)


@pytest.mark.parametrize(("N", "P_c"), [(2, 0.6), (2, 1.0), (5, 0.3), (5, 0.9), (50, 0.05)])
def test_rater_accuracy_inverts_the_agreement_it_causes(N: int, P_c: float) -> None:
    P_a = P_c**2 + (1 - P_c) ** 2 / (N - 1)  # Eq. 1: both right, or both wrong in the same way
    assert lehner.rater_accuracy(np.array([P_a]), N)[0] == pytest.approx(P_c, abs=1e-9)


def test_base_rates_invert_the_shares_they_cause() -> None:
    pi, P_c = np.array([[0.5, 0.3, 0.15, 0.05]]), np.array([0.7])
    f = pi * 0.7 + (1 - pi) * 0.3 / 3
    assert lehner.base_rates(f, P_c)[0] == pytest.approx(pi[0], abs=1e-12)


def test_negative_base_rates_are_clipped_and_scaled() -> None:
    # raw values (.85, -.05, .2) by Eq. 5 with N = 3, P_c = .5: (2 f - .5) / .5
    result = lehner.base_rates(np.array([[0.4625, 0.2375, 0.3]]), np.array([0.5]))[0]
    assert result == pytest.approx([0.85 / 1.05, 0, 0.2 / 1.05], abs=1e-12)


@pytest.mark.parametrize("P_s", [0.0, 0.2, 0.7, 1.0])
def test_system_accuracy_inverts_the_agreement_it_causes(P_s: float) -> None:
    N, P_g = 4, np.array([0.6])
    P_a = P_s * P_g + (1 - P_s) * (1 - P_g) / (N - 1)  # Eq. 6
    assert lehner.system_accuracy(P_a, P_g, N)[0] == pytest.approx(P_s, abs=1e-12)


def test_a_bin_that_cannot_tell_is_undefined() -> None:
    assert np.isnan(lehner.system_accuracy(np.array([0.5]), np.array([0.25]), 4)[0])
    assert np.isnan(lehner.system_accuracy(np.array([0.5]), np.array([0.25 + 2e-7]), 4)[0])


def test_bins_are_clipped_before_they_are_weighted() -> None:
    bins = lehner.CertaintyBins(
        n=np.array([[1.0, 3.0]]),
        P_g=np.array([[0.5, 0.9]]),
        P_a=np.array([[1.0, 0.5]]),
        P_s=lehner.system_accuracy(np.array([[1.0, 0.5]]), np.array([[0.5, 0.9]]), 4),
    )
    # Eq. 7: (3 + .5 - 1)/1 = 2.5 -> 1; (1.5 + .9 - 1)/2.6 = .53846
    assert lehner.mean_of_bins(bins)[0] == pytest.approx((1 + 3 * 0.5384615) / 4, abs=1e-6)


def test_bins_are_closed_on_the_right_within_tolerance() -> None:
    P_g = np.array([0.5, 0.5 + 5e-10, 0.5 + 5e-9, 0.6, 0.9 - 5e-10, 1.0, 1.0 - 1e-12, 0.02])
    assert lehner.bin_of(P_g).tolist() == [4, 4, 5, 5, 8, 9, 9, 0]


def test_ties_go_to_the_first_declared_label() -> None:
    P = np.array([[0.2, 0.4, 0.4], [0.3, 0.4 - 5e-10, 0.4], [0.3, 0.4 - 5e-9, 0.4]])
    assert lehner.top_label(P).tolist() == [1, 1, 2]


@pytest.mark.parametrize("answer", [0, 1])
def test_few_items_without_any_error_are_no_certainty(answer: int) -> None:
    """Every bootstrap sample of five such items has the same estimate. An interval [1, 1] would be a certain one."""
    patterns = SystemPatterns(np.array([[3, 0]]), np.array([answer]), np.array([5]))
    result = lehner_fit.interval(patterns, lehner_fit.fit(patterns), 0.95, 0)
    assert result.low is not None
    assert result.high is not None
    assert result.high - result.low > 0.3
    assert result.se is not None
    assert result.se > 0.01


def test_raters_in_perfect_agreement() -> None:
    assert ask([[3, 0], [0, 3], [3, 0], [0, 3]], [0, 1, 0, 0]) == pytest.approx(0.75, abs=1e-9)


def test_a_hundred_and_thirty_raters_do_not_overflow() -> None:
    C = np.zeros((4, 50), np.int64)
    C[[0, 1, 2, 3], [0, 1, 2, 3]] = 130
    C[3] = 0
    C[3, [3, 4]] = [70, 60]
    P = lehner.posterior(C, lehner.rater_figures(C, np.ones((1, 4))))[0]
    assert np.isfinite(P).all()
    assert pytest.approx(np.ones(4)) == P.sum(axis=1)
    assert lehner.top_label(P).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "C",
    [
        [[1, 1], [1, 1]],  # agreement 0, below chance
        [[2, 0], [1, 1], [0, 2], [1, 1]],  # exactly chance 1/2
        [[1, 0], [0, 1]],  # no pair at all
    ],
)
def test_no_estimate_unless_raters_agree_better_than_chance(C: list[list[int]]) -> None:
    assert np.isnan(ask(C, [0] * len(C)))


def test_an_item_without_ratings_changes_nothing() -> None:
    C, system = [[3, 0], [2, 1], [0, 3]], [0, 1, 1]
    assert ask([*C, [0, 0]], [*system, 1]) == ask(C, system)


def test_an_item_without_an_answer_counts_for_the_raters_only(cases: Arrays) -> None:
    C, system, W = cases
    some = np.where(np.arange(10) < 5, system, -1)
    raters = lehner.rater_figures(C, W)
    bins = lehner.bin_figures(C, some, W, raters)
    assert bins.n.sum() == 5
    assert lehner.replicate(C, some, W)[0] == lehner.mean_of_bins(bins)[0]


def test_patterns_with_weights_are_items(cases: Arrays) -> None:
    C, system, _ = cases
    n = np.array([1, 4, 2, 3, 1, 5, 2, 1, 3, 2])
    repeated = lehner.replicate(np.repeat(C, n, axis=0), np.repeat(system, n), np.ones((1, n.sum())))[0]
    assert lehner.replicate(C, system, n[None, :].astype(float))[0] == pytest.approx(repeated, abs=1e-12)


def test_many_weightings_at_once_are_each_alone(cases: Arrays) -> None:
    C, system, _ = cases
    W = np.random.default_rng(3).multinomial(10, np.full(10, 0.1), size=150).astype(float)
    together = lehner.replicate(C, system, W)
    alone = np.array([lehner.replicate(C, system, row[None, :])[0] for row in W])
    np.testing.assert_array_equal(together, alone)
    assert 0 < np.isnan(together).sum() < 60


def test_blocks_do_not_change_the_result(cases: Arrays, monkeypatch: pytest.MonkeyPatch) -> None:
    C, system, W = cases
    whole = lehner.replicate(C, system, W)
    monkeypatch.setattr(lehner, "_CELLS", 12)  # three patterns of four labels
    assert lehner.replicate(C, system, W) == pytest.approx(whole, abs=1e-12)


def test_truth_is_found_with_many_items() -> None:
    rng, N = np.random.default_rng(11), 5
    truth = rng.choice(N, 40_000, p=[0.4, 0.25, 0.15, 0.12, 0.08])

    def answer(right: float) -> IntArray:
        wrong = (truth + rng.integers(1, N, truth.size)) % N
        return np.where(rng.random(truth.size) < right, truth, wrong)

    C = sum((answer(0.55)[:, None] == np.arange(N)).astype(np.int64) for _ in range(3))
    assert isinstance(C, np.ndarray)
    for right in (0.1, 0.5, 0.95):
        result = lehner.replicate(C, answer(right), np.ones((1, truth.size)))[0]
        assert result == pytest.approx(right, abs=0.02)
