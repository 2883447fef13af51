"""Correlation within days and swings between weeks, by hand."""

import numpy as np
import pytest

from stats.monitoring.look_variance import block_inflation, day_correlations, look_variances


def test_variance_of_a_look() -> None:
    result = look_variances(np.array([1.0, 10.0, 1e9]), np.array(0.2), np.array(0.1), 2.0)
    assert result == pytest.approx([0.4, 0.4 * (0.09 + 0.1), 0.04])


def test_correlation_uses_pairs_of_earlier_looks() -> None:
    means, n = np.array([[0.0, 0.4, 0.0]]), np.full((1, 3), 10.0)
    rho = day_correlations(means, n, np.array([0.2]), np.array([0.03]))
    # of look 2: h = .2, w = 1/4, one difference of .4
    expected = (20 * 0.03 + (0.16 / 0.2 - 0.2) / 4) / (20 + (2 - 0.2) / 4)
    assert rho[0] == pytest.approx([0.03, 0.03, expected])


def test_correlation_stays_between_0_and_a_half() -> None:
    n, s2, prior = np.full((1, 60), 1000.0), np.array([0.2]), np.array([0.03])
    swings = np.tile([0.0, 1.0], 30)[None]
    assert day_correlations(swings, n, s2, prior)[0, -1] == 0.5
    assert day_correlations(np.zeros((1, 60)), np.full((1, 60), 2.0), s2, np.array([0.0]))[0, -1] == 0


def test_days_of_one_item_tell_nothing_of_correlation() -> None:
    means, n = np.random.default_rng(1).normal(size=(1, 30)), np.ones((1, 30))
    above = day_correlations(means, n, np.array([1.0]), np.array([0.03]))
    assert (np.abs(above - 0.03) < 0.02).all()


def test_inflation_compares_complete_blocks() -> None:
    means, n = np.zeros((1, 21)), np.full((1, 21), 10.0)
    means[0, 5:10] = 0.1
    factor = block_inflation(means, n, np.array([0.2]), np.zeros((1, 21)))[0]
    q = 0.1**2 / (2 * 0.2 / 50)  # 1.25: the variance of a block of 50 items is .004
    assert (factor[:10] == 1).all()
    assert factor[10:15] == pytest.approx((6 + q) / 7)
    assert factor[15:20] == pytest.approx((6 + 2 * q) / 8)
    assert factor[20] == pytest.approx(max(1, (6 + 2 * q) / 9))


def test_one_change_adds_at_most_nine() -> None:
    means, n = np.zeros((1, 11)), np.full((1, 11), 1000.0)
    means[0, 5:] = 5
    assert block_inflation(means, n, np.array([0.2]), np.zeros((1, 11)))[0, -1] == pytest.approx(15 / 7)


def test_fewer_looks_than_a_block() -> None:
    assert (block_inflation(np.zeros((2, 3)), np.ones((2, 3)), np.ones(2), np.zeros((2, 3))) == 1).all()
