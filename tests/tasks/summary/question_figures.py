"""Rows of figures by which a question is judged."""

from typing import Any

CRITICAL, WARNING = {"severity": "critical"}, {"severity": "warning"}


def agreement(low: float | None, high: float | None, **changes: Any) -> dict[str, Any]:
    estimate = None if low is None or high is None else (low + high) / 2
    return {
        "coefficient": "krippendorff_alpha", "estimate": estimate, "low": low, "high": high, "n_items": 100,
        "n_ratings": 300, "n_labels": 4, "reason": None,
    } | changes  # fmt: skip


def system(low: float, high: float, **changes: Any) -> dict[str, Any]:
    return {
        "system": "judge", "accuracy": 0.8, "low": low, "high": high, "outer_low": low, "outer_high": high,
        "confidence": 0.95, "n_items": 100, "n_gold": 0,
    } | changes  # fmt: skip


def alike(value: float, n_items: int, **changes: Any) -> dict[str, Any]:
    """Agreement with a standard error of 0: all items are alike."""
    observed = {"observed": (1 + value) / 2, "expected": 0.5, "confidence": 0.95}
    return agreement(value, value, n_items=n_items, n_ratings=2 * n_items, **observed | changes)
