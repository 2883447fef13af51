"""The progress bar of a long task."""

from typing import Any

import pytest

from flows import prefect_progress
from flows.prefect_progress import with_progress


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the bar was set to."""
    calls: list[tuple[Any, ...]] = []

    def create(percent: float, *, key: str, description: str) -> str:
        calls.append((key, percent))
        return "id"

    monkeypatch.setattr(prefect_progress, "create_progress_artifact", create)
    monkeypatch.setattr(prefect_progress, "update_progress_artifact", lambda *values: calls.append(values))
    return calls


def test_a_short_task_has_no_bar(bar: list[tuple[Any, ...]]) -> None:
    assert list(with_progress("abc", 3, "evaluate")) == ["a", "b", "c"]
    assert bar == []


def test_a_long_task_has_a_bar_that_ends_at_100(bar: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 100, 6))  # seconds
    monkeypatch.setattr(prefect_progress.time, "monotonic", lambda: next(clock))
    assert list(with_progress("abcd", 4, "evaluate")) == ["a", "b", "c", "d"]
    assert bar == [("evaluate-progress", 50.0), ("id", 75.0), ("id", 100.0)]
