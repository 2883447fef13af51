"""Match the boxes of two raters on the same image one to one, so that the sum of their IoU is largest."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.errors import StatsError
from stats.regions.span_matching import UNIT

BOXES: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "rater": pl.String,
    "left": pl.Float64,
    "top": pl.Float64,
    "right": pl.Float64,
    "bottom": pl.Float64,
    "label": pl.String,
}
"""One row per box, with its edges in one unit for all raters of an item: left <= right and top <= bottom."""
BOX_MATCHES: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "rater_a": pl.String,
    "rater_b": pl.String,
    "label": pl.String,
    "n_a": pl.Int64,
    "n_b": pl.Int64,
    "iou50": pl.Int64,
    "iou75": pl.Int64,
    "matched": pl.Int64,
    "iou": pl.Float64,
}
MAX_OF_LABEL = 5_000  # boxes of one rater and label on an item: the table of all pairs lies in memory


def match_boxes(boxes: pl.DataFrame, done: pl.DataFrame) -> pl.DataFrame:
    """Return BOX_MATCHES: a row per item, pair of raters who both did it, and label that one of them used there.

    - n_a, n_b: boxes of each.
    - matched: pairs of overlapping boxes of the label, matched one to one so that the sum of IoU is largest (IoU: the
      area of the intersection by that of the union); iou: that sum; iou50, iou75: those with an IoU of .5, .75 or more.

    Two boxes without an area have an IoU of 1 if they are equal, else 0. Raises StatsError for a box that is not
    finite or turned inside out, and for too many boxes on an item.
    """
    boxes = boxes.select(pl.col(name).cast(dtype) for name, dtype in BOXES.items())
    edges = boxes.select("left", "top", "right", "bottom")
    finite = edges.select(pl.all_horizontal(pl.all().is_finite().fill_null(value=False)).all()).item()
    turned = ((pl.col("left") > pl.col("right")) | (pl.col("top") > pl.col("bottom"))).any()
    if boxes.height and (not finite or edges.select(turned).item()):
        raise StatsError("A box must have finite edges, left before right and top before bottom. Leave out the others.")
    done = done.select("item", "rater").unique()
    boxes = boxes.join(done, on=["item", "rater"])
    if boxes.is_empty():
        return pl.DataFrame(schema=BOX_MATCHES)
    n = boxes.group_by("item", "rater", "label").agg(pl.len().cast(pl.Int64).alias("n"))
    if (n["n"] > MAX_OF_LABEL).any():
        raise StatsError(f"An item has more than {MAX_OF_LABEL:,} boxes of one rater and label. Split the item.")
    matched = pl.DataFrame(list(_matched(boxes)), schema=_MATCH_COLUMNS, orient="row")
    units = _units(n, done).join(matched, on=UNIT, how="left")
    counts = pl.col("iou50", "iou75", "matched").fill_null(0)
    return units.with_columns(counts, pl.col("iou").fill_null(0.0)).select(
        pl.col(name).cast(dtype) for name, dtype in BOX_MATCHES.items()
    )


_MATCH_COLUMNS = {name: dtype for name, dtype in BOX_MATCHES.items() if name not in ("n_a", "n_b")}


def _units(n: pl.DataFrame, assignments: pl.DataFrame) -> pl.DataFrame:
    """Return a row per item, pair of raters who both did it, and label that one of them used there, with the counts."""
    here = assignments.join(n.select("item").unique(), on="item")
    pairs = here.rename({"rater": "rater_a"}).join(here.rename({"rater": "rater_b"}), on="item")
    units = pairs.filter(pl.col("rater_a") < pl.col("rater_b")).join(n.select("item", "label").unique(), on="item")
    for side in ("a", "b"):
        names = {"rater": f"rater_{side}", "n": f"n_{side}"}
        units = units.join(n.rename(names), on=["item", f"rater_{side}", "label"], how="left")
    return units.with_columns(pl.col("n_a", "n_b").fill_null(0)).filter(pl.col("n_a") + pl.col("n_b") > 0).sort(UNIT)


def _matched(boxes: pl.DataFrame) -> Iterator[tuple[str, str, str, str, int, int, int, float]]:
    from scipy.optimize import linear_sum_assignment  # here, because it takes long to import

    for (item, label), part in sorted(boxes.partition_by("item", "label", as_dict=True).items(), key=str):
        by_rater = {
            str(rater): rows.select("left", "top", "right", "bottom").to_numpy()
            for (rater,), rows in part.partition_by("rater", as_dict=True).items()
        }
        raters = sorted(by_rater)
        for i, a in enumerate(raters):
            for b in raters[i + 1 :]:
                table = iou(by_rater[a], by_rater[b])
                if table.any():
                    overlaps = table[linear_sum_assignment(table, maximize=True)]
                    overlaps = overlaps[overlaps > 0]
                    counts = (int((overlaps >= 0.5).sum()), int((overlaps >= 0.75).sum()), len(overlaps))
                    yield str(item), a, b, str(label), *counts, float(overlaps.sum())


def iou(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return the IoU (n, m) of boxes A (n, 4) and B (m, 4): left, top, right, bottom.

    >>> iou(np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 3, 2], [0, 0, 2, 2], [5, 5, 6, 6]])).round(3).tolist()
    [[0.333, 1.0, 0.0]]
    """
    size = [np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) for boxes in (A, B)]
    inner = np.minimum(A[:, None, 2:], B[None, :, 2:]) - np.maximum(A[:, None, :2], B[None, :, :2])
    shared = np.prod(np.maximum(inner, 0), axis=2)
    union = size[0][:, None] + size[1][None, :] - shared
    equal = (A[:, None, :] == B[None, :, :]).all(axis=2).astype(float)
    overlap: FloatArray = np.where(
        union > 0, np.divide(shared, union, out=np.zeros_like(union), where=union > 0), equal
    )
    return overlap
