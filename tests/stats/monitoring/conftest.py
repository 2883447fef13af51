"""Counts by day from single ratings, counted the slow and plain way."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

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
