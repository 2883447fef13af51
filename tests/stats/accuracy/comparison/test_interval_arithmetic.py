"""Intervals of differences and means, from those of independent estimates."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.accuracy.comparison.interval_arithmetic import (
    Estimate,
    as_sure_as_interval,
    difference,
    weighted_mean,
)

WIDTHS = st.floats(0, 1)
ESTIMATES = st.builds(lambda x, below, above: Estimate(x, x - below, x + above), st.floats(0, 1), WIDTHS, WIDTHS)


def test_the_difference_of_two_symmetric_intervals() -> None:
    """With half-widths of 3 and 4 the difference has 5, as for two independent normal errors."""
    result = difference(Estimate(10, 7, 13), Estimate(2, -2, 6))
    assert (result.value, result.low, result.high) == (8, 3, 13)


def test_lopsided_intervals_give_a_lopsided_difference() -> None:
    """Zou and Donner (2008), equation 6: each limit uses the limits on the side that matters."""
    result = difference(Estimate(0.9, 0.6, 0.95), Estimate(0.5, 0.1, 0.58))
    assert result.low == pytest.approx(0.4 - math.hypot(0.3, 0.08))
    assert result.high == pytest.approx(0.4 + math.hypot(0.05, 0.4))


@given(first=ESTIMATES, other=ESTIMATES)
def test_the_other_way_round_the_difference_is_negative(first: Estimate, other: Estimate) -> None:
    there, back = difference(first, other), difference(other, first)
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))
    assert there.low <= there.value <= there.high


@given(first=ESTIMATES, n=st.integers(1, 9))
def test_the_mean_of_n_alike_is_surer_by_the_root_of_n(first: Estimate, n: int) -> None:
    mean = weighted_mean([first] * n, [2.0] * n)
    assert mean.value == pytest.approx(first.value)
    assert mean.high - mean.value == pytest.approx((first.high - first.value) / math.sqrt(n))
    assert mean.value - mean.low == pytest.approx((first.value - first.low) / math.sqrt(n))


def test_an_estimate_without_weight_has_no_say() -> None:
    assert weighted_mean([Estimate(0.5, 0.4, 0.7), Estimate(0, -9, 9)], [3, 0]) == Estimate(0.5, 0.4, 0.7)
    with pytest.raises(ZeroDivisionError):
        weighted_mean([], [])


@given(st.floats(0, 1), ESTIMATES, st.sampled_from([0.5, 0.9, 0.95]))
def test_no_probability_is_surer_than_its_interval_nor_less_sure(p: float, of: Estimate, confidence: float) -> None:
    result = as_sure_as_interval(p, of.low - 0.5, of.high - 0.5, confidence=confidence)
    away = of.low - 0.5 > 0 or of.high - 0.5 < 0
    assert abs(result - 0.5) >= confidence / 2 - 1e-12 if away else abs(result - 0.5) <= confidence / 2 + 1e-12
    assert result == pytest.approx(
        1 - as_sure_as_interval(1 - p, 0.5 - of.high, 0.5 - of.low, confidence=confidence), abs=1e-12
    )
