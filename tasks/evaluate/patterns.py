"""Build the rating patterns of a question: each distinct way in which an item was rated, with its number of items.

Every figure depends on the ratings only through the patterns. They are read from the warehouse, which updates them with
each batch, or counted from ratings. Both ways give the patterns the same names and the same order, which depends only
on their content. So results computed from them are equal to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from warehouse.patterns import last_items, pattern_batches, pattern_days, question_patterns, system_days

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
class QuestionPatterns:
    """The rating patterns of a question.

    `frame` has one row per rating of a pattern: item (the name of the pattern: "0", "1", ...), rater, rater_kind,
    label, n_items (the number of items with this pattern). `names` maps each `source` to its pattern (`item`). A
    source is an item of the counted ratings, or a pattern_id of the warehouse.
    """

    frame: pl.DataFrame
    names: pl.DataFrame

    @property
    def n_ratings(self) -> int:
        """The number of ratings in all items."""
        return int(self.frame["n_items"].sum())


@dataclass(frozen=True)
class WindowPatterns:
    """The number of items per window and pattern. Each frame has `item` (the name of the pattern) and `n_items`.

    `days` also has day, the day of an item's latest human rating; of a question without any, of its latest rating by a
    system. Of such a question the other two are empty. `batches` also has batch_id, first_at and last_at,
    and counts the items that the batch rated. `last` counts the most recently rated items.
    """

    days: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=DAYS))
    batches: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=BATCHES))
    last: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=COUNTED))


def from_ratings(ratings: pl.DataFrame) -> QuestionPatterns:
    """Count the patterns of ratings: item, rater, rater_kind, label; one row per item and rater.

    >>> rows = [("x", "ann", "human", "A"), ("y", "ann", "human", "A"), ("z", "bob", "human", "A")]
    >>> patterns = from_ratings(pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row"))
    >>> patterns.frame.rows(), patterns.names.rows()
    ([('0', 'ann', 'human', 'A', 2), ('1', 'bob', 'human', 'A', 1)], [('x', '0'), ('y', '0'), ('z', '1')])
    """
    return canonical(ratings.select(pl.col("item").alias("source"), *CONTENT, n_items=pl.lit(1, pl.Int64)))


def from_warehouse(con: duckdb.DuckDBPyConnection, question: str) -> QuestionPatterns:
    """Read the stored patterns of a question."""
    return canonical(question_patterns(con, question).rename({"pattern_id": "source"}))


def merged(patterns: pl.DataFrame) -> QuestionPatterns:
    """Merge patterns that are equal after some ratings were removed. `names` has the old names as source.

    The new names have the type of the old ones.
    """
    distinct = canonical(patterns.rename({"item": "source"}))
    of_type = pl.col("item").cast(patterns.schema["item"])
    return QuestionPatterns(distinct.frame.with_columns(of_type), distinct.names.with_columns(of_type))


def canonical(rows: pl.DataFrame) -> QuestionPatterns:
    """Group sources with equal ratings into one pattern.

    `rows` has source, rater, rater_kind, label, n_items (of the source).
    """
    contents = rows.select(CONTENT).unique().sort(CONTENT).with_row_index("code")
    grouped = (
        rows.lazy()
        .join(contents.lazy(), on=CONTENT)
        .sort("code")  # group_by keeps the order of rows within a group, so equal patterns have equal lists
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
        grouped.select("item", "code", "n_items")
        .explode("code")
        .join(contents, on="code", how="left", maintain_order="left")
        .select("item", *CONTENT, "n_items")
    )
    return QuestionPatterns(frame, grouped.select("source", "item").explode("source").sort("source"))


def windows_of_ratings(
    ratings: pl.DataFrame, names: pl.DataFrame, n_last: int, timezone: str = "UTC"
) -> WindowPatterns:
    """Count the patterns of each window from ratings. `names` maps each item to its pattern.

    Days are those of `timezone`.

    `ratings` has item, item_id, rater_kind, rated_at, ingested_at, batch_id. `item_id` breaks ties among the most
    recently rated items, of which there are `n_last`.
    """
    human = ratings.filter(IS_HUMAN).with_columns(at=pl.coalesce("rated_at", "ingested_at"))
    latest = human.group_by("item", "item_id").agg(pl.col("at").max())
    dated = latest if human.height else _latest_answers(ratings)
    days = dated.select(
        pl.col("item").alias("source"),
        day=pl.col("at").dt.convert_time_zone(timezone).dt.date(),
        n_items=pl.lit(1, pl.Int64),
    )
    times = human.group_by("batch_id").agg(first_at=pl.col("at").min(), last_at=pl.col("at").max())
    rated = human.select("batch_id", pl.col("item").alias("source")).unique().join(times, on="batch_id")
    last = latest.sort("at", "item_id", descending=True).head(n_last)
    return WindowPatterns(
        _by_pattern(days, names, ["day"]),
        _by_pattern(rated.with_columns(n_items=pl.lit(1, pl.Int64)), names, ["batch_id", "first_at", "last_at"]),
        _by_pattern(last.select(pl.col("item").alias("source"), n_items=pl.lit(1, pl.Int64)), names, []),
    )


def windows_from_warehouse(
    con: duckdb.DuckDBPyConnection, question: str, names: pl.DataFrame, n_last: int
) -> WindowPatterns:
    """Read the stored windows of a question. `names` maps each pattern_id to its pattern."""
    days = pattern_days(con, question).filter(pl.col("day").is_not_null())
    if days.is_empty():
        days = system_days(con, question)
    batches, last = pattern_batches(con, question), last_items(con, question, n_last)
    return WindowPatterns(
        _by_pattern(days.rename({"pattern_id": "source"}), names, ["day"]),
        _by_pattern(batches.rename({"pattern_id": "source"}), names, ["batch_id", "first_at", "last_at"]),
        _by_pattern(last.rename({"pattern_id": "source"}), names, []),
    )


def _latest_answers(ratings: pl.DataFrame) -> pl.DataFrame:
    """Return when a system last answered each item (`at`)."""
    answers = ratings.filter(IS_SYSTEM)
    return answers.group_by("item", "item_id").agg(at=pl.coalesce("rated_at", "ingested_at").max())


def _by_pattern(counts: pl.DataFrame, names: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Convert counts by source to counts by pattern, in a fixed order. A source occurs once per `by`."""
    order = [*by, "item"]
    counted = counts.join(names, on="source").select(*order, pl.col("n_items").cast(pl.Int64))
    if not names["item"].is_unique().all():  # sources with equal ratings
        counted = counted.group_by(order).agg(pl.col("n_items").sum())
    return counted.sort(order)
