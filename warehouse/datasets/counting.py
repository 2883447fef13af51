"""Count the ratings of a dataset in a warehouse in memory, one bucket of items after the other.

A bucket is stored as batches of a warehouse are (`store_batch`), so that all rules are the same. Then its ratings are
forgotten and its counts stay: counts of disjoint sets of items add up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from warehouse import keys, sql
from warehouse.batches import Batch, store_batch
from warehouse.connect import CONFIG, QUIET
from warehouse.errors import duckdb_errors
from warehouse.migrate import migrate
from warehouse.project_time import set_timezone
from warehouse.raters.rater_kinds import set_rater_kinds

FUTURE = pl.Schema({"place": pl.Int32(), "n_future": pl.Int64(), "last_future_at": pl.Datetime("us", "UTC")})
EXAMPLES = 20  # rejected rows that are listed, of each reason and file


@dataclass(frozen=True)
class DatasetCounts:
    """What was counted, with the keys of the counting warehouse.

    `texts` are its dictionaries. `contents` has the ratings of the patterns, `counts` all counts by section, `windows`
    and `groups` have a row per group of files and question, `last` the items that people rated last. `future` counts
    the ratings of a group that are dated after they arrived.
    """

    texts: pl.DataFrame
    contents: pl.DataFrame
    counts: pl.DataFrame
    windows: pl.DataFrame
    groups: pl.DataFrame
    last: pl.DataFrame
    items: pl.DataFrame
    future: pl.DataFrame

    def questions(self) -> list[str]:
        """Return the questions that have ratings. `texts` has also those of which only settings tell."""
        is_rated = (pl.col("dictionary") == "questions") & pl.col("key").is_in(self.groups["question_id"].implode())
        return self.texts.filter(is_rated)["text"].sort().to_list()


class CountingWarehouse:
    """A warehouse in memory that counts the ratings of a dataset.

    `kinds` are the declared kinds of raters (columns: warehouse.raters.rater_kinds.KINDS), `n_last` is the size of the
    window of the last items. What does not fit into `memory` goes to `folder`. With `list_items`, the counted items are
    remembered.
    """

    def __init__(
        self, folder: Path, memory: str, *, kinds: pl.DataFrame, timezone: str, n_last: int, list_items: bool = False
    ) -> None:
        config = CONFIG | {"memory_limit": memory, "temp_directory": str(folder)}
        self._con = duckdb.connect(":memory:", config=config)
        self._con.execute("set timezone = 'UTC'")
        self._con.execute(QUIET)
        self._n_last, self._list_items = n_last, list_items
        self._last: list[pl.DataFrame] = []
        self._items: list[pl.DataFrame] = []
        self._future: list[pl.DataFrame] = []
        migrate(self._con, with_views=False)
        set_timezone(self._con, timezone)
        with sql.transaction(self._con):
            for dictionary, name in (("keys/questions", "question"), ("keys/raters", "rater")):
                keys.text_keys(self._con, dictionary, kinds[name].unique().sort())
        set_rater_kinds(self._con, kinds)

    def close(self) -> None:
        """Give the memory back."""
        self._con.close()

    def store(
        self,
        place: int,
        bucket: int,
        ratings: pl.DataFrame,
        metadata: pl.DataFrame,
        *,
        now: datetime,
        rules: Mapping[str, str],
    ) -> None:
        """Store the ratings that a group of files has in a bucket, and what it says about their items.

        The groups come in the order of their arrival.
        """
        batch = Batch(
            batch_id=f"{place}/{bucket}", source=None, file_name=None, sha256=None, reader=None, status="stored",
            n_rows=ratings.height, n_skipped=0, started_at=now,
        )  # fmt: skip
        nothing = pl.DataFrame(schema={"row_number": pl.Int64})
        rejects = nothing.with_columns(
            pl.lit(None, pl.String).alias(name) for name in ("column_name", "value", "reason", "detail")
        )
        store_batch(self._con, batch, ratings, rejects, metadata, now=now, rules=rules)

    def next_bucket(self) -> pl.DataFrame:
        """Forget the ratings of the bucket, and return the rows that the rules for duplicates refused."""
        with duckdb_errors("count a dataset"):
            refused = sql.frame(self._con, "datasets/counting/bucket_rejects")
            self._last.append(sql.frame(self._con, "datasets/counting/bucket_last_items", n=self._n_last))
            self._future.append(sql.frame(self._con, "datasets/counting/bucket_future"))
            if self._list_items:
                self._items.append(sql.frame(self._con, "datasets/counting/bucket_items"))
            with sql.transaction(self._con):
                sql.run(self._con, "datasets/counting/next_bucket")
        return refused

    def n_pattern_ratings(self) -> int:
        """Return how many ratings the patterns have that were found so far."""
        return int(str(sql.value(self._con, "datasets/counting/n_pattern_ratings")))

    def n_slice_counts(self) -> int:
        """Return how many counts of slices were found so far."""
        return int(str(sql.value(self._con, "datasets/counting/n_slice_counts")))

    def counts(self) -> DatasetCounts:
        """Return everything that was counted."""
        with duckdb_errors("read the counts of a dataset"):
            frames = {
                name: sql.frame(self._con, f"datasets/counting/{query}")
                for name, query in (
                    ("texts", "texts"), ("contents", "contents"), ("counts", "counts"), ("windows", "batch_windows"),
                    ("groups", "group_counts"),
                )
            }  # fmt: skip
        last, items = latest_items(self._last, self._n_last), _joined(self._items)
        return DatasetCounts(**frames, last=last, items=items, future=summed_future(self._future))


def latest_items(buckets: Sequence[pl.DataFrame], n: int) -> pl.DataFrame:
    """Return the `n` items of each question that people rated last, of those of each bucket."""
    if not buckets:
        return pl.DataFrame()
    ordered = pl.concat(buckets).sort("question_id", "latest", "first_row", descending=[False, True, True])
    return ordered.group_by("question_id", maintain_order=True).head(n)


def summed_future(buckets: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Add up the `future` of each bucket (columns: FUTURE)."""
    rows = pl.concat([pl.DataFrame(schema=FUTURE), *(bucket.cast(FUTURE) for bucket in buckets)])
    return rows.group_by("place").agg(pl.col("n_future").sum(), pl.col("last_future_at").max())


def _joined(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames) if frames else pl.DataFrame(schema={"question_id": pl.Int32, "item": pl.String})
