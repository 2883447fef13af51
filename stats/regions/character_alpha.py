"""Compute Krippendorff's alpha of the characters of texts: the labels of the spans around each, or none."""

from typing import Any

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.cluster_jackknife import Figure, jackknife
from stats.errors import StatsError
from stats.regions.span_matching import SPANS

LENGTHS: dict[str, type[pl.DataType]] = {"item": pl.String, "length": pl.Int64}
"""One row per item: its number of characters."""
NO_LENGTH = (
    "The files do not hold the texts, or spans end behind them, so it is not known how many characters nobody marked."
)
NOBODY = "No two raters did the same item."
NONE = ""
SEPARATOR = "\x1f"


def character_sums(spans: pl.DataFrame, done: pl.DataFrame, lengths: pl.DataFrame) -> pl.DataFrame:
    """Return what each item adds to alpha: item, disagreement, and the characters by label (a list of label and n).

    Each character of a text is a unit; its value is the label that a rater gave it, several as a set, or none. Only
    items of a known length that two raters did or more count.

    Raises StatsError for a span that ends behind its text.
    """
    spans = spans.select(pl.col(name).cast(dtype) for name, dtype in SPANS.items())
    done = done.select("item", "rater").unique().filter(pl.len().over("item") > 1)
    lengths = lengths.select(pl.col(name).cast(dtype) for name, dtype in LENGTHS.items()).unique("item")
    texts = done.group_by("item").agg(pl.col("rater").sort()).join(lengths, on="item").sort("item")
    inside = spans.join(done, on=["item", "rater"]).join(lengths, on="item")
    if (inside["end"] > inside["length"]).any():
        raise StatsError("A span ends behind its text. Leave out its item, or give the right length.")
    columns = ("rater", "start", "end", "label")
    marked = texts.join(
        inside.group_by("item").agg(*columns), on="item", how="left", suffix="_of", maintain_order="left"
    )
    rows = [
        _item(item, raters, length, list(zip(*marks, strict=True)) if marks[0] is not None else [])
        for item, raters, length, *marks in marked.rows()
    ]
    values = pl.List(pl.Struct({"label": pl.String, "n": pl.Int64}))
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "item": pl.String,
        "disagreement": pl.Float64,
        "values": values,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def character_alpha(
    spans: pl.DataFrame, done: pl.DataFrame, lengths: pl.DataFrame, *, confidence: float = 0.95
) -> Figure:
    """Compute alpha (nominal) of the characters: Krippendorff (2019), Content Analysis, ch. 12, with missing raters.

    Interval: jackknife over items, with Student's t; one item gives a figure without an interval. Null:
    `too_few_raters`; `zero_denominator` if all characters have one value; `not_identified` if no length is known.
    """
    sums = character_sums(spans, done, lengths)
    if sums.is_empty():
        several = done.select("item", "rater").unique().filter(pl.len().over("item") > 1)
        if several.is_empty():
            return Figure(reason="too_few_raters", detail=NOBODY)
        return Figure(reason="not_identified", detail=NO_LENGTH)
    return jackknife(character_table(sums), alpha_of, confidence, lowest=-1.0, keep=True)


def _item(
    item: str, raters: list[str], length: int, marks: list[tuple[str, int, int, str]]
) -> tuple[str, float, list[dict[str, Any]]]:
    """Count the characters of an item by the values of its raters, from one edge of a span to the next."""
    place = {rater: k for k, rater in enumerate(raters)}
    events = sorted(
        (edge, sign, place[r], label) for r, low, high, label in marks for edge, sign in ((low, 1), (high, -1))
    )
    values, around, sizes, low = (
        [NONE] * len(raters),
        [dict[str, int]() for _ in raters],
        dict[tuple[str, ...], int](),
        0,
    )
    for edge, sign, rater, label in events:
        if edge > low:
            sizes[tuple(values)] = sizes.get(tuple(values), 0) + edge - low
            low = edge
        open_here = around[rater]
        open_here[label] = open_here.get(label, 0) + sign
        values[rater] = SEPARATOR.join(sorted(name for name, n in open_here.items() if n > 0))
    sizes[tuple(values)] = sizes.get(tuple(values), 0) + length - low
    disagreement, counts, m = 0.0, dict[str, int](), len(raters)
    for labels, size in sizes.items():
        same = sum(labels.count(value) for value in labels)
        disagreement += size * (m * m - same) / (m - 1)
        for value in labels:
            counts[value] = counts.get(value, 0) + size
    return item, disagreement, [{"label": label, "n": n} for label, n in sorted(counts.items())]


def character_table(sums: pl.DataFrame) -> FloatArray:
    """Return the sums as a table: disagreement, then the characters of each value."""
    long = sums.with_row_index("place").select("place", "values").explode("values").unnest("values").drop_nulls("label")
    labels = {label: k for k, label in enumerate(sorted(long["label"].unique().to_list()), start=1)}
    table = np.zeros((sums.height, len(labels) + 1))
    table[:, 0] = sums["disagreement"].to_numpy()
    if long.height:
        column = long["label"].replace_strict(labels, return_dtype=pl.Int64).to_numpy()
        table[long["place"].to_numpy(), column] = long["n"].to_numpy()
    return table


def alpha_of(S: FloatArray) -> FloatArray:
    """Return 1 - (n - 1) D / (n^2 - sum of n_c^2), where D sums the disagreeing pairs of each unit by m - 1."""
    n = S[:, 1:].sum(axis=1)
    expected = n**2 - (S[:, 1:] ** 2).sum(axis=1)
    alpha: FloatArray = 1 - np.divide((n - 1) * S[:, 0], expected, out=np.full(len(S), np.nan), where=expected > 0)
    return alpha
