"""Read the rows of a dataset bucket by bucket: all rows of an item are in one bucket.

DuckDB reads the files once and writes the columns that have a role to a temporary folder, a folder for each bucket. So
the memory needed depends on the size of a bucket, and not on that of the dataset.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
from duckdb import CoalesceOperator, ColumnExpression, ConstantExpression, FunctionExpression, StarExpression

from tasks.errors import ReadError
from tasks.formats import Export
from tasks.formats.columns.column_roles import TIME_FORMAT, ColumnRoles, assign_roles
from tasks.formats.columns.item_choice import checked_item
from tasks.formats.columns.label_choice import checked_label
from tasks.formats.columns.mapping_proposal import missing_columns
from tasks.formats.long import CANONICAL_OF_ROLE, without_doubtful
from tasks.formats.parsing.export import canonical
from tasks.formats.parsing.file_look import SAMPLE
from tasks.formats.parsing.reject_rows import rejects_frame
from tasks.formats.parsing.set_cells import with_sets
from tasks.formats.parsing.text_table import TextTable, as_text, without_long
from tasks.formats.parsing.timestamps import with_times
from tasks.formats.parsing.unicode_form import Composer
from tasks.formats.weighted import N_ITEMS
from tasks.ingest.read_export import kind_of_rater
from tasks.ingest.validate import ValidatedExport, validate
from tasks.sources.dataset import READ_ROLES, DatasetSource
from warehouse.connect import CONFIG, QUIET

JUDGED_ROWS = 20_000  # of the first file, by which the columns are judged
BUCKET_ROWS = 3_000_000
NOT_READ = ("filename", "file_row_number", "start", "bucket")  # columns that only lead to the row
WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)


@dataclass(frozen=True)
class DatasetColumns:
    """The columns of a dataset by role, what stands between the labels of a set, and notes for the user."""

    headers: Mapping[str, str]
    label_separator: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bucket:
    """The rows of a bucket: ratings and rejected rows. `row_number` counts the rows of all files in order, from 1."""

    number: int
    checked: ValidatedExport


class DatasetReader:
    """Read the files of a dataset with DuckDB.

    `files` has path and n_rows, in the order in which their ratings count. `folder` is for temporary files.
    """

    def __init__(self, source: DatasetSource, files: pl.DataFrame, folder: Path) -> None:
        self.source, self.files, self.folder = source, files, folder
        self._con = duckdb.connect(
            ":memory:", config=CONFIG | {"memory_limit": source.memory, "temp_directory": str(folder / "spill")}
        )
        self._con.execute(QUIET)

    def close(self) -> None:
        """Give the memory back."""
        self._con.close()

    def columns(self) -> DatasetColumns:
        """Find the column of each role, from the settings, else from the headers and the first rows.

        Raises ReadError if the item, the rater or the label has no column.
        """
        path = self.source.base
        with self._readable():
            rows = self._scan().limit(JUDGED_ROWS).pl()
        rows = rows.drop("filename", "file_row_number")
        numbers = pl.int_range(1, rows.height + 1, dtype=pl.Int64, eager=True).alias("row_number")
        frame = pl.DataFrame([*(as_text(rows[name]).alias(f"c{i}") for i, name in enumerate(rows.columns)), numbers])
        table = TextTable(frame, tuple(rows.columns))
        roles = assign_roles(table.headers, self.source.options.columns, path.name)
        if roles.missing:
            raise missing_columns(path, table.headers, frame.head(SAMPLE).drop("row_number"), roles)
        if N_ITEMS in roles.index:
            raise ReadError(
                f"{path.name} has a column {table.headers[roles.index[N_ITEMS]]!r}: its rows are rating patterns, and "
                "no ratings.",
                "Read them with `kappaflow agree`, or rename the column.",
            )
        roles, notes = without_doubtful(table, roles)
        roles = checked_label(table, roles, path)
        notes = [*roles.warnings, *notes, *checked_item(table, roles, path)]
        return DatasetColumns(_headers(table, roles), roles.label_separator, tuple(notes))

    def buckets(self, columns: DatasetColumns, n_buckets: int, labels: Mapping[str, Sequence[str]]) -> Iterator[Bucket]:
        """Yield the rows of all files, a bucket of items at a time."""
        for number, rows in self._parts(columns, n_buckets):
            yield Bucket(number, self._validated(rows, columns, labels))

    def touched(
        self, columns: DatasetColumns, new: pl.DataFrame, labels: Mapping[str, Sequence[str]]
    ) -> Iterator[Bucket]:
        """Yield the rows of the items that the files `new` rate, from all files, a bucket of items at a time."""
        paths = [ConstantExpression(path) for path in new["path"]]
        # Of all files, so that an item has the same type, and so the same key, as in the other files.
        rows = self._keyed(columns).filter(ColumnExpression("filename").isin(*paths))
        items = rows.select(ColumnExpression("key")).distinct()
        for number, part in self._parts(columns, n_buckets_of(self.files), items):
            yield Bucket(number, self._validated(part, columns, labels))

    def _scan(self) -> duckdb.DuckDBPyRelation:
        paths = self.files["path"].to_list()
        return self._con.read_parquet(paths, filename=True, file_row_number=True, union_by_name=True)

    def _keyed(self, columns: DatasetColumns) -> duckdb.DuckDBPyRelation:
        """Return the columns with a role, and the key of each row's item: its text as validation will see it."""
        item = ColumnExpression(columns.headers["item"]).cast("VARCHAR")
        tidy = FunctionExpression("nfc_normalize", FunctionExpression("trim", item, ConstantExpression(WHITE_SPACE)))
        row = ColumnExpression("file_row_number").cast("VARCHAR")  # rows without an item are spread over all buckets
        return self._scan().select(
            ColumnExpression("filename"),
            ColumnExpression("file_row_number"),
            *(ColumnExpression(header).alias(role) for role, header in columns.headers.items()),
            FunctionExpression("hash", CoalesceOperator(tidy, row)).alias("key"),
        )

    def _parts(
        self, columns: DatasetColumns, n_buckets: int, items: duckdb.DuckDBPyRelation | None = None
    ) -> Iterator[tuple[int, pl.DataFrame]]:
        target = self.folder / "buckets"
        with self._readable():
            rows = self._keyed(columns)
            if items is not None:
                rows = rows.set_alias("rows").join(items.set_alias("touched"), "key", how="semi")
            bucket = FunctionExpression("%", ColumnExpression("key"), ConstantExpression(n_buckets)).cast("INTEGER")
            rows = rows.select(StarExpression(exclude=["key"]), bucket.alias("bucket"))
            rows.write_parquet(str(target), partition_by=["bucket"], overwrite=True, compression="lz4")
        starts = self.files.with_columns(start=pl.col("n_rows").cum_sum() - pl.col("n_rows"))
        starts = starts.select(pl.col("path").alias("filename"), "start")
        for number, parts in _buckets_together(target, n_buckets):
            frame = pl.read_parquet(parts, hive_partitioning=False)
            frame = frame.join(starts, on="filename", how="left").with_columns(
                row_number=pl.col("start") + pl.col("file_row_number") + 1
            )
            yield number, frame.drop(NOT_READ, strict=False).sort("row_number")
            for part in parts:
                part.unlink()

    def _validated(
        self, rows: pl.DataFrame, columns: DatasetColumns, labels: Mapping[str, Sequence[str]]
    ) -> ValidatedExport:
        """Turn the rows into text, and validate them as those of any file."""
        options, path = self.source.options, self.source.base
        names = {role: CANONICAL_OF_ROLE.get(role, role) for role in columns.headers}
        texts = [as_text(rows[role]).alias(name) for role, name in names.items()]
        cells, too_long = without_long(pl.DataFrame([*texts, rows["row_number"]]))
        found = canonical(cells)
        found = with_sets(found, columns.headers["label"], path, columns.label_separator)
        found, _ = with_times(found, columns.headers.get("time"), options.columns.get(TIME_FORMAT))
        export = Composer().export(Export("dataset", found, rejects_frame(too_long)))
        question = pl.coalesce(pl.col("question"), pl.lit(self.source.question))
        prefixed = pl.lit(f"{options.prefix}/") + question if options.prefix else question
        filled = export.rows.with_columns(prefixed.alias("question"), kind_of_rater(options))
        return validate(replace(export, rows=filled), labels=labels)

    def _readable(self) -> "_EngineErrors":
        return _EngineErrors(self.source)


