"""Distinct keys are those of np.unique, whether by a table or by a sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.distinct_keys import distinct_keys


@given(st.lists(st.integers(-3, 40) | st.integers(0, 2**40), max_size=60))
def test_they_are_those_of_numpy(keys: list[int]) -> None:
    given_keys = np.array(keys, np.int64)
    for mine, theirs in zip(
        distinct_keys(given_keys), np.unique(given_keys, return_index=True, return_inverse=True), strict=True
    ):
        assert mine.tolist() == theirs.tolist()


def test_a_dense_range_is_not_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("sorted")

    monkeypatch.setattr(np, "unique", refuse)
    assert distinct_keys(np.array([3, 3, 0])).place.tolist() == [1, 1, 0]
    with pytest.raises(AssertionError, match="sorted"):
        distinct_keys(np.array([10**12, 3]))
