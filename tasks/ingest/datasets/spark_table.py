"""Read a table in the catalog of Spark whose rows lie in Parquet files."""

from functools import partial
from typing import Any

import polars as pl

from tasks.errors import ReadError
from tasks.ingest.datasets.count_job import CountJob
from tasks.ingest.datasets.dataset_columns import JUDGED_ROWS, DatasetColumns
from tasks.ingest.datasets.spark_rows import table_rows, text_schema
from tasks.ingest.datasets.spark_session import spark_session
from tasks.sources.dataset import DatasetFiles, DatasetSource


def table_files(source: DatasetSource) -> DatasetFiles:
    """List the files of a table, with their rows. Raises ReadError if its rows do not lie in files."""
    from pyspark.errors import AnalysisException

    with spark_session(source.master) as session:
        try:
            files = session.table(source.table).selectExpr(
                "_metadata.file_path as path", "_metadata.file_size as size",
                "unix_micros(_metadata.file_modification_time) * 1000 as modified_ns",
                "_metadata.row_index as row_index",
            )  # fmt: skip
        except AnalysisException as error:
            raise ReadError(
                f"{source.place} is not a table whose rows lie in Parquet files: {str(error).splitlines()[0]}",
                "Name such a table as table:DATABASE.NAME. Of a Delta table, or of another kind, name the folder.",
            ) from None
        rows = pl.DataFrame(files.groupBy("path", "size", "modified_ns").count().toArrow())
    if rows.is_empty():
        raise ReadError(f"{source.place} has no rows.", "The next run looks again.")
    return DatasetFiles(
        rows.select(
            "path", pl.col("path").alias("file_name"), pl.col("size").cast(pl.Int64),
            pl.col("modified_ns").cast(pl.Int64), pl.lit("").alias("footer"), pl.col("count").alias("n_rows"),
        ).sort("file_name")
    )  # fmt: skip


def first_rows_of_table(session: Any, source: DatasetSource) -> pl.DataFrame:
    """Return the first rows of a table."""
    return pl.DataFrame(session.table(source.table).limit(JUDGED_ROWS).toArrow())


def rows_of_table(session: Any, job: CountJob, columns: DatasetColumns) -> Any:
    """Return all rows of a table as text, each with its number and the key of its item."""
    starts = dict(job.files.select("path", start=(pl.col("n_rows").cum_sum() - pl.col("n_rows")).cast(pl.Int64)).rows())
    headers = [f"`{header.replace('`', '``')}`" for header in dict.fromkeys(columns.headers.values())]
    rows = session.table(job.source.table).selectExpr(
        *headers, "_metadata.file_path as file_path", "_metadata.row_index as row_index"
    )
    return rows.mapInArrow(partial(table_rows, columns=columns, starts=starts), text_schema(columns))
