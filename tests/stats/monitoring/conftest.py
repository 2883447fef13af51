"""Counts by day from single ratings, counted the slow and plain way."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.monitoring.daily_counts import (
    ANSWER_COLUMNS,
    DURATION_COLUMNS,
    ITEM_COLUMNS,
    RATING_COLUMNS,
    VERSION_COLUMNS,
    DailyCounts,
)

START = date(2026, 1, 5)
Row = dict[str, Any]  # item, rater, kind, label, day (of the rating); optionally duration, version


def count_days(rows: Sequence[Row], labels: Sequence[str]) -> DailyCounts:
    """Count rows, of which the latest one of each rater and item counts. Rows are in order of time."""
    current = {(row["item"], row["rater"]): row for row in rows}
    by_item: dict[str, list[Row]] = {}
    for row in current.values():
        by_item.setdefault(row["item"], []).append(row)
    numbers: dict[tuple[tuple[str, str, str], ...], int] = {}
    items: Counter[Any] = Counter()
    durations: Counter[Any] = Counter()
    versions: Counter[Any] = Counter()
    for ratings in by_item.values():
        human_days = [row["day"] for row in ratings if row["kind"] == "human"]
        if not human_days:
            continue
        day = max(human_days)
        content = tuple(sorted((row["kind"], row["rater"], row["label"]) for row in ratings))
        pattern = numbers.setdefault(content, len(numbers))
        items[day, pattern] += 1
        for row in ratings:
            if row["kind"] == "human" and row.get("duration") is not None:
                durations[day, row["rater"], row["duration"]] += 1
            if row["kind"] == "system" and row.get("version") is not None:
                versions[day, pattern, row["rater"], row["version"]] += 1
    contents = [(number, *rating) for content, number in numbers.items() for rating in content]

    def frame(data: list[Any], schema: dict[str, Any]) -> pl.DataFrame:
        return pl.DataFrame(data, schema=schema, orient="row")

    return DailyCounts(
        tuple(labels),
        frame([(*key, n) for key, n in items.items()], ITEM_COLUMNS),
        frame([(n, who, label) for n, kind, who, label in contents if kind == "human"], RATING_COLUMNS),
        frame([(n, who, label) for n, kind, who, label in contents if kind == "system"], ANSWER_COLUMNS),
        frame([(*key, n) for key, n in durations.items()], DURATION_COLUMNS),
        frame([(*key, n) for key, n in versions.items()], VERSION_COLUMNS),
    )


@pytest.fixture(name="count_days", scope="session")
def count_days_fixture() -> Callable[[Sequence[Row], Sequence[str]], DailyCounts]:
    return count_days


def simulated_rows(
    *,
    seed: int = 0,
    n_days: int = 40,
    per_day: int = 20,
    raters: Sequence[str] = ("ann", "bob", "cy", "dee"),
    labels: Sequence[str] = ("A", "B", "C"),
    accuracy: float = 0.8,
    system_accuracy: float = 0.8,
    new_version: int | None = None,
) -> list[Row]:
    """Make a healthy project: raters and a system know the label or guess; a fifth of the ratings are missing.

    From the day `new_version` on the system answers as v2.
    """
    rng, rows = np.random.default_rng(seed), []
    for number in range(n_days * per_day):
        day, truth = number // per_day, labels[int(rng.integers(len(labels)))]
        item = {"item": f"i{number}", "day": START + timedelta(days=day)}
        for who in (*raters, "bot"):
            knows = rng.random() < (system_accuracy if who == "bot" else accuracy)
            row = {**item, "rater": who, "label": truth if knows else labels[int(rng.integers(len(labels)))]}
            if who == "bot":
                version = "v1" if new_version is None or day < new_version else "v2"
                rows.append(row | {"kind": "system", "version": version})
            elif rng.random() < 0.8:
                rows.append(row | {"kind": "human", "duration": round(float(rng.lognormal(3, 0.5)), 1)})
    return rows


@pytest.fixture(name="simulated_rows", scope="session")
def simulated_rows_fixture() -> Callable[..., list[Row]]:
    return simulated_rows
