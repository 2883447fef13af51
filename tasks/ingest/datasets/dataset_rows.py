"""Read the rows of a dataset with DuckDB, bucket by bucket: all rows of an item are in one bucket.

DuckDB reads the files once and writes the columns that have a role to a temporary folder, a folder for each bucket. So
the memory needed depends on the size of a bucket, and not on that of the dataset.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow.parquet as pq
from duckdb import CoalesceOperator, ColumnExpression, ConstantExpression, FunctionExpression, StarExpression

from tasks.errors import ReadError
from tasks.ingest.datasets.count_memory import bucket_rows, engine_memory
from tasks.ingest.datasets.dataset_columns import JUDGED_ROWS, DatasetColumns, name_in_file
from tasks.ingest.datasets.item_ranges import files_with_items, has_stable_text
from tasks.ingest.datasets.mixed_columns import NESTED, MixedColumns, joined, mixed_columns, without_mixed
from tasks.sources.dataset import DatasetSource
from warehouse.connect import CONFIG, QUIET
from warehouse.errors import first_line

MAX_LISTED_ITEMS = 1_000_000  # with more touched items hardly a file has none of them
NOT_READ = ("filename", "file_row_number", "start", "bucket")  # columns that only lead to the row
WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)


class EngineReadError(ReadError):
    """The engine could not read the files. Which of them is damaged is not said."""


class DatasetReader:
    """Read the files of a dataset with DuckDB.

    `files` has path and n_rows, in the order in which their ratings count, and first_item and last_item where they are
    known. `folder` is for temporary files.
    """

    def __init__(self, source: DatasetSource, files: pl.DataFrame, folder: Path) -> None:
        self.source, self.files, self.folder = source, files, folder
        self._con = duckdb.connect(
            ":memory:",
            config=CONFIG | {"memory_limit": engine_memory(source.memory), "temp_directory": str(folder / "spill")},
        )
        self._con.execute(QUIET)
        self._mixed: MixedColumns | None = None

    def close(self) -> None:
        """Give the memory back."""
        self._con.close()

    def first_rows(self) -> pl.DataFrame:
        """Return the first rows, with the columns of all files."""
        with self._readable():
            rows: pl.DataFrame = self._scan(self.files).limit(JUDGED_ROWS).pl()
        return rows.drop("filename", "file_row_number")

    def buckets(self, columns: DatasetColumns) -> Iterator[tuple[int, pl.DataFrame]]:
        """Yield the rows of all files, a bucket of items at a time: its number, and the columns by role."""
        with self._readable():
            rows = self._keyed(columns, self.files)
        yield from self._buckets(rows, n_buckets_of(self.files))

    def touched(self, columns: DatasetColumns, new: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
        """Yield the rows of the items that the files `new` rate, from all files, a bucket of items at a time.

        Files that can have none of these items are not read.
        """
        paths = [ConstantExpression(path) for path in new["path"]]
        with self._readable():
            # Of all files, so that an item has the same type, and so the same key, as in the other files.
            rows = self._keyed(columns, self.files)
            items = rows.filter(ColumnExpression("filename").isin(*paths)).select(ColumnExpression("key")).distinct()
            files = self._files_to_read(columns, new)
            if files.height < self.files.height:
                rows = self._keyed(columns, files)
            rows = rows.set_alias("rows").join(items.set_alias("touched"), "key", how="semi")
        yield from self._buckets(rows, n_buckets_of(self.files))

    def damaged(self) -> dict[str, str]:
        """Read every column with a role of every file by itself. Return the paths of those that fail, and why."""
        damaged = {}
        for path in self.files["path"]:
            try:
                scan = self._con.read_parquet(path)
                hashes = [FunctionExpression("hash", ColumnExpression(name)) for name in scan.columns]
                scan.aggregate([FunctionExpression("bit_xor", hashed) for hashed in hashes]).fetchall()
            except duckdb.Error as error:
                damaged[str(path)] = first_line(error)
        return damaged

    def odd_files(self) -> dict[str, str]:
        """Return the paths of files with a column of another kind than in the other files, and why.

        A column holds values, lists or structs, and DuckDB reads no two kinds as one. The kind of a column is that of
        the files that are counted already, else that of most files.
        """
        columns: dict[str, list[tuple[str, Any, bool]]] = {}
        for path, batch_no in self.files.select("path", "batch_no").rows():
            scan = self._con.read_parquet(path)
            for name, type_ in zip(scan.columns, scan.types, strict=True):
                columns.setdefault(name, []).append((path, type_, batch_no is not None))
        odd: dict[str, str] = {}
        for name, files in columns.items():
            deciding = [type_ for _, type_, is_counted in files if is_counted] or [type_ for _, type_, _ in files]
            kinds = Counter(map(_kind, deciding))
            kind = kinds.most_common(1)[0][0]
            usual = next(type_ for type_ in deciding if _kind(type_) == kind)
            for path, type_, _ in files:
                if _kind(type_) != kind:
                    odd.setdefault(path, f"Its column {name!r} holds {type_}, and that of the other files {usual}.")
        return odd

    def _files_to_read(self, columns: DatasetColumns, new: pl.DataFrame) -> pl.DataFrame:
        """Leave out the files whose items all are below or above each item of the new files."""
        header, scan = columns.headers["item"], self._scan(new)
        if name_in_file(header, scan.columns) is None or not has_stable_text(self._types()[header]):
            return self.files
        items = scan.select(_tidy(columns).alias("item")).distinct().limit(MAX_LISTED_ITEMS + 1).pl()
        if items.height > MAX_LISTED_ITEMS:
            return self.files
        return files_with_items(self.files, items["item"], new["path"])

    def has_stable_items(self, columns: DatasetColumns) -> bool:
        """Return whether an item has the same text in each file, whatever files are read with it."""
        with self._readable():
            return has_stable_text(self._types()[columns.headers["item"]])

    def _types(self) -> dict[str, Any]:
        scan = self._scan(self.files)
        return dict(zip(scan.columns, scan.types, strict=True))

    def _scan(self, files: pl.DataFrame) -> duckdb.DuckDBPyRelation:
        if self._mixed is None:
            self._mixed = mixed_columns(self._con, self.files["path"].to_list())
        if not self._mixed.names:
            return self._together(files["path"].to_list())
        groups = self._mixed.alike(files["path"].to_list())
        return joined([without_mixed(self._together(paths), self._mixed.names) for paths in groups])

    def _together(self, paths: list[str]) -> duckdb.DuckDBPyRelation:
        return self._con.read_parquet(paths, filename=True, file_row_number=True, union_by_name=True)

    def _keyed(self, columns: DatasetColumns, files: pl.DataFrame) -> duckdb.DuckDBPyRelation:
        """Return the columns with a role, and the key of each row's item: its text as validation will see it."""
        row = ColumnExpression("file_row_number").cast("VARCHAR")  # rows without an item are spread over all buckets
        scan, types = self._scan(files), self._types()
        return scan.select(
            ColumnExpression("filename"),
            ColumnExpression("file_row_number"),
            *(
                # Single files may have other types, or lack columns.
                (ColumnExpression(header) if name_in_file(header, scan.columns) else ConstantExpression(None))
                .cast(types[header])
                .alias(role)
                for role, header in columns.headers.items()
            ),
            FunctionExpression("hash", CoalesceOperator(_tidy(columns), row)).alias("key"),
        )

    def _buckets(self, rows: duckdb.DuckDBPyRelation, n_buckets: int) -> Iterator[tuple[int, pl.DataFrame]]:
        target = self.folder / "buckets"
        with self._readable():
            bucket = FunctionExpression("%", ColumnExpression("key"), ConstantExpression(n_buckets)).cast("INTEGER")
            rows = rows.select(StarExpression(exclude=["key"]), bucket.alias("bucket"))
            rows.write_parquet(str(target), partition_by=["bucket"], overwrite=True, compression="lz4")
        starts = self.files.with_columns(start=pl.col("n_rows").cum_sum() - pl.col("n_rows"))
        starts = starts.select(pl.col("path").alias("filename"), "start")
        for number, paths in _buckets_together(target, n_buckets):
            frame = pl.read_parquet(paths, hive_partitioning=False)
            frame = frame.join(starts, on="filename", how="left").with_columns(
                row_number=pl.col("start") + pl.col("file_row_number") + 1
            )
            yield number, frame.drop(NOT_READ, strict=False).sort("row_number")
            for part in paths:
                part.unlink()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn errors of the engine into errors of the dataset."""
        try:
            yield
        except duckdb.Error as error:
            raise EngineReadError(
                f"The dataset {self.source.place} cannot be read: {first_line(error)}",
                "Check that its files are complete and have columns of the same names and types.",
            ) from error


def _kind(type_: Any) -> str:
    """Return the kind of a column's values: struct, list, ..., or value for all that are one text or number."""
    return str(type_.id) if type_.id in NESTED else "value"


def _tidy(columns: DatasetColumns) -> duckdb.Expression:
    item = ColumnExpression(columns.headers["item"]).cast("VARCHAR")
    return FunctionExpression("nfc_normalize", FunctionExpression("trim", item, ConstantExpression(WHITE_SPACE)))


def _buckets_together(folder: Path, n_buckets: int) -> Iterator[tuple[int, list[Path]]]:
    """Yield the files of each bucket, with its number. Small buckets are read together, up to `bucket_rows`."""
    together: list[Path] = []
    n_rows = 0
    for number in range(n_buckets):
        paths = sorted((folder / f"bucket={number}").glob("*.parquet"))
        n_more = sum(int(pq.read_metadata(part).num_rows) for part in paths)
        if together and n_rows + n_more > bucket_rows():
            yield number - 1, together
            together, n_rows = [], 0
        together, n_rows = [*together, *paths], n_rows + n_more
    if together:
        yield n_buckets - 1, together


def n_buckets_of(files: pl.DataFrame) -> int:
    """Return how many buckets the rows of these files need."""
    return max(1, -(-int(files["n_rows"].sum()) // bucket_rows()))