class _EngineErrors:
    """Turn errors of the engine into errors of the dataset."""

    def __init__(self, source: DatasetSource) -> None:
        self._source = source

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, duckdb.Error):
            first = str(error).strip().splitlines()[0]
            raise ReadError(
                f"The dataset {self._source.path} cannot be read: {first}",
                "Check that its files are complete and have columns of the same names and types.",
            ) from error


def _buckets_together(folder: Path, n_buckets: int) -> Iterator[tuple[int, list[Path]]]:
    """Yield the files of each bucket, with its number. Small buckets are read together, up to BUCKET_ROWS."""
    together: list[Path] = []
    n_rows = 0
    for number in range(n_buckets):
        parts = sorted((folder / f"bucket={number}").glob("*.parquet"))
        n_more = sum(int(pq.read_metadata(part).num_rows) for part in parts)
        if together and n_rows + n_more > BUCKET_ROWS:
            yield number - 1, together
            together, n_rows = [], 0
        together, n_rows = [*together, *parts], n_rows + n_more
    if together:
        yield n_buckets - 1, together


def n_buckets_of(files: pl.DataFrame) -> int:
    """Return how many buckets the rows of these files need."""
    return max(1, -(-int(files["n_rows"].sum()) // BUCKET_ROWS))


def _headers(table: TextTable, roles: ColumnRoles) -> dict[str, str]:
    return {role: table.headers[roles.index[role]] for role in READ_ROLES if role in roles.index}
