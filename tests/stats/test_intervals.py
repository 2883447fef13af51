"""stats.intervals against tables of the t and normal distributions."""

import numpy as np
import pytest

from stats.errors import StatsError
from stats.intervals import normal_interval, t_interval, two_sided_p


@pytest.mark.parametrize(
    ("df", "confidence", "quantile"), [(1, 0.95, 12.7062), (11, 0.95, 2.2010), (11, 0.9, 1.7959), (30, 0.99, 2.7500)]
)
def test_t_quantiles(df, confidence, quantile):
    low, high = t_interval(0.0, 1.0, df, confidence=confidence)
    assert (-low, high) == (pytest.approx(quantile, abs=5e-5), pytest.approx(quantile, abs=5e-5))


def test_normal_quantile_and_upper_bound():
    low, high = normal_interval(0.9, 0.1, confidence=0.95, upper=1)
    assert (low, high) == (pytest.approx(0.9 - 0.1959964), 1)


def test_p_values():
    assert two_sided_p(2.2010, 1, 11) == pytest.approx(0.05, abs=5e-5)
    assert two_sided_p(-2.2010, 1, 11) == two_sided_p(2.2010, 1, 11)
    assert two_sided_p(0.0, 1, 11) == 1


def test_undefined_stays_undefined():
    low, high = t_interval([0.5, 0.5, np.nan], [0.1, np.nan, 0.1], [0, 5, 5], confidence=0.95, upper=1)
    assert np.isnan(low).all()
    assert np.isnan(high).all()
    assert np.isnan(two_sided_p([0.5, 0.5, 0.5], [0.0, np.nan, 0.1], [5, 5, 0])).all()


@pytest.mark.parametrize("confidence", [0, 1, 95, -1, float("nan")])
def test_a_confidence_outside_0_to_1_is_an_error(confidence):
    with pytest.raises(StatsError, match="must lie between 0 and 1"):
        normal_interval(0.5, 0.1, confidence=confidence)
