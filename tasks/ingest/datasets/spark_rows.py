"""What runs on the workers of a Spark cluster: read the files of a dataset, and count a bucket of its items.

The workers need kappaflow in the version of the driver, with the extra `pipeline`. Rows pass through the same code as
on one machine, so that they count by the same rules.
"""

import hashlib
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from io import BytesIO
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.errors import KappaflowError
from tasks.formats.parsing.text_table import as_text
from tasks.ingest.datasets.bucket_counter import BucketCounter
from tasks.ingest.datasets.count_job import CountJob
from tasks.ingest.datasets.dataset_columns import DatasetColumns, name_in_file, validated_rows
from tasks.ingest.datasets.dataset_rows import WHITE_SPACE
from tasks.ingest.datasets.slice_values import slice_values
from tasks.sources.dataset import DatasetSource
from tasks.sources.datasets.dataset_files import part_reader
from warehouse.datasets.counting import DatasetCounts

BATCH_ROWS = 65_536
MEMORY = "1 GB"  # of DuckDB in one task
KEYS = {
    "part": pl.String, "section": pl.String, "sign": pl.Int32, "question": pl.String, "day": pl.Date,
    "pattern": pl.String, "rater": pl.String, "rater_kind": pl.String, "label": pl.String,
    "system_version": pl.String, "duration_s": pl.Float64, "place": pl.Int32, "slice_key": pl.String,
    "slice_value": pl.String,
}  # fmt: skip
"""What counts are counted by. A row of the part `count` has a number, one of `content` is a rating of a pattern, and
one of `frame` has a whole table in `payload`."""
COUNTED = {**KEYS, "n": pl.Int64, "payload": pl.Binary}
SPARK_TYPES = {
    pl.String: "string", pl.Int32: "int", pl.Int64: "bigint", pl.Date: "date", pl.Float64: "double",
    pl.Binary: "binary",
}  # fmt: skip
DICTIONARIES = {"question_id": ("questions", "question"), "rater_id": ("raters", "rater"),
                "label_id": ("labels", "label")}  # fmt: skip
FRAMES = ("windows", "groups", "last", "items", "future")


class TaskError(Exception):
    """An error of the dataset that a worker found: its sentences, for the driver."""


def text_schema(columns: DatasetColumns) -> str:
    """Return the columns of `file_rows` for Spark."""
    texts = ", ".join(f"`{role}` string" for role in columns.headers)
    return f"{texts}, `row_number` bigint, `key` string"


def counted_schema() -> str:
    """Return the columns of `counted_bucket` for Spark."""
    return ", ".join(f"`{name}` {SPARK_TYPES[dtype]}" for name, dtype in COUNTED.items())


