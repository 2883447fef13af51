"""Keep how far two raters are apart on an item in one table, whatever they gave: spans, boxes, rankings or texts.

A row is an item, a pair of raters (null for what all its raters have together), a label or none, and a coefficient. The
coefficient of any set of items, pairs and labels is the sum of `value` by that of `weight` over their rows.
"""

from collections.abc import Iterator

import polars as pl

from stats.answers.pair_figures import KEY
from stats.answers.rankings import TIED
from stats.arrays import FloatArray
from stats.cluster_jackknife import Figure, jackknife, ratio
from stats.intervals import check_confidence
from stats.regions.region_agreement import BOX_COEFFICIENTS, COEFFICIENTS
from stats.regions.region_windows import WINDOW_SCHEMA

ITEM_DISTANCES: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "rater_a": pl.String,
    "rater_b": pl.String,
    "label": pl.String,
    "coefficient": pl.String,
    "value": pl.Float64,
    "weight": pl.Float64,
}
KENDALL_W = "kendall_w"


def distances_of_regions(matches: pl.DataFrame) -> pl.DataFrame:
    """Return ITEM_DISTANCES of what `match_spans` or `match_boxes` returns.

    The value of an F1 is twice the number of matched regions, its weight the number of regions of both; the value of
    mean_iou is the sum of the IoU, its weight the number of matches. Rows without weight are left out.
    """
    coefficients = BOX_COEFFICIENTS if "iou" in matches.columns else COEFFICIENTS
    tables = []
    for name, column in coefficients.items():
        is_mean = column == "iou"
        value = pl.col(column) if is_mean else 2 * pl.col(column)
        weight = pl.col("matched") if is_mean else pl.col("n_a") + pl.col("n_b")
        tables.append(_rows(matches, name, value, weight, pl.col("label")))
    return pl.concat(tables).filter(pl.col("weight") > 0)


def distances_of_answers(distances: pl.DataFrame, concordance: pl.DataFrame | None = None) -> pl.DataFrame:
    """Return ITEM_DISTANCES of what `ranking_distances` or `text_distances` returns: each pair has the weight 1.

    Kendall's W of an item belongs to all its raters and weighs as many.
    """
    no_label = pl.lit(None, pl.String)
    names = [name for name in distances.columns if name not in KEY]
    tables = [_rows(distances.drop_nulls(name), name, pl.col(name), pl.lit(1.0), no_label) for name in names]
    if concordance is not None:
        items = concordance.with_columns(rater_a=no_label, rater_b=no_label)
        tables.insert(0, _rows(items, KENDALL_W, pl.col(KENDALL_W) * pl.col("n_raters"), pl.col("n_raters"), no_label))
    return pl.concat(tables) if tables else pl.DataFrame(schema=ITEM_DISTANCES)


def distance_windows(distances: pl.DataFrame, members: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute each coefficient of all raters in each window, from `distances` (ITEM_DISTANCES) without labels.

    `members` says which items are in which window (window, item). Intervals: jackknife over the items of the window.
    Windows without an item that two raters did have none. The columns are those of the windows of regions. n_items,
    n_raters and n_ratings count what a figure is made of.
    """
    check_confidence(confidence)
    sums = distances.group_by("coefficient", "item").agg(pl.col("value", "weight").sum())
    raters = pl.concat(
        [distances.select("coefficient", "item", rater=f"rater_{side}").drop_nulls("rater") for side in ("a", "b")]
    ).unique()
    order = distances["coefficient"].unique(maintain_order=True).to_list()
    rows = []
    for window, items in _items(members):
        own, own_raters = (table.join(items, on="item", how="semi") for table in (sums, raters))
        if own.is_empty():
            continue
        for name in order:
            of_items = own.filter(pl.col("coefficient") == name).sort("item")
            figure = distance_figure(of_items, name, confidence)
            shown = {"window": window, "label": None, "name": name, "se": figure.se, "n_regions": 0}
            numbers = _numbers(name, of_items, own_raters)
            how = {"interval_method": "jackknife", "confidence": confidence}
            rows.append(shown | how | numbers | figure.to_dict())
    return pl.DataFrame(rows, schema=WINDOW_SCHEMA)


def _numbers(coefficient: str, of_items: pl.DataFrame, raters: pl.DataFrame) -> dict[str, int]:
    """Count the items with this coefficient, their raters, and the answers of these.

    Rows of Kendall's W name no raters. Their number comes from the pairs of the same items, and from the weight of W,
    which is the number of raters of the item.
    """
    if coefficient == KENDALL_W:
        n_in_pairs = raters.join(of_items, on="item", how="semi")["rater"].n_unique()
        n_of_items = [int(weight) for weight in of_items["weight"]]
        return {"n_items": of_items.height, "n_raters": max([n_in_pairs, *n_of_items]), "n_ratings": sum(n_of_items)}
    own = raters.filter(pl.col("coefficient") == coefficient)
    return {"n_items": of_items.height, "n_raters": own["rater"].n_unique(), "n_ratings": own.height}


def distance_figure(sums: pl.DataFrame, coefficient: str, confidence: float) -> Figure:
    """Return the sum of `value` by that of `weight`, with its jackknife interval over the rows, one an item."""
    if sums.is_empty():
        return Figure(reason="zero_denominator", detail="All options are tied.")
    table: FloatArray = sums.select("value", "weight").to_numpy().astype(float)
    return jackknife(table, ratio, confidence, lowest=-1.0 if coefficient in TIED else 0.0, keep=True)


def _rows(frame: pl.DataFrame, name: str, value: pl.Expr, weight: pl.Expr, label: pl.Expr) -> pl.DataFrame:
    columns = {"label": label, "coefficient": pl.lit(name), "value": value, "weight": weight}
    return frame.select(
        pl.col("item"), pl.col("rater_a"), pl.col("rater_b"), *(column.alias(key) for key, column in columns.items())
    ).select(pl.col(key).cast(dtype) for key, dtype in ITEM_DISTANCES.items())


def _items(members: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    for (window,), rows in members.unique().sort("window", "item").group_by("window", maintain_order=True):
        yield int(str(window)), rows.select("item")
