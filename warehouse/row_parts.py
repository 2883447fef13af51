"""Keep rows of a large file on disk, part by part, until they are stored. DuckDB is not imported."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from warehouse.errors import WarehouseError, first_line

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 1 << 13  # rows that SQL reads together; it holds dozens of such batches at a time
Change = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class RowParts:
    """Frames of one schema, each in a file of `folder`. They are read one at a time, in the order of `append`.

    `changes` are made to each frame when it is read.
    """

    folder: Path
    heights: list[int] = field(default_factory=list)
    changes: tuple[Change, ...] = ()

    @property
    def height(self) -> int:
        """Return the number of rows of all parts."""
        return sum(self.heights)

    def append(self, rows: pl.DataFrame) -> None:
        """Write one more part. Raises WarehouseError if the disk is full or cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            rows.rechunk().write_ipc(
                self._path(len(self.heights)),
                compression="lz4",
                compat_level=pl.CompatLevel.newest(),
                record_batch_size=BATCH,
            )
        except (OSError, pl.exceptions.PolarsError) as error:
            raise WarehouseError(
                f"The rows of a large file could not be kept in {self.folder}: {first_line(error)}",
                "Check the permissions and the space left. Nothing of the file was stored.",
            ) from error
        self.heights.append(rows.height)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """Read the parts one after the other."""
        for number in range(len(self.heights)):
            rows = pl.read_ipc(self._path(number))
            for change in self.changes:
                rows = change(rows)
            yield rows

    def changed(self, change: Change) -> "RowParts":
        """Return the parts with a change that is made to each frame."""
        return replace(self, changes=(*self.changes, change))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Stream the rows, batch by batch: so DuckDB reads the parts, and holds a few batches of them."""
        import pyarrow as pa  # `run` with nothing due needs none

        with pa.ipc.open_file(self._path(0)) as first:
            schema = first.schema
        return pa.RecordBatchReader.from_batches(schema, self._batches()).__arrow_c_stream__(requested_schema)

    def _batches(self) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        for number in range(len(self.heights)):
            with pa.ipc.open_file(self._path(number)) as file:
                for place in range(file.num_record_batches):
                    yield file.get_batch(place)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.arrow"


@contextmanager
def parts_folder(db: Path) -> Iterator[Path]:
    """Name a folder beside the warehouse for parts, and remove it when the block ends. The first part creates it.

    It is named like the drafts of a warehouse, so `run` and `doctor --fix` remove what a killed process has left.
    """
    folder = db.with_name(f".{db.name}.{os.getpid()}.{time.monotonic_ns()}")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
