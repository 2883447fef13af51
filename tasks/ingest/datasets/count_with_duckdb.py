"""Count a dataset with DuckDB on this machine."""

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from tasks.errors import ReadError
from tasks.ingest.datasets.bucket_counter import BucketCounter
from tasks.ingest.datasets.count_job import CountJob, CountOutcome
from tasks.ingest.datasets.dataset_columns import DatasetColumns, judged_columns, validated_rows
from tasks.ingest.datasets.dataset_rows import DatasetReader, EngineReadError, n_buckets_of
from tasks.ingest.datasets.object_copies import copied_columns, first_rows
from tasks.ingest.datasets.slice_values import slice_values

step_log = logging.getLogger("kappaflow.steps")


class DamagedFilesError(ReadError):
    """Some files of a dataset cannot be read. `files` are their names, and why."""

    def __init__(self, files: dict[str, str]) -> None:
        super().__init__(f"{', '.join(sorted(files))} cannot be read.", "Write them again.")
        self.files = files


def count_with_duckdb(job: CountJob, folder: Path, check: Callable[[list[str]], None]) -> CountOutcome:
    """Count the rows of a dataset. `folder` is for temporary files, `check` is called with the questions.

    Raises DamagedFilesError if single files cannot be read, and ReadError if the dataset cannot be counted.
    """
    source = job.source
    if source.store is not None:
        columns = judged_columns(first_rows(source, job.files), source, job.rules.slices)
        job = replace(job, files=copied_columns(source, job.files, columns, folder / "copies"))
        with closing(DatasetReader(source, job.files, folder)) as reader, _named_files(reader):
            return _counted(job, reader, columns, folder, check)
    with closing(DatasetReader(source, job.files, folder)) as reader, _named_files(reader):
        columns = judged_columns(reader.first_rows(), source, job.rules.slices)
        return _counted(job, reader, columns, folder, check)


@contextmanager
def _named_files(reader: DatasetReader) -> Iterator[None]:
    """Turn an error of the engine into one that names the files that cannot be read, if there are any."""
    try:
        yield
    except EngineReadError:
        names = dict(reader.files.select("path", "file_name").rows())
        if damaged := reader.damaged() or reader.odd_files():
            raise DamagedFilesError({names[path]: why for path, why in damaged.items()}) from None
        raise


def _counted(
    job: CountJob,
    reader: DatasetReader,
    columns: DatasetColumns,
    folder: Path,
    check: Callable[[list[str]], None],
) -> CountOutcome:
    labels, n_buckets = job.rules.ingest.labels, n_buckets_of(job.files)
    buckets = reader.buckets(columns) if job.whole else reader.touched(columns, job.new)
    with closing(BucketCounter(job, folder / "counting", job.source.memory, check)) as counter:
        for number, rows in buckets:
            step_log.debug("counting %s, bucket %d/%d", job.source.place, number + 1, n_buckets)
            counter.add(number, validated_rows(rows, columns, job.source, labels), slice_values(rows, columns))
        outcome = counter.outcome()
    ranges = outcome.ranges if reader.has_stable_items(columns) else outcome.ranges.clear()
    return replace(outcome, ranges=ranges, notes=columns.notes)
