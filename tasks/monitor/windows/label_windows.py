"""Compute shares of labels, and which labels are confused, in windows of the human ratings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.trends.label_trends import LabelPairs, confusion_trends, label_trends
from stats.trends.ratio_shares import Shares
from tasks.monitor.windows.people_in_windows import PeopleInWindows
from tasks.monitor.windows.window_spans import WINDOW, ItemWindows, WindowSettings

MAX_LABELS = 50  # with more, shares of labels are not followed
SHARES = {"share": pl.Float64, "low": pl.Float64, "high": pl.Float64, "confidence": pl.Float64, "too_few": pl.Boolean}
NO_ROWS: Mapping[str, pl.DataFrame] = {
    "label_windows": pl.DataFrame(
        schema={**WINDOW, "label": pl.String, "n_items": pl.Int64, "n_ratings": pl.Int64, **SHARES}
    ),
    "label_confusion_windows": pl.DataFrame(
        schema={
            **WINDOW, "label_a": pl.String, "label_b": pl.String, "n_items": pl.Int64, "n_pairs": pl.Int64, **SHARES
        }
    ),
}  # fmt: skip


def label_rows(
    people: PeopleInWindows,
    labels: Sequence[str],
    windows: ItemWindows,
    *,
    confidence: float,
    settings: WindowSettings,
    pairs: LabelPairs,
) -> dict[str, pl.DataFrame]:
    """Compute the rows of the tables `label_windows` and `label_confusion_windows`.

    pairs: labels whose confusion is followed. Of a question with more than MAX_LABELS labels there are no rows.
    """
    if windows.windows.is_empty() or len(labels) > MAX_LABELS:
        return dict(NO_ROWS)
    patterns, units = people.patterns, people.units
    shares = label_trends(patterns, units, confidence=confidence)
    window, label = (place.ravel() for place in np.indices(shares.n_ratings.shape))
    rows = pl.DataFrame(
        {
            "window": window,
            "label": np.array(labels, dtype=object)[label],
            "n_items": shares.n_items[window],
            "n_ratings": shares.n_ratings.ravel(),
            **_figures(shares.shares),
        },
        schema_overrides={"label": pl.String},
    )
    confused = confusion_trends(patterns, units, confidence=confidence, pairs=pairs)
    window, number = (place.ravel() for place in np.indices(confused.n_pairs.shape))
    met = pl.DataFrame(
        {
            "window": window,
            "label_a": np.array(labels, dtype=object)[confused.label_a[number]],
            "label_b": np.array(labels, dtype=object)[confused.label_b[number]],
            "n_items": confused.n_items[window],
            "n_pairs": confused.n_pairs.ravel(),
            **_figures(confused.shares),
        },
        schema_overrides={"label_a": pl.String, "label_b": pl.String},
    )
    return {
        "label_windows": in_windows(rows, windows, confidence, settings),
        "label_confusion_windows": in_windows(met, windows, confidence, settings),
    }


def in_windows(rows: pl.DataFrame, windows: ItemWindows, confidence: float, settings: WindowSettings) -> pl.DataFrame:
    """Replace the numbers of windows by their bounds, mark what is too small, and leave out what has no items."""
    bounds = windows.windows.with_columns(pl.col("window").cast(pl.Int64))
    return (
        rows.filter(pl.col("n_items") > 0)
        .join(bounds, on="window", maintain_order="left")
        .select(
            *WINDOW,
            pl.exclude("window", *WINDOW),
            confidence=pl.lit(confidence),
            too_few=pl.col("n_items") < settings.min_items,
        )
    )


def _figures(shares: Shares) -> dict[str, Any]:
    return {"share": shares.share.ravel(), "low": shares.low.ravel(), "high": shares.high.ravel()}
