"""Sums by window and subject, by full tables or answer by answer, against a loop over single items."""

import numpy as np
import pytest

from stats.trends import subject_sums as module
from stats.trends.subject_sums import SubjectAnswers, SubjectSums, subject_sums
from stats.trends.window_sums import WindowUnits, window_units

PATTERNS, SUBJECTS, UNITS, WINDOWS = 40, 6, 9, 5


def drawn(seed: int) -> tuple[SubjectAnswers, WindowUnits]:
    """Some subjects answer no item of some windows; one window has no items."""
    rng = np.random.default_rng(seed)
    pattern, subject = np.nonzero(rng.random((PATTERNS, SUBJECTS)) < 0.4)
    values = rng.normal(size=(len(pattern), 3))
    unit, of_unit = np.nonzero(rng.random((UNITS - 1, PATTERNS)) < 0.1)
    counts = unit, of_unit, rng.integers(1, 9, len(unit))
    members = np.nonzero(rng.random((WINDOWS - 1, UNITS - 1)) < 0.4)
    units = window_units(members, counts, n_windows=WINDOWS, n_patterns=PATTERNS)
    return SubjectAnswers(pattern, subject, SUBJECTS, values), units


def by_hand(answers: SubjectAnswers, units: WindowUnits) -> dict[tuple[int, int], np.ndarray]:
    members, items = units.members.toarray(), units.items.toarray()
    sums: dict[tuple[int, int], np.ndarray] = {}
    for window in range(WINDOWS):
        for unit in np.flatnonzero(members[window]):
            for pattern, subject, value in zip(answers.pattern, answers.subject, answers.values, strict=True):
                if items[unit, pattern]:
                    sums.setdefault((window, int(subject)), np.zeros(3))
                    sums[window, int(subject)] += items[unit, pattern] * value
    return sums


def rows(result: SubjectSums) -> list[tuple[int, int]]:
    return list(zip(result.window.tolist(), result.subject.tolist(), strict=True))


@pytest.mark.parametrize("filled", [0, 8], ids=["answers", "tables"])
@pytest.mark.parametrize("seed", range(3))
def test_sums_are_those_of_single_items(seed: int, filled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILLED", filled)
    answers, units = drawn(seed)
    result, expected = subject_sums(answers, units), by_hand(answers, units)
    assert rows(result) == sorted(expected)
    np.testing.assert_allclose(result.sums, [expected[key] for key in rows(result)], rtol=1e-12)


def test_both_ways_are_equal_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, units = drawn(7)
    tables = subject_sums(answers, units)
    monkeypatch.setattr(module, "FILLED", 0)
    one_by_one = subject_sums(answers, units)
    assert rows(tables) == rows(one_by_one)
    np.testing.assert_array_equal(tables.sums, one_by_one.sums)
