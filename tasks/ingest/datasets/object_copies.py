"""Copy the columns of a dataset in an object store that are read, while it is counted.

DuckDB would need an extension to read from a store, and could not install it offline. So the columns with a role are
written to this machine, file by file. That needs as much room as these columns take in the files.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.errors import ReadError
from tasks.ingest.datasets.dataset_columns import JUDGED_ROWS, DatasetColumns, name_in_file
from tasks.sources.dataset import DatasetSource
from tasks.sources.datasets.dataset_files import part_reader
from tasks.sources.object_store.connection import connect, explained
from tasks.sources.object_store.store_source import ObjectStore

AT_ONCE = 4
BATCH_ROWS = 65_536
step_log = logging.getLogger("kappaflow.steps")


def first_rows(source: DatasetSource, files: pl.DataFrame) -> pl.DataFrame:
    """Return the first rows of the first file with rows, with the columns of all files. Also of files in a folder."""
    reader = part_reader(source)
    names: list[str] = []
    rows = None
    for path, n_rows in files.select("path", "n_rows").rows():
        with reader.guard(), reader.open(path) as file:
            parquet = pq.ParquetFile(file)
            names += [name for name in parquet.schema_arrow.names if name_in_file(name, names) is None]
            if rows is None and n_rows:
                rows = _first_batch(parquet, path)
    if rows is None:
        return pl.DataFrame(schema=names)
    frame = _frame(pa.Table.from_batches([rows]))
    frame = frame.rename({name: name_in_file(name, names) or name for name in frame.columns})
    missing = [pl.lit(None, pl.String).alias(name) for name in names if name not in frame.columns]
    return frame.with_columns(missing).select(names)


def _first_batch(parquet: pq.ParquetFile, path: str) -> pa.RecordBatch:
    try:
        return next(parquet.iter_batches(batch_size=JUDGED_ROWS))
    except (pa.ArrowException, OSError) as error:
        raise ReadError(f"{path} cannot be read: its pages are damaged.", "Write it again, or take it out.") from error


def copied_columns(source: DatasetSource, files: pl.DataFrame, columns: DatasetColumns, folder: Path) -> pl.DataFrame:
    """Write the columns with a role of each file into the folder. Return the files with the paths of the copies."""
    store = _store(source)
    objects = connect(store)
    folder.mkdir()
    wanted = list(dict.fromkeys(columns.headers.values()))

    def copy(number: int) -> str:
        target = folder / f"{number}.parquet"
        with explained(store), objects.open_input_file(files["path"][number]) as file:
            _write(pq.ParquetFile(file), wanted, target)
        return str(target)

    step_log.debug("copying %d columns of %d files from %s", len(wanted), files.height, source.place)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        copies = list(pool.map(copy, range(files.height)))
    return files.with_columns(path=pl.Series(copies, dtype=pl.String))


def _write(source: pq.ParquetFile, wanted: Sequence[str], target: Path) -> None:
    present = [name for name in (name_in_file(header, source.schema_arrow.names) for header in wanted) if name]
    if not present:  # Each of its rows is rejected, and has to be there for that.
        rows = pa.nulls(source.metadata.num_rows, pa.string())
        pq.write_table(pa.table({wanted[0]: rows}), target)
        return
    schema = pa.schema([source.schema_arrow.field(name) for name in present])
    with pq.ParquetWriter(target, schema, compression="lz4") as writer:
        for batch in source.iter_batches(batch_size=BATCH_ROWS, columns=present):
            writer.write_batch(batch)


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()


def _store(source: DatasetSource) -> ObjectStore:
    if source.store is None:
        raise ReadError(f"{source.place} is not in an object store.")
    return source.store
