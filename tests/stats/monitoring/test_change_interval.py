"""The interval of the day of a change."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stats.monitoring.change_interval import change_interval


def test_one_candidate() -> None:
    assert change_interval(np.array([3.0])) == (0, 0, 0)


def test_it_spans_gaps() -> None:
    assert change_interval(np.array([50.0, 0.1, 0.1, 49.0])) == (0, 0, 3)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30))
def test_it_holds_90_percent_with_the_fewest_candidates(values: list[float]) -> None:
    likelihood = np.array(values)
    best, low, high = change_interval(likelihood)
    assert likelihood[best] == likelihood.max()
    assert low <= best <= high
    assert likelihood[low : high + 1].sum() >= 0.9 * likelihood.sum() * (1 - 1e-12)
    largest = np.sort(likelihood)[::-1]
    needed = int((np.cumsum(largest) < 0.9 * likelihood.sum() * (1 - 1e-12)).sum()) + 1
    assert high - low + 1 >= needed
