"""Shares of sums over items hold the true share as often as they say."""

import numpy as np

from stats.trends.ratio_shares import RatioSums, ratio_shares


def test_a_share_of_items_has_wilsons_interval() -> None:
    """The variance of ten items, of which 8 count, is that of nine trials. Wilson's interval of .8 of 9, by hand."""
    n, x = np.array([10.0]), np.array([8.0])
    result = ratio_shares(RatioSums(n, x, n, x, x, n), confidence=0.95)
    z2 = 1.959964**2
    middle, half = (0.8 + z2 / 18) / (1 + z2 / 9), (z2 * (0.16 / 9 + z2 / 324)) ** 0.5 / (1 + z2 / 9)
    assert result.share[0] == 0.8
    assert np.allclose([result.low[0], result.high[0]], [middle - half, middle + half], atol=1e-6)


def test_the_interval_covers_where_items_weigh_differently() -> None:
    rng, inside = np.random.default_rng(3), 0
    for _ in range(400):
        y = rng.integers(1, 5, 60)
        x = rng.binomial(y, rng.beta(4, 2, 60))
        sums = [
            np.array([float(total)]) for total in (60, x.sum(), y.sum(), (x * x).sum(), (x * y).sum(), (y * y).sum())
        ]
        result = ratio_shares(RatioSums(*sums), confidence=0.9)
        inside += bool(result.low[0] <= 2 / 3 <= result.high[0])
    assert 0.86 <= inside / 400 <= 0.94


def test_shares_of_nothing_and_of_all_are_within_their_intervals() -> None:
    n = np.array([20.0, 20.0, 0.0])
    x = np.array([0.0, 20.0, 0.0])
    result = ratio_shares(RatioSums(n, x, n, x, x, n), confidence=0.95)
    assert result.share[:2].tolist() == [0, 1]
    assert (result.low[:2] <= result.share[:2]).all()
    assert (result.high[:2] >= result.share[:2]).all()
    assert 0 < result.high[0] < 0.2
    assert np.isnan(result.share[2])
