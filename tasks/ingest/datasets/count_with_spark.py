"""Count a dataset on a Spark cluster.

The workers read the files, a file at a time. Spark brings all rows of an item together. A worker counts a bucket of
items, and Spark adds up the counts of all buckets. Only the sums come here.
"""

from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from tasks.ingest.datasets.bucket_counter import refuse_many_patterns, refuse_many_values, summed_rejects
from tasks.ingest.datasets.count_job import CountJob, CountOutcome
from tasks.ingest.datasets.dataset_columns import DatasetColumns, judged_columns
from tasks.ingest.datasets.dataset_rows import DatasetReader
from tasks.ingest.datasets.object_copies import first_rows
from tasks.ingest.datasets.spark_rows import (
    COUNTED,
    KEYS,
    count_rows,
    counted_bucket,
    counted_schema,
    file_rows,
    text_schema,
)
from tasks.ingest.datasets.spark_session import cluster_errors, spark_session
from tasks.ingest.datasets.spark_table import first_rows_of_table, rows_of_table
from warehouse.datasets.counting import DatasetCounts, latest_items, summed_future
from warehouse.datasets.stored import RANGES

BUCKET_ROWS = 1_000_000
SMALLEST_BUCKET = 50_000
MAX_SENT = 1_000_000  # new rows whose items are sent to every worker


def count_with_spark(job: CountJob, folder: Path) -> CountOutcome:
    """Count the rows of a dataset. `folder` is for temporary files.

    Raises ReadError if the dataset cannot be counted, and SourceError if the cluster fails.
    """
    source = job.source
    with spark_session(source.master) as session:
        if source.table is not None:
            columns = judged_columns(first_rows_of_table(session, source), source, job.rules.slices)
            rows = rows_of_table(session, job, columns)
            new = rows.filter(rows.row_number >= job.first_new_row)
        else:
            columns = judged_columns(_first_rows(job, folder), source, job.rules.slices)
            rows = _rows_of_files(session, job, columns, job.files)
            new = _rows_of_files(session, job, columns, job.new)
        rows = rows if job.whole else _touched(job, rows, new)
        return _counted(session, job, columns, rows)


def _first_rows(job: CountJob, folder: Path) -> pl.DataFrame:
    if job.source.store is not None:
        return first_rows(job.source, job.files)
    with closing(DatasetReader(job.source, job.files, folder)) as reader:
        return reader.first_rows()


def _rows_of_files(session: Any, job: CountJob, columns: DatasetColumns, some: pl.DataFrame) -> Any:
    """Return the rows of some files as text, read by the workers, each with its number and the key of its item."""
    starts = job.files.select("path", start=(pl.col("n_rows").cum_sum() - pl.col("n_rows")).cast(pl.Int64))
    starts = starts.filter(pl.col("path").is_in(some["path"].implode()))
    files = session.createDataFrame(starts.rows(), "path string, start bigint").repartition(max(1, starts.height))
    return files.mapInArrow(partial(file_rows, source=job.source, columns=columns), text_schema(columns))


def _touched(job: CountJob, rows: Any, new: Any) -> Any:
    """Return the rows of the items that the new rows rate."""
    from pyspark.sql.functions import broadcast

    keys = new.select("key").distinct()
    if int(job.new["n_rows"].sum()) <= MAX_SENT:
        keys = broadcast(keys)  # Spark knows no sizes here, and would bring all rows together to compare them.
    return rows.join(keys, "key", "left_semi").select(*rows.columns)


def _counted(session: Any, job: CountJob, columns: DatasetColumns, rows: Any) -> CountOutcome:
    n_buckets = _n_buckets(session, job)
    buckets = rows.repartition(n_buckets, "key")
    counted = buckets.mapInArrow(partial(counted_bucket, job=job, columns=columns), counted_schema())
    # Without a number Spark would compute the sums in 200 parts.
    sums = counted.repartition(n_buckets, *KEYS).groupBy(*KEYS).agg({"n": "sum", "payload": "first"})
    sums = sums.withColumnsRenamed({"sum(n)": "n", "first(payload)": "payload"}).persist()
    with cluster_errors(job.source):
        refuse_many_patterns(job, sums.filter((sums.part == "content") & (sums.sign == 1)).count())
        refuse_many_values(job, sums.filter((sums.section == "slice") & (sums.sign == 1)).count())
        arrow = sums.select(*COUNTED).toArrow()
    return outcome_of(pl.DataFrame(arrow).cast(pl.Schema(COUNTED)), job, columns)


