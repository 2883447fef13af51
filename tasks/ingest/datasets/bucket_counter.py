"""Count the rows of a dataset, a bucket of items at a time. Every engine counts its buckets with this."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed
from tasks.ingest.datasets.count_job import CountJob, CountOutcome
from tasks.ingest.datasets.count_memory import engine_memory, max_counts, memory_for
from tasks.ingest.datasets.slice_values import item_values
from tasks.ingest.duplicates import number_repeats, rules_of_warehouse
from tasks.ingest.rater_names import rename_raters
from tasks.ingest.validate import ValidatedExport
from warehouse.datasets.counting import EXAMPLES, CountingWarehouse, DatasetCounts
from warehouse.datasets.stored import FILE_REJECTS, RANGES

REJECT_KEYS = ["place", "file_name", "reason"]


@dataclass(frozen=True)
class GroupRows:
    """What a group of files has in a bucket: ratings, rejected rows, and what the items are sliced by (METADATA)."""

    place: int
    ratings: pl.DataFrame
    rejects: pl.DataFrame
    metadata: pl.DataFrame


class BucketCounter:
    """Count buckets: all rows of an item are in one bucket.

    `folder` is for what does not fit into `memory` (None: DuckDB's share of that of the process). `check` is called
    with the questions that no bucket had before.
    """

    def __init__(
        self,
        job: CountJob,
        folder: Path,
        memory: str | None,
        check: Callable[[list[str]], None] = lambda questions: None,
    ) -> None:
        self.job, self._check = job, check
        self._questions: set[str] = set()
        memory = engine_memory(memory, 1 if job.whole else 2)
        self._after = self._counting(folder, memory)
        self._before = None if job.whole else self._counting(folder, memory, list_items=True)
        self._rejects: list[pl.DataFrame] = []
        self._ranges: list[pl.DataFrame] = []

    def close(self) -> None:
        """Give the memory back."""
        self._after.close()
        if self._before is not None:
            self._before.close()

    def add(self, number: int, bucket: ValidatedExport, values: pl.DataFrame) -> None:
        """Count the rows of a bucket; `row_number` counts the rows of all files, from 1.

        `values` has the values of rows by which items are sliced: row_number, key, value.
        """
        self._ranges.append(self._item_ranges(bucket.ratings))
        groups = list(self._by_group(bucket, values))
        self._rejects += self._store(self._after, number, groups)
        if self._before is not None:
            self._store(self._before, number, groups[:-1])
        refuse_many_patterns(self.job, self._after.n_pattern_ratings())
        refuse_many_values(self.job, self._after.n_slice_counts())

    def outcome(self) -> CountOutcome:
        """Return everything that was counted."""
        before: DatasetCounts | None = None if self._before is None else self._before.counts()
        return CountOutcome(self._after.counts(), before, summed_rejects(self._rejects), joined_ranges(self._ranges))

    def _counting(self, folder: Path, memory: str, *, list_items: bool = False) -> CountingWarehouse:
        rules = self.job.rules
        return CountingWarehouse(
            folder, memory, kinds=rules.kinds, timezone=rules.timezone, n_last=rules.n_last, list_items=list_items
        )

    def _by_group(self, bucket: ValidatedExport, values: pl.DataFrame) -> Iterator[GroupRows]:
        """Yield the rows of each group of files."""
        rules, source = self.job.rules.ingest, self.job.source
        checked = rename_raters(bucket, rules.aliases, source.options, self.job.forgotten)
        start = 0
        for place, group in enumerate(self.job.groups):
            end = start + int(group.files["n_rows"].sum())
            is_own = pl.col("row_number").is_between(start + 1, end)
            start = end
            ratings = number_repeats(checked.ratings.filter(is_own), rules.duplicates)
            yield GroupRows(place, ratings, checked.rejects.filter(is_own), self._metadata(ratings, values))

    def _metadata(self, ratings: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
        rated = ratings.select(pl.col("row_number").cast(pl.Int64), "question", "item")
        with_values = rated.join(values, on="row_number")
        return item_values(self._placed(with_values) if with_values.height else with_values.with_columns(start=0))

    def _store(self, counting: CountingWarehouse, number: int, groups: Sequence[GroupRows]) -> list[pl.DataFrame]:
        rules = rules_of_warehouse(self.job.rules.ingest.duplicates)
        rejects = []
        for part in groups:
            self._check_new(set(part.ratings["question"].unique().cast(pl.String)))
            if part.ratings.height:
                arrived = self.job.groups[part.place].arrived
                counting.store(part.place, number, part.ratings, part.metadata, now=arrived, rules=rules)
            if part.rejects.height:
                rejects.append(part.rejects.with_columns(place=pl.lit(part.place, pl.Int32)))
        refused = counting.next_bucket()
        return [self._first_rejects(frame) for frame in (*rejects, refused) if frame.height]

    def _check_new(self, questions: set[str]) -> None:
        if new := questions - self._questions:
            self._check(sorted(new))
            self._questions |= new

    def _placed(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Add the name of the file and the number of its first row, less 1 (`start`). The rows are sorted then."""
        starts = self.job.files.select(
            "file_name", start=(pl.col("n_rows").cum_sum() - pl.col("n_rows")).cast(pl.Int64)
        ).with_columns(row_number=pl.col("start") + 1)
        rows = rows.with_columns(pl.col("row_number").cast(pl.Int64)).sort("row_number")
        return rows.join_asof(starts.filter(self.job.files["n_rows"] > 0), on="row_number")

    def _first_rejects(self, rejects: pl.DataFrame) -> pl.DataFrame:
        """Keep the first rejected rows of each file and reason, and count the others."""
        placed = self._placed(rejects).with_columns(
            row_number=pl.col("row_number") - pl.col("start"), n_rows=pl.lit(1, pl.Int64)
        )
        return summed_rejects([placed.select(list(FILE_REJECTS))])

    def _item_ranges(self, ratings: pl.DataFrame) -> pl.DataFrame:
        """Return the lowest and the highest item of each file in the order of the bytes."""
        placed = self._placed(ratings.select("row_number", pl.col("item").cast(pl.String)))
        ranges = placed.group_by("file_name").agg(first_item=pl.col("item").min(), last_item=pl.col("item").max())
        return ranges.cast(pl.Schema(RANGES))


def refuse_many_patterns(job: CountJob, n_pattern_ratings: int) -> None:
    """Raise ReadError if the patterns have more ratings than fit into the memory of the process."""
    if n_pattern_ratings > max_counts():
        n_rows = int(job.files["n_rows"].sum())
        raise ReadError(
            f"The ratings of {job.source.place} hardly repeat: their patterns have more than {max_counts():,} ratings, "
            "which do not fit into the memory of this process.",
            f"Up to {memory_for(n_rows)} would be enough (memory in [limits]). Or ingest the files as a folder.",
        )


def refuse_many_values(job: CountJob, n_slice_counts: int) -> None:
    """Raise ReadError if the counts of the slices do not fit into the memory of the process."""
    if n_slice_counts > max_counts():
        raise ReadError(
            f"The columns {listed(job.rules.slices)} of {job.source.place} have too many values for slices: their "
            f"more than {max_counts():,} counts do not fit into the memory of this process.",
            "Name columns with few values in `slices`, or raise `memory` in [limits].",
        )


def joined_ranges(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Join the ranges that the items of files have in several buckets."""
    rows = pl.concat([pl.DataFrame(schema=RANGES), *frames])
    return rows.group_by("file_name").agg(pl.col("first_item").min(), pl.col("last_item").max()).sort("file_name")


def summed_rejects(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Join lists of rejected rows. Those beyond the first of each file and reason become one row."""
    schema = pl.Schema(FILE_REJECTS)
    rows = pl.concat([pl.DataFrame(schema=schema), *(part.cast(schema) for part in frames)])
    rows = rows.sort(*REJECT_KEYS, "row_number", nulls_last=True)
    with_number = rows.filter(pl.col("row_number").is_not_null())
    number = pl.int_range(pl.len()).over(REJECT_KEYS)
    first = with_number.filter(number < EXAMPLES)
    rest = pl.concat([with_number.filter(number >= EXAMPLES), rows.filter(pl.col("row_number").is_null())])
    more = rest.group_by(REJECT_KEYS, maintain_order=True).agg(pl.col("n_rows").sum())
    text = pl.format("More rows of this file with this reason: {}. The first ones are listed.", "n_rows")
    others = [name for name in FILE_REJECTS if name not in (*REJECT_KEYS, "n_rows", "detail")]
    more = more.with_columns(text.alias("detail"), *(pl.lit(None, FILE_REJECTS[name]).alias(name) for name in others))
    return pl.concat([first, more.select(list(FILE_REJECTS))]).sort(*REJECT_KEYS, "row_number", nulls_last=True)
