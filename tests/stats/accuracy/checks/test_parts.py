"""The parts of the checks against other ways to compute the same: enumeration, simulation, brute force."""

from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import polars as pl
import pytest

from stats.accuracy.checks import coin_null, difficulty_check, person_pairs, raters_check
from stats.accuracy.checks.check_inputs import check_inputs
from stats.accuracy.checks.coin_null import OneCoinNull
from stats.accuracy.checks.finding import p_upper
from stats.accuracy.raters import tetrads
from stats.patterns import patterns_of

World = Callable[..., pl.DataFrame]
LABELS = list("ABCDE")
COIN = OneCoinNull(np.array([0.6]), np.array([[0.5, 0.3, 0.2]]))


def test_pairs_of_one_coin_are_as_the_corrected_formula_says() -> None:
    """E[AB] = (pi_A + pi_B) 2 P_c P_e + (1 - pi_A - pi_B) 2 P_e^2, unordered."""
    pairs, (P_c, P_e), pi = COIN.pairs()[0], (0.6, 0.2), COIN.base_rates[0]
    assert pairs.sum() == pytest.approx(1)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        both = pi[a] + pi[b]
        assert 2 * pairs[a, b] == pytest.approx(both * 2 * P_c * P_e + (1 - both) * 2 * P_e**2)


@pytest.mark.parametrize("listed", [10_000, 0], ids=["by pattern", "by item"])
def test_simulated_sets_have_the_means_of_the_model(monkeypatch: pytest.MonkeyPatch, listed: int) -> None:
    monkeypatch.setattr(coin_null, "MAX_LISTED", listed)
    like = coin_null.moments(np.array([[1, 1, 1], [2, 0, 0]]), np.array([300, 100]))
    result = coin_null.simulated(COIN, like, 200, np.random.default_rng(1))
    pairs = 300 * 6 + 100 * 2
    assert result.pairs.sum(axis=(1, 2)).tolist() == [pairs] * 200
    np.testing.assert_allclose(result.pairs.mean(axis=0) / pairs, COIN.pairs()[0], atol=0.003)
    assert result.ratings.sum(axis=1).tolist() == [1100] * 200
    assert abs(difficulty_check.statistic(result).mean()) < 0.01


def test_the_variance_of_agreeing_pairs_is_that_of_enumeration() -> None:
    """Every way in which four raters label an item, with its chance."""
    chance, a = [], []
    for labels in product(range(3), repeat=4):
        given = [np.prod(np.where(np.array(labels) == right, 0.6, 0.2)) for right in range(3)]
        chance.append(COIN.base_rates[0] @ given)
        C = np.bincount(labels, minlength=3)
        a.append((C * (C - 1)).sum() / 2)
    mean = np.dot(chance, a)
    result = coin_null.moments(np.array([[4, 0, 0], [2, 1, 1]]), np.array([5, 5]))
    fitted = OneCoinNull.of(result)
    variance = difficulty_check._variances(result)[1][0] / 10
    P_c, P_e = float(fitted.P_c[0]), float(fitted.P_e[0])
    again, squares = 0.0, 0.0
    for labels in product(range(3), repeat=4):
        p = np.prod(np.where(np.array(labels) == 0, P_c, P_e))  # agreement is the same whatever the right label
        C = np.bincount(labels, minlength=3)
        pairs = (C * (C - 1)).sum() / 2
        again, squares = again + p * pairs, squares + p * pairs**2
    assert mean == pytest.approx(6 * (0.36 + 2 * 0.04))
    assert variance == pytest.approx(squares - again**2)


def test_the_covariance_of_the_sums_is_that_of_all_exchanges() -> None:
    codes = np.array([[0, 0, 1, -1], [1, 1, 1, 2], [0, 1, -1, 0]])
    scores = raters_check.scores_of(patterns_of(codes, np.ones(3, np.int64), 3))
    V, mean = np.zeros((4, 4)), np.zeros(4)
    for row in codes:
        rated = np.flatnonzero(row >= 0)
        own = np.array([(row[rated] == row[g]).sum() - 1.0 for g in rated])
        sums = np.zeros((0, 4))
        for order in permutations(range(len(rated))):
            result = np.zeros(4)
            result[rated] = own[list(order)]
            sums = np.vstack([sums, result])
        V += np.cov(sums.T, bias=True)
        mean += sums.mean(axis=0)
    np.testing.assert_allclose(raters_check.covariance(scores), V, atol=1e-12)
    D, rated = raters_check._deviations(scores)
    assert np.sort(np.linalg.eigvalsh(raters_check._covariance_of(D, rated))) == pytest.approx(np.linalg.eigvalsh(V))


def test_exchanges_keep_the_scores_of_each_item_and_the_gaps() -> None:
    codes = np.array([[0, 0, 1, -1], [1, 1, 1, 2]])
    D, rated = raters_check._deviations(raters_check.scores_of(patterns_of(codes, np.array([2, 3]), 3)))
    assert D.shape == (5, 4)
    drawn = raters_check._exchanged(D, rated, 50, np.random.default_rng(1))
    assert (drawn[:, ~rated] == 0).all()
    np.testing.assert_allclose(np.sort(drawn, axis=2), np.sort(np.broadcast_to(D, drawn.shape), axis=2))
    assert len(np.unique(drawn, axis=0)) > 10