def outcome_of(sums: pl.DataFrame, job: CountJob, columns: DatasetColumns) -> CountOutcome:
    """Return what was counted, from the sums over all buckets (columns: COUNTED)."""
    # Counting an empty frame gives every table its columns, even if there are no sums.
    texts = dict.fromkeys(columns.headers, pl.String)
    no_rows = pl.DataFrame(schema=texts | {"row_number": pl.Int64, "key": pl.String})
    all_sums = pl.concat([sums, count_rows(no_rows, job, columns)])
    after = _counts(all_sums.filter(pl.col("sign") == 1), job.rules.n_last)
    before = None if job.whole else _counts(all_sums.filter(pl.col("sign") == -1), job.rules.n_last)
    rejects = summed_rejects(_payloads(all_sums, "rejects"))
    return CountOutcome(after, before, rejects, pl.DataFrame(schema=RANGES), columns.notes)


def _n_buckets(session: Any, job: CountJob) -> int:
    n_rows = int(job.files["n_rows"].sum())
    cores = int(session.sparkContext.defaultParallelism)
    return max(1, -(-n_rows // BUCKET_ROWS), min(cores, -(-n_rows // SMALLEST_BUCKET)))


def _counts(rows: pl.DataFrame, n_last: int) -> DatasetCounts:
    """Return the sums with keys in place of texts, as a counting warehouse returns them."""
    texts = pl.concat(_payloads(rows, "texts")).unique().sort("dictionary", "text")
    texts = texts.with_columns(key=pl.int_range(pl.len(), dtype=pl.Int32).over("dictionary"))
    contents = rows.filter(pl.col("part") == "content")
    patterns = contents.select(pl.col("pattern").unique().sort()).with_row_index("number")
    patterns = patterns.with_columns(pl.col("number").cast(pl.Int64))

    def keyed(frame: pl.DataFrame) -> pl.DataFrame:
        for dictionary, name, key in (
            ("questions", "question", "question_id"), ("raters", "rater", "rater_id"), ("labels", "label", "label_id"),
        ):  # fmt: skip
            if name in frame.columns:
                own = texts.filter(pl.col("dictionary") == dictionary)
                own = own.select(pl.col("text").alias(name), pl.col("key").alias(key))
                frame = frame.join(own, on=name, how="left").drop(name)
        if "pattern" in frame.columns:
            frame = frame.join(patterns, on="pattern", how="left").drop("pattern").rename({"number": "pattern"})
        return frame

    groups = keyed(pl.concat(_payloads(rows, "groups"))).group_by("place", "question_id")
    windows = keyed(pl.concat(_payloads(rows, "windows"))).group_by("place", "question_id")
    counts = keyed(rows.filter(pl.col("part") == "count").drop("part", "sign", "payload"))
    return DatasetCounts(
        texts=texts.select("dictionary", "key", "text"),
        contents=keyed(contents.select("pattern", "question", "rater", "rater_kind", "label")),
        counts=counts,
        windows=windows.agg(pl.col("first_at").min(), pl.col("last_at").max()),
        groups=groups.agg(pl.col("n_ratings", "n_unchanged").sum()),
        last=latest_items([keyed(frame) for frame in _payloads(rows, "last") if frame.width], n_last),
        items=keyed(pl.concat(_payloads(rows, "items"))),
        future=summed_future(_payloads(rows, "future")),
    )


def _payloads(rows: pl.DataFrame, section: str) -> list[pl.DataFrame]:
    payloads = rows.filter((pl.col("part") == "frame") & (pl.col("section") == section))["payload"]
    return [pl.read_ipc_stream(BytesIO(payload)) for payload in payloads]
