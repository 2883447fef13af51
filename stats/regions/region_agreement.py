"""Compute F1 of spans and boxes between raters, and mean IoU: over all pairs of raters, by pair, and by label."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from stats.arrays import FloatArray
from stats.cluster_jackknife import Figure, jackknife, ratio
from stats.errors import StatsError
from stats.intervals import check_confidence
from stats.regions.character_alpha import NOBODY

COEFFICIENTS = {"f1_exact": "exact", "f1_partial": "partial"}
"""The coefficients of spans, and the column of matches that each counts."""
BOX_COEFFICIENTS = {"f1_iou50": "iou50", "f1_iou75": "iou75", "mean_iou": "iou"}
"""The coefficients of boxes, and the column of matches that each counts or adds up."""
NO_MATCH = "No two boxes of the same label overlap."
NO_SPANS = "Neither rater marked anything in the items that both did."
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "name": pl.String,
    "interval_method": pl.String,
    "confidence": pl.Float64,
    "estimate": pl.Float64,
    "se": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n_items": pl.Int64,
    "n_raters": pl.Int64,
    "n_ratings": pl.Int64,
    "n_regions": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
}


def region_agreement(
    matches: pl.DataFrame,
    done: pl.DataFrame,
    *,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute f1_exact and f1_partial over all pairs of raters: 2 |A and B| / (|A| + |B|), pooled.

    Of boxes: f1_iou50 and f1_iou75, and mean_iou, the mean IoU of matched boxes. Boxes that are matched with none are
    in F1 only.

    `matches` is what `match_spans` or `match_boxes` returns, `done` says who did which item. A matched pair counts
    twice in the numerator, each region of an item once for each other rater who did the item. Items that two raters did
    without a region add nothing. Intervals: jackknife over items, with Student's t; one item gives no interval. The
    columns are those of `stats.agreement.agreement` that apply, and n_regions, the regions in items that two raters did
    or more.

    Null: `too_few_raters` (no item that two did), `zero_denominator` (nothing marked there, or for mean_iou no match).
    """
    shared = done.select("item", "rater").unique().filter(pl.len().over("item") > 1)
    return pl.DataFrame(
        [{"name": name, **row} for name, row in _figures(matches, shared, coefficients, confidence)], schema=SCHEMA
    )


def by_pair(
    matches: pl.DataFrame,
    done: pl.DataFrame,
    *,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
    min_items: int = 1,
) -> pl.DataFrame:
    """Compute the same for each pair of raters who did `min_items` items both: rater_a, rater_b, coefficient, ..."""
    done = done.select("item", "rater").unique()
    pairs = done.rename({"rater": "rater_a"}).join(done.rename({"rater": "rater_b"}), on="item")
    pairs = pairs.filter(pl.col("rater_a") < pl.col("rater_b")).sort("rater_a", "rater_b", "item")
    own = matches.partition_by("rater_a", "rater_b", as_dict=True)
    rows = []
    for (a, b), items in pairs.group_by("rater_a", "rater_b", maintain_order=True):
        if items.height >= min_items:
            shared = pl.concat([items.select("item", pl.lit(name).alias("rater")) for name in (a, b)])
            figures = _figures(own.get((a, b), matches.clear()), shared, coefficients, confidence)
            rows += [{"rater_a": a, "rater_b": b, "coefficient": name, **row} for name, row in figures]
    names_first = {"rater_a": pl.String, "rater_b": pl.String, "coefficient": pl.String}
    return pl.DataFrame(rows, schema={**names_first, **{k: v for k, v in SCHEMA.items() if k != "name"}})


def by_label(
    matches: pl.DataFrame,
    done: pl.DataFrame,
    *,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute the same for the spans of each label: label, name, ..."""
    shared = done.select("item", "rater").unique().filter(pl.len().over("item") > 1)
    rows = [
        {"label": label, "name": name, **row}
        for label in matches["label"].unique().sort()
        for name, row in _figures(matches.filter(pl.col("label") == label), shared, coefficients, confidence)
    ]
    return pl.DataFrame(rows, schema={"label": pl.String, **SCHEMA})


def _figures(
    matches: pl.DataFrame, shared: pl.DataFrame, coefficients: Sequence[str] | None, confidence: float
) -> list[tuple[str, dict[str, Any]]]:
    check_confidence(confidence)
    available = BOX_COEFFICIENTS if "iou" in matches.columns else COEFFICIENTS
    chosen = list(available) if coefficients is None else list(coefficients)
    if odd := [name for name in chosen if name not in available]:
        raise StatsError(f"There is no coefficient {odd[0]!r} of these regions. Use {' or '.join(available)}.")
    numbers = {
        "interval_method": "jackknife",
        "confidence": confidence,
        "n_items": shared["item"].n_unique(),
        "n_raters": shared["rater"].n_unique(),
        "n_ratings": shared.height,
        "n_regions": int(regions_by_label(matches)["n"].sum()),
    }
    rows = []
    for name in chosen:
        figure = _figure(matches, shared, available[name], confidence)
        rows.append((name, numbers | figure.to_dict() | {"se": figure.se}))
    return rows


def _figure(matches: pl.DataFrame, shared: pl.DataFrame, column: str, confidence: float) -> Figure:
    if shared.is_empty():
        return Figure(reason="too_few_raters", detail=NOBODY)
    if matches.is_empty():
        return Figure(reason="zero_denominator", detail=NO_SPANS)
    if column == "iou" and not matches["matched"].sum():
        return Figure(reason="zero_denominator", detail=NO_MATCH)
    rows = item_sums(matches, shared.select(pl.col("item").unique().sort()), column)
    return jackknife(rows, ratio, confidence, keep=True)


def item_sums(matches: pl.DataFrame, items: pl.DataFrame, column: str) -> FloatArray:
    """Return what each of the items (a frame with `item`) adds to the two sums whose ratio a coefficient is (n, 2)."""
    is_mean = column == "iou"
    sums = matches.group_by("item").agg(
        (pl.col(column) if is_mean else 2 * pl.col(column)).sum().cast(pl.Float64).alias("matched"),
        (pl.col("matched") if is_mean else pl.col("n_a") + pl.col("n_b")).sum().cast(pl.Float64).alias("spans"),
    )
    rows = items.select("item").join(sums, on="item", how="left", maintain_order="left")
    return rows.select("matched", "spans").fill_null(0).to_numpy().astype(float)


def regions_by_label(matches: pl.DataFrame) -> pl.DataFrame:
    """Count the regions of each item by label (item, label, n), each once, however many others did the item."""
    sides = [
        matches.select("item", pl.col(f"rater_{side}").alias("rater"), "label", pl.col(f"n_{side}").alias("n"))
        for side in ("a", "b")
    ]
    return pl.concat(sides).unique().group_by("item", "label").agg(pl.col("n").sum())
