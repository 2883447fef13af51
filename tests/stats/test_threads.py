"""Computations at once, where there are cores and rows enough."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stats.threads import MAX_ROWS, MIN_ROWS, OneAfterAnother, executor_for


def test_few_rows_and_far_too_many_are_computed_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    for n_rows in (0, MIN_ROWS - 1, MAX_ROWS + 1):
        assert isinstance(executor_for(n_rows), OneAfterAnother)
    for n_rows in (MIN_ROWS, MAX_ROWS):
        with executor_for(n_rows) as executor:
            assert isinstance(executor, ThreadPoolExecutor)


def test_one_core_has_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert isinstance(executor_for(MIN_ROWS), OneAfterAnother)


def test_one_after_another_stays_in_the_caller_s_thread_and_in_order() -> None:
    calls: list[tuple[str, int]] = []

    def record(name: str) -> str:
        calls.append((name, threading.get_ident()))
        return name * 2

    with executor_for(1) as executor:
        future = executor.submit(record, "a")
        assert list(executor.map(record, "bc")) == ["bb", "cc"]
    assert future.result() == "aa"
    assert calls == [(name, threading.get_ident()) for name in "abc"]


def test_an_error_reaches_the_caller_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for n_rows in (1, MIN_ROWS):
        with executor_for(n_rows) as executor, pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result()
