"""Ratings frames from the ways in which the literature prints them."""

import polars as pl
import pytest

SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String}


def frame(rows):
    return pl.DataFrame([tuple(map(str, row)) for row in rows], schema=SCHEMA, orient="row")


def from_raters(lines):
    """One list per rater with one label per item, None = not rated."""
    return frame(
        (i, f"r{g:03}", label) for g, line in enumerate(lines) for i, label in enumerate(line) if label is not None
    )


def from_table(table, labels):
    """Items by the label of the first rater (rows) and of the second (columns); rows may have labels of their own."""
    rows = [*labels, *(f"row {j + 1}" for j in range(len(labels), len(table)))]
    pairs = [
        (a, b) for a, row in zip(rows, table, strict=True) for b, n in zip(labels, row, strict=True) for _ in range(n)
    ]
    return from_raters(list(zip(*pairs, strict=True)) or [[], []])


def from_counts(counts, labels):
    """One list per item: how many raters gave each label."""
    lines = [[label for label, n in zip(labels, row, strict=True) for _ in range(n)] for row in counts]
    return frame((i, f"r{g:03}", label) for i, line in enumerate(lines) for g, label in enumerate(line))


@pytest.fixture(scope="session")
def ratings_from():
    return {"raters": from_raters, "table": from_table, "counts": from_counts}
