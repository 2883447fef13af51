"""Rating patterns of one question: each different way in which an item was rated, with the number of items rated so.

Every figure depends on the ratings through these alone. They are read from the warehouse, which keeps them up with each
batch, or counted from ratings. Either way they come in one order that depends on what is in them, and under the same
names, so that what is computed from them is equal to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import polars as pl

from warehouse.patterns import last_items, pattern_batches, pattern_days, question_patterns

CONTENT = ("rater", "rater_kind", "label")
TIME = pl.Datetime("us", "UTC")
COUNTED = {"item": pl.String, "n_items": pl.Int64}
DAYS = {"day": pl.Date, **COUNTED}
BATCHES: dict[str, pl.DataType | type[pl.DataType]] = {
    "batch_id": pl.String,
    "first_at": TIME,
    "last_at": TIME,
    **COUNTED,
}


@dataclass(frozen=True)
class Patterns:
    """`frame`: item (the pattern's name: "0", "1", ...), rater, rater_kind, label, n_items (how many items show it);
    one row per rating of a pattern. `names`: which pattern (`item`) each `source` is, an item of the ratings that were
    counted or a pattern_id of the warehouse."""

    frame: pl.DataFrame
    names: pl.DataFrame

    @property
    def n_ratings(self) -> int:
        return int(self.frame["n_items"].sum())


@dataclass(frozen=True)
class Windows:
    """Which patterns the items of each window show, and how many of its items (`item`, `n_items`).

    `days`: also day, that of an item's latest human rating. `batches`: also batch_id, first_at, last_at; the items that
    the batch rated. `last`: the items rated last.
    """

    days: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=DAYS))
    batches: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=BATCHES))
    last: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=COUNTED))


def from_ratings(ratings: pl.DataFrame) -> Patterns:
    """The patterns of ratings: item, rater, rater_kind, label, each item and rater once.

    >>> rows = [("x", "ann", "human", "A"), ("y", "ann", "human", "A"), ("z", "bob", "human", "A")]
    >>> found = from_ratings(pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row"))
    >>> found.frame.rows(), found.names.rows()
    ([('0', 'ann', 'human', 'A', 2), ('1', 'bob', 'human', 'A', 1)], [('x', '0'), ('y', '0'), ('z', '1')])
    """
    return canonical(ratings.select(pl.col("item").alias("source"), *CONTENT, n_items=pl.lit(1, pl.Int64)))


def from_warehouse(con: duckdb.DuckDBPyConnection, question: str) -> Patterns:
    """The patterns of a question as the warehouse keeps them."""
    return canonical(question_patterns(con, question).rename({"pattern_id": "source"}))


def merged(patterns: pl.DataFrame) -> Patterns:
    """Patterns of which ratings were left out: those that are equal now are one, and `names` has the former names."""
    return canonical(patterns.rename({"item": "source"}))


def canonical(rows: pl.DataFrame) -> Patterns:
    """Sources with equal ratings are one pattern. rows: source, rater, rater_kind, label, n_items (of the source)."""
    contents = rows.select(CONTENT).unique().sort(CONTENT).with_row_index("code")
    found = (
        rows.lazy()
        .join(contents.lazy(), on=CONTENT)
        .sort("code")  # a group keeps the order of its rows, so that equal patterns have equal lists
        .group_by("source")
        .agg("code", pl.col("n_items").first())
        .group_by("code")
        .agg("source", pl.col("n_items").sum().cast(pl.Int64))
        .sort("code")
        .with_row_index("item")
        .with_columns(pl.col("item").cast(pl.String))
        .collect()
    )
    frame = (
        found.select("item", "code", "n_items")
        .explode("code")
        .join(contents, on="code", how="left", maintain_order="left")
        .select("item", *CONTENT, "n_items")
    )
    return Patterns(frame, found.select("source", "item").explode("source").sort("source"))


def windows_of_ratings(ratings: pl.DataFrame, names: pl.DataFrame, n_last: int) -> Windows:
    """The windows of ratings, of which `names` says what pattern each item shows.

    ratings: item, item_id (breaks ties among the items rated last), rater_kind, rated_at, ingested_at, batch_id.
    """
    human = ratings.filter(pl.col("rater_kind") == "human").with_columns(at=pl.coalesce("rated_at", "ingested_at"))
    latest = human.group_by("item", "item_id").agg(pl.col("at").max())
    days = latest.select(pl.col("item").alias("source"), day=pl.col("at").dt.date(), n_items=pl.lit(1, pl.Int64))
    times = human.group_by("batch_id").agg(first_at=pl.col("at").min(), last_at=pl.col("at").max())
    rated = human.select("batch_id", pl.col("item").alias("source")).unique().join(times, on="batch_id")
    last = latest.sort("at", "item_id", descending=True).head(n_last)
    return Windows(
        _named(days, names, ["day"]),
        _named(rated.with_columns(n_items=pl.lit(1, pl.Int64)), names, ["batch_id", "first_at", "last_at"]),
        _named(last.select(pl.col("item").alias("source"), n_items=pl.lit(1, pl.Int64)), names, []),
    )


def windows_from_warehouse(con: duckdb.DuckDBPyConnection, question: str, names: pl.DataFrame, n_last: int) -> Windows:
    """The windows of a question as the warehouse keeps them; `names` are those of its patterns."""
    days = pattern_days(con, question).filter(pl.col("day").is_not_null())
    batches, last = pattern_batches(con, question), last_items(con, question, n_last)
    return Windows(
        _named(days.rename({"pattern_id": "source"}), names, ["day"]),
        _named(batches.rename({"pattern_id": "source"}), names, ["batch_id", "first_at", "last_at"]),
        _named(last.rename({"pattern_id": "source"}), names, []),
    )


def _named(counts: pl.DataFrame, names: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Counts by source as counts by pattern, in a fixed order."""
    order = [*by, "item"]
    return counts.join(names, on="source").group_by(order).agg(pl.col("n_items").sum().cast(pl.Int64)).sort(order)