def file_rows(
    batches: Iterable[pa.RecordBatch], source: DatasetSource, columns: DatasetColumns
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the files in `batches` (path, start) as text, each with its number and the key of its item."""
    for batch in batches:
        for file in batch.to_pylist():
            try:
                with part_reader(source).open(file["path"]) as content:
                    yield from _rows(pq.ParquetFile(content), columns, file["start"])
            except (OSError, ValueError) as error:  # pyarrow's own are ValueErrors
                message = str(error).splitlines()[0] if str(error) else "nothing"
                hint = "Write it again, or check that each worker has it there."
                raise TaskError(f"A worker cannot read {file['path']}: {message}\n{hint}") from None


def table_rows(
    batches: Iterable[pa.RecordBatch], columns: DatasetColumns, starts: Mapping[str, int]
) -> Iterator[pa.RecordBatch]:
    """Yield rows that Spark read as text, each with its number and the key of its item. `starts` is by file."""
    for batch in batches:
        frame = _frame(pa.Table.from_batches([batch]))
        start = frame["file_path"].replace_strict(starts, return_dtype=pl.Int64)
        yield from _texts(frame, columns, start + frame["row_index"] + 1)


def counted_bucket(
    batches: Iterable[pa.RecordBatch], job: CountJob, columns: DatasetColumns
) -> Iterator[pa.RecordBatch]:
    """Count the rows of a bucket, and yield the counts with texts in place of keys."""
    tables = [_frame(pa.Table.from_batches([batch])) for batch in batches]
    tables = [table for table in tables if table.height]
    if tables:
        yield from _as_arrow(count_rows(pl.concat(tables), job, columns), COUNTED)


def count_rows(rows: pl.DataFrame, job: CountJob, columns: DatasetColumns) -> pl.DataFrame:
    """Count the rows of a bucket (columns: COUNTED)."""
    with (
        tempfile.TemporaryDirectory(prefix="kappaflow-") as folder,
        closing(BucketCounter(job, Path(folder), MEMORY)) as counter,
    ):
        try:
            ordered = rows.drop("key").sort("row_number")
            checked = validated_rows(ordered, columns, job.source, job.rules.ingest.labels)
            counter.add(0, checked, slice_values(ordered, columns))
        except KappaflowError as error:
            raise TaskError(f"{error}\n{error.hint}") from None
        outcome = counter.outcome()
    frames = _counted(outcome.after, 1)
    if outcome.before is not None:
        frames += _counted(outcome.before, -1)
    frames.append(_payload("rejects", 1, outcome.rejects))
    return pl.concat(frames)


def _rows(parquet: pq.ParquetFile, columns: DatasetColumns, start: int) -> Iterator[pa.RecordBatch]:
    in_file = {name_in_file(header, parquet.schema_arrow.names): header for header in columns.headers.values()}
    present = {name: header for name, header in in_file.items() if name is not None}
    n_read = 0
    for batch in parquet.iter_batches(batch_size=BATCH_ROWS, columns=list(present)):
        frame = _frame(pa.Table.from_batches([batch])).rename(present) if present else pl.DataFrame()
        numbers = pl.int_range(start + n_read + 1, start + n_read + batch.num_rows + 1, dtype=pl.Int64, eager=True)
        n_read += batch.num_rows
        yield from _texts(frame, columns, numbers)


def _texts(frame: pl.DataFrame, columns: DatasetColumns, numbers: pl.Series) -> Iterator[pa.RecordBatch]:
    nothing = pl.Series("nothing", [None], dtype=pl.String).new_from_index(0, len(numbers))
    texts = pl.DataFrame(
        [
            *(
                (as_text(frame[header]) if header in frame.columns else nothing).alias(role)
                for role, header in columns.headers.items()
            ),
            numbers.alias("row_number"),
        ]
    )
    tidy = pl.col("item").str.strip_chars(WHITE_SPACE).str.normalize("NFC")
    key = pl.coalesce(tidy, pl.col("row_number").cast(pl.String))  # rows without an item are spread over all buckets
    schema = dict.fromkeys(columns.headers, pl.String) | {"row_number": pl.Int64, "key": pl.String}
    yield from _as_arrow(texts.with_columns(key=key), schema)


def _counted(counts: DatasetCounts, sign: int) -> list[pl.DataFrame]:
    patterns = _digests(counts)
    contents = counts.contents.select("pattern", "question_id", "rater_id", "rater_kind", "label_id")
    frames = {name: _with_texts(getattr(counts, name), counts.texts, patterns) for name in FRAMES}
    return [
        _row(_with_texts(counts.counts, counts.texts, patterns), part="count", sign=sign),
        _row(_with_texts(contents, counts.texts, patterns).with_columns(n=1), part="content", sign=sign),
        *(_payload(name, sign, frame) for name, frame in frames.items()),
        _payload("texts", sign, counts.texts.select("dictionary", "text")),
    ]


def _digests(counts: DatasetCounts) -> pl.DataFrame:
    """Return a digest of the content of each pattern, which is the same in every bucket."""
    texts = _with_texts(counts.contents, counts.texts, None)
    rows = texts.select("pattern", "question", "rater", "rater_kind", "label").sort("pattern", "rater", "rater_kind")
    patterns, digests = [], []
    for pattern, content in rows.group_by("pattern", maintain_order=True).agg(pl.struct(pl.exclude("pattern"))).rows():
        content_text = repr([tuple(rating.values()) for rating in content])
        patterns.append(pattern)
        digests.append(hashlib.blake2b(content_text.encode(), digest_size=16).hexdigest())
    return pl.DataFrame({"pattern": patterns, "digest": digests}, schema={"pattern": pl.Int64, "digest": pl.String})


def _with_texts(frame: pl.DataFrame, texts: pl.DataFrame, patterns: pl.DataFrame | None) -> pl.DataFrame:
    for key, (dictionary, name) in DICTIONARIES.items():
        if key in frame.columns:
            own = texts.filter(pl.col("dictionary") == dictionary)
            own = own.select(pl.col("key").cast(pl.Int32).alias(key), pl.col("text").alias(name))
            frame = frame.with_columns(pl.col(key).cast(pl.Int32)).join(own, on=key, how="left").drop(key)
    if patterns is not None and "pattern" in frame.columns:
        frame = frame.with_columns(pl.col("pattern").cast(pl.Int64)).join(patterns, on="pattern", how="left")
        frame = frame.drop("pattern").rename({"digest": "pattern"})
    return frame


def _row(frame: pl.DataFrame, *, part: str, sign: int) -> pl.DataFrame:
    frame = frame.with_columns(part=pl.lit(part), sign=pl.lit(sign, pl.Int32))
    missing = [pl.lit(None, dtype).alias(name) for name, dtype in COUNTED.items() if name not in frame.columns]
    return frame.with_columns(missing).select(pl.col(name).cast(dtype) for name, dtype in COUNTED.items())


def _payload(section: str, sign: int, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table as one row. Each table has another `pattern` number, so that two tables are never joined."""
    written = BytesIO()
    frame.write_ipc_stream(written)
    row = pl.DataFrame({"section": [section], "pattern": [uuid.uuid4().hex], "payload": [written.getvalue()]})
    return _row(row, part="frame", sign=sign)


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()


def _as_arrow(frame: pl.DataFrame, schema: Mapping[str, type[pl.DataType]]) -> Iterator[pa.RecordBatch]:
    """Yield the rows as Spark takes them: its texts are no large or view ones."""
    types = {
        pl.String: pa.string(), pl.Int32: pa.int32(), pl.Int64: pa.int64(), pl.Date: pa.date32(),
        pl.Float64: pa.float64(), pl.Binary: pa.binary(),
    }  # fmt: skip
    wanted = pa.schema([(name, types[dtype]) for name, dtype in schema.items()])
    yield from frame.select(list(schema)).to_arrow().cast(wanted).to_batches(BATCH_ROWS)