def test_random_exchanges_and_chi_squared_agree(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    given = check_inputs(world(150, (0.5, 0.6, 0.65)).filter(pl.col("rater") != "bot"), labels=LABELS, systems=[],
                     ordered=False, seed=1, replicates=2000)  # fmt: skip
    (exact,) = raters_check.run(given)
    monkeypatch.setattr(raters_check, "MAX_EXCHANGED", 0)
    (smooth,) = raters_check.run(given)
    assert exact.statistic == smooth.statistic
    assert exact.p_value == pytest.approx(smooth.p_value, abs=0.04)


def test_a_tetrad_of_rank_one_is_zero() -> None:
    """Agreement in exactly the proportions of independent raters with unequal accuracies: nobody is suspected."""
    p, k = np.array([0.5, 0.7, 0.8, 0.9]), 2
    codes = np.array(list(product(range(k), repeat=4)))
    chance = [sum(0.5 * np.prod(np.where(row == z, p, 1 - p)) for z in range(k)) for row in codes]
    given = tetrads.agreements(patterns_of(codes, np.round(np.array(chance) * 1e9).astype(np.int64), k))
    c = (k * p - 1) / (k - 1)
    apart = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(given.s[apart], (np.outer(c, c) / 2)[apart], atol=1e-8)
    none = np.zeros((4, 4), bool)
    result = tetrads.test_excess(given, 2, 3, np.array([0, 1]), none)
    assert result is None  # rater 0 is at chance: nothing is known of the accuracy of the two
    better = tetrads.test_excess(given, 0, 3, np.array([1, 2]), none)
    assert better is not None
    assert abs(better.z) < 0.01
    assert better.expected == pytest.approx(better.agreement, abs=1e-6)


@pytest.mark.field_trial(3)
def test_chance_agreement_is_that_of_the_label_frequencies_on_the_common_items() -> None:
    rng = np.random.default_rng(1)
    codes, n_items = rng.integers(-1, 3, (40, 3)), rng.integers(1, 4, 40)
    given = tetrads.agreements(patterns_of(codes, n_items, 3))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        both = (codes[:, a] >= 0) & (codes[:, b] >= 0)
        table = np.zeros((3, 3))
        np.add.at(table, (codes[both, a], codes[both, b]), n_items[both])
        table /= table.sum()
        chance = table.sum(axis=1) @ table.sum(axis=0)
        assert given.chance[a, b] == given.chance[b, a] == pytest.approx(chance)
        assert given.s[a, b] == pytest.approx(np.trace(table) - chance)
        of_pair = (given.first == a) & (given.second == b)
        assert given.weight[of_pair] @ given.deviation[of_pair] == pytest.approx(0, abs=1e-9)


def test_the_standard_error_is_that_of_the_bootstrap(world: World) -> None:
    result = check_inputs(world(300), labels=LABELS, systems=["bot"], ordered=False, seed=1, replicates=19)
    patterns = person_pairs.with_system(result.systems["bot"])
    others, none = np.array([1, 2]), np.zeros((4, 4), bool)
    rng, n = np.random.default_rng(1), patterns.n_items
    excess = []
    for draw in rng.multinomial(300, n / n.sum(), 300):
        s = tetrads.agreements(patterns.__class__(**{**patterns.__dict__, "n_items": draw})).s
        excess.append(2 * s[0, 3] * s[1, 2] - s[0, 1] * s[3, 2] - s[0, 2] * s[3, 1])
    given = tetrads.agreements(patterns)
    row = tetrads.test_excess(given, 0, 3, others, none)
    assert row is not None
    s = given.s
    T = 2 * s[0, 3] * s[1, 2] - s[0, 1] * s[3, 2] - s[0, 2] * s[3, 1]
    assert T / row.z == pytest.approx(np.std(excess), rel=0.2)


def test_p_counts_the_observed_set_and_leaves_out_undefined_ones() -> None:
    assert p_upper(1.0, np.array([np.nan, np.nan])) == 1.0
    assert p_upper(5.0, np.zeros(99)) == 0.01


def test_few_items_that_happen_to_agree_are_no_proof() -> None:
    """20 items on which two agree 17 times where 9 are expected: 1 in 2,000 such pairs, not 1 in 10 million."""
    rng = np.random.default_rng(1)
    codes = np.full((4020, 4), -1)
    truth = rng.integers(0, 5, 4020)
    for j in range(4):
        codes[:, j] = np.where(rng.random(4020) < 0.6, truth, (truth + rng.integers(1, 5, 4020)) % 5)
    codes[:2000, 0] = codes[2000:4000, 1] = -1  # the first two share the last 20 items
    codes[4000:, 1] = np.where(np.arange(20) < 17, codes[4000:, 0], (codes[4000:, 0] + 1) % 5)
    given = tetrads.agreements(patterns_of(codes, np.ones(4020, np.int64), 5))
    result = tetrads.test_excess(given, 0, 1, np.array([2, 3]), np.zeros((4, 4), bool))
    assert result is not None
    assert (result.common, result.agreement) == (20, pytest.approx(0.85))
    assert result.expected == pytest.approx(0.4, abs=0.05)
    assert 1e-5 < result.p_value < 1e-3
