"""Compute shares of labels, and which labels are confused, in windows of the human ratings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.counts import distinct_raters
from stats.patterns import RatingPatterns
from stats.trends.label_trends import confusion_trends, label_trends
from stats.trends.ratio_shares import Shares
from stats.trends.window_sums import WindowUnits
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
    human: pl.DataFrame,
    names: pl.DataFrame,
    labels: Sequence[str],
    windows: ItemWindows,
    *,
    confidence: float,
    settings: WindowSettings,
) -> dict[str, pl.DataFrame]:
    """Compute the rows of the tables `label_windows` and `label_confusion_windows`.

    `human` and `names` are from `human_patterns`. Of a question with more than MAX_LABELS labels there are none.
    """
    if human.is_empty() or len(labels) > MAX_LABELS:
        return dict(NO_ROWS)
    patterns, units = _coded(human, names, labels, windows)
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
    confused = confusion_trends(patterns, units, confidence=confidence)
    window, pair = (place.ravel() for place in np.indices(confused.n_pairs.shape))
    pairs = pl.DataFrame(
        {
            "window": window,
            "label_a": np.array(labels, dtype=object)[confused.label_a[pair]],
            "label_b": np.array(labels, dtype=object)[confused.label_b[pair]],
            "n_items": confused.n_items[window],
            "n_pairs": confused.n_pairs.ravel(),
            **_figures(confused.shares),
        },
        schema_overrides={"label_a": pl.String, "label_b": pl.String},
    )
    return {
        "label_windows": in_windows(rows, windows, confidence, settings),
        "label_confusion_windows": in_windows(pairs, windows, confidence, settings),
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


def _coded(
    human: pl.DataFrame, names: pl.DataFrame, labels: Sequence[str], windows: ItemWindows
) -> tuple[RatingPatterns, WindowUnits]:
    """Return the human patterns in the order of their names, and the units in which they count."""
    items = human.select(pl.col("item").unique().sort()).with_row_index("place")
    raters = distinct_raters(human)
    coded = human.join(items, on="item").select(
        "place",
        *(
            pl.col(name).replace_strict(list(known), range(len(known)), return_dtype=pl.Int64)
            for name, known in (("rater", raters), ("label", list(labels)))
        ),
    )
    place, rater, label = (column.to_numpy().astype(np.int64) for column in coded.sort("place", "rater"))
    counts = windows.unit_counts(names).join(items, on="item").sort("unit", "place")
    of_item = human.select("item", "n_items").unique().join(items, on="item").sort("place")["n_items"].to_numpy()
    patterns = RatingPatterns(of_item.astype(np.int64), place, rater, label, len(raters), len(labels))
    units = windows.coded_units(counts, n_patterns=items.height)
    return patterns, units


def _figures(shares: Shares) -> dict[str, Any]:
    return {"share": shares.share.ravel(), "low": shares.low.ravel(), "high": shares.high.ravel()}
