"""Say what a dataset is: ratings that stay where they are, and which files hold them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tasks.formats import ReadOptions
from tasks.sources.object_store.store_source import ObjectStore

PATTERN = "**/*.parquet"
GLOB = "*?["
TABLE = "table:"
"""With it begins the path of a dataset that is a table in the catalog of Spark."""
READ_ROLES = ("item", "rater", "label", "question", "time", "rater_kind", "system_version", "duration")
"""The roles of columns that are read. A score and a reference to the source say nothing about counts."""
IDENTITY = ("file_name", "size", "modified_ns", "footer")
UNREADABLE = {"file_name": pl.String(), "size": pl.Int64(), "modified_ns": pl.Int64(), "detail": pl.String()}


@dataclass(frozen=True)
class DatasetSource:
    """A source whose ratings stay where they are: in Parquet files, a Delta table or a table of Spark.

    `path` is a folder, a file, or a path with a pattern (`day=*/*.parquet`). In an object store it is the part after
    the scheme, and `store` says which store. `table` is the name of a table in the catalog of Spark. `name` is the
    value of `batches.source`. `memory` is the memory of DuckDB, as text ("2 GB"), None for its share of `[limits]
    memory`. `master` is the address of the Spark cluster, None for the one that Spark's own configuration names.
    """

    name: str
    path: Path
    pattern: str = PATTERN
    options: ReadOptions = field(default_factory=ReadOptions)
    memory: str | None = None
    engine: str = "duckdb"
    store: ObjectStore | None = None
    table: str | None = None
    master: str | None = None

    @property
    def place(self) -> str:
        """Return where the ratings are, for messages."""
        if self.table is not None:
            return f"{TABLE}{self.table}"
        return f"{self.store.address.scheme}://{self.path.as_posix()}" if self.store is not None else str(self.path)

    @property
    def question(self) -> str:
        """Return the question of rows that name none: the setting, else the name of the folder, file or table."""
        base = self.base
        name = base.name if self.table is None else self.table.rpartition(".")[2]
        return self.options.question or (base.stem if base.suffix == ".parquet" else name) or self.name

    @property
    def base(self) -> Path:
        """Return the part of the path before the first pattern in it."""
        segments = self.path.parts
        n = next((i for i, part in enumerate(segments) if set(GLOB) & set(part)), len(segments))
        return Path(*segments[:n])

    @property
    def glob(self) -> str:
        """Return the pattern of the files, within `base`."""
        inside = self.path.relative_to(self.base)
        return inside.as_posix() if inside.parts else self.pattern


@dataclass(frozen=True)
class DatasetFiles:
    """The files of a dataset, sorted by name.

    `readable` has path, file_name, size, modified_ns, footer and n_rows (null where the file is known). `unreadable`
    has the files that are left out until they change (columns: UNREADABLE). `failed` are
    the names of files that could not be opened this time, and why. `version` is that of the Delta table.
    """

    readable: pl.DataFrame
    unreadable: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=UNREADABLE))
    failed: tuple[tuple[str, str], ...] = ()
    version: int | None = None


def same_files(first: pl.DataFrame, second: pl.DataFrame) -> bool:
    """Return whether two lists of files are the same files in the same state."""
    columns: Sequence[str] = [name for name in IDENTITY if name in first.columns and name in second.columns]
    return first.select(columns).sort("file_name").equals(second.select(columns).sort("file_name"))
