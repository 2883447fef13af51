"""Match the spans of two raters on the same item: exactly, and by overlap."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from stats.errors import StatsError

SPANS: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "rater": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "label": pl.String,
}
"""One row per span: the characters from `start` up to, and without, `end`."""
DONE: dict[str, type[pl.DataType]] = {"item": pl.String, "rater": pl.String}
"""One row per item and rater who worked on it, also if no span was found."""
MATCHES: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "rater_a": pl.String,
    "rater_b": pl.String,
    "label": pl.String,
    "n_a": pl.Int64,
    "n_b": pl.Int64,
    "exact": pl.Int64,
    "partial": pl.Int64,
}
MAX_AT_ONCE = 5_000_000  # pairs of spans that are compared at a time
MAX_OF_ITEM = 50_000_000  # of one item
MAX_ROUNDS = 30  # of matching spans with a single candidate
OF_A, OF_B = ["span", "rater_b"], ["span_b", "rater"]  # a span of each side, among the candidates of the other
UNIT = ["item", "rater_a", "rater_b", "label"]


def match_spans(spans: pl.DataFrame, done: pl.DataFrame) -> pl.DataFrame:
    """Return MATCHES: a row per item, pair of raters who both did it, and label that one of them used there.

    - n_a, n_b: spans of each; exact: spans of both with the same start, end and label.
    - partial: the most spans of the label that can be matched one to one so that each two overlap. Spans of no
      character overlap with their equals only.

    Raises StatsError for an item with too many spans.
    """
    spans = spans.select(pl.col(name).cast(dtype) for name, dtype in SPANS.items())
    done = done.select("item", "rater").unique()
    spans = spans.join(done, on=["item", "rater"]).with_row_index("span")
    matches = [_match(part, done) for part in _split_by_items(spans)]
    return pl.concat(matches) if matches else pl.DataFrame(schema=MATCHES)


def _split_by_items(spans: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Split the spans by items, so that each part has few pairs to compare."""
    if spans.is_empty():
        return
    sizes = spans.group_by("item", "label").agg((pl.len().cast(pl.Int64) ** 2).alias("n"))
    sizes = sizes.group_by("item").agg(pl.col("n").sum()).sort("item")
    if (most := sizes["n"].max()) and int(most) > MAX_OF_ITEM:  # type: ignore[arg-type]
        raise StatsError("An item has so many spans of one label that they cannot be matched. Split the item.")
    part = (sizes["n"].cum_sum() // MAX_AT_ONCE).alias("part")
    split = spans.join(sizes.select("item", part), on="item")
    for _, rows in sorted(split.group_by("part"), key=lambda group: str(group[0])):
        yield rows.drop("part").sort("span")


def _match(spans: pl.DataFrame, assignments: pl.DataFrame) -> pl.DataFrame:
    n = spans.group_by("item", "rater", "label").agg(pl.len().cast(pl.Int64).alias("n"))
    here = assignments.join(spans.select("item").unique(), on="item")
    pairs = here.rename({"rater": "rater_a"}).join(here.rename({"rater": "rater_b"}), on="item")
    pairs = pairs.filter(pl.col("rater_a") < pl.col("rater_b"))
    units = pairs.join(n.select("item", "label").unique(), on="item")
    for side in ("a", "b"):
        names = {"rater": f"rater_{side}", "n": f"n_{side}"}
        units = units.join(n.rename(names), on=["item", f"rater_{side}", "label"], how="left")
    units = units.with_columns(pl.col("n_a", "n_b").fill_null(0)).filter(pl.col("n_a") + pl.col("n_b") > 0)
    for name, counts in (("exact", _exact(spans)), ("partial", _partial(spans))):
        units = units.join(counts.rename({"n": name}), on=UNIT, how="left")
    return units.with_columns(pl.col("exact", "partial").fill_null(0)).select(
        pl.col(name).cast(dtype) for name, dtype in MATCHES.items()
    )


def _exact(spans: pl.DataFrame) -> pl.DataFrame:
    key = ["item", "start", "end", "label"]
    numbered = spans.with_columns(copy=pl.col("span").cum_count().over([*key, "rater"]))
    pairs = numbered.join(numbered, on=[*key, "copy"], suffix="_b").filter(pl.col("rater") < pl.col("rater_b"))
    return _count(pairs)


def _count(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.group_by("item", pl.col("rater").alias("rater_a"), "rater_b", "label").agg(
        pl.len().cast(pl.Int64).alias("n")
    )


def _partial(spans: pl.DataFrame) -> pl.DataFrame:
    """Count the largest one-to-one matching of overlapping spans.

    A span with a single candidate may always be matched with it. That solves nearly all; the rest is searched.
    """
    pairs = spans.join(spans, on=["item", "label"], suffix="_b").filter(pl.col("rater") < pl.col("rater_b"))
    overlap = (pl.col("start") < pl.col("end_b")) & (pl.col("start_b") < pl.col("end"))
    equal = (pl.col("start") == pl.col("start_b")) & (pl.col("end") == pl.col("end_b"))
    pairs = pairs.filter(overlap | equal).select("item", "rater", "rater_b", "label", "span", "span_b")
    counts = []
    for _ in range(MAX_ROUNDS):
        single = (pl.len().over(OF_A) == 1) | (pl.len().over(OF_B) == 1)
        chosen = pairs.filter(single).unique(OF_A, keep="first", maintain_order=True)
        chosen = chosen.unique(OF_B, keep="first", maintain_order=True)
        if chosen.is_empty():
            break
        counts.append(_count(chosen))
        pairs = pairs.join(chosen, on=OF_A, how="anti").join(chosen, on=OF_B, how="anti")
    searched = [
        (item, rater, other, label, _largest_matching(part["span"], part["span_b"]))
        for (item, rater, other, label), part in pairs.group_by("item", "rater", "rater_b", "label")
    ]
    counts.append(pl.DataFrame(searched, schema={**dict.fromkeys(UNIT, pl.String), "n": pl.Int64}, orient="row"))
    return pl.concat(counts).group_by(UNIT).agg(pl.col("n").sum())


def _largest_matching(a: pl.Series, b: pl.Series) -> int:
    from scipy.optimize import linear_sum_assignment  # here, because it takes long to import

    rows, row = np.unique(a.to_numpy(), return_inverse=True)
    columns, column = np.unique(b.to_numpy(), return_inverse=True)
    overlaps = np.zeros((len(rows), len(columns)))
    overlaps[row, column] = 1
    return int(overlaps[linear_sum_assignment(overlaps, maximize=True)].sum())
