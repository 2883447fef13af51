"""Find the Parquet files of a dataset: ratings that stay where they are.

A file is known by its path, its size, the time when it was written, and its footer, which describes all its columns.
None of its ratings has to be read for that.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.sources.folder import growing_files, is_export

MAGIC = b"PAR1"
MAX_FOOTER = 1 << 28
PATTERN = "**/*.parquet"
GLOB = "*?["
READ_ROLES = ("item", "rater", "label", "question", "time", "rater_kind", "system_version", "duration")
"""The roles of columns that are read. A score and a reference to the source say nothing about counts."""


@dataclass(frozen=True)
class DatasetSource:
    """A source whose ratings stay in Parquet files: a folder, a file, or a path with a pattern (`day=*/*.parquet`).

    `name` is the value of `batches.source`. `memory` is the memory of the engine, as text ("2 GB").
    """

    name: str
    path: Path
    pattern: str = PATTERN
    options: ReadOptions = field(default_factory=ReadOptions)
    memory: str = "3 GB"

    @property
    def question(self) -> str:
        """Return the question of rows that name none: the setting, else the name of the folder or file."""
        base = self.base
        return self.options.question or (base.stem if base.suffix == ".parquet" else base.name) or self.name

    @property
    def base(self) -> Path:
        """Return the part of the path before the first pattern in it."""
        parts = self.path.parts
        n = next((i for i, part in enumerate(parts) if set(GLOB) & set(part)), len(parts))
        return Path(*parts[:n])

    @property
    def glob(self) -> str:
        """Return the pattern of the files, within `base`."""
        inside = self.path.relative_to(self.base)
        return inside.as_posix() if inside.parts else self.pattern


def dataset_files(source: DatasetSource) -> pl.DataFrame:
    """List the files of a dataset, sorted by name: path, file_name, size, modified_ns, footer.

    Raises ReadError if no file matches, if a file is still being written, and if a file is not Parquet.
    """
    base = source.base
    if base.is_file():
        paths, base = [base], base.parent
    elif base.is_dir():
        paths = sorted(path for path in base.glob(source.glob) if _is_part(path, base))
    else:
        raise ReadError(
            f"The dataset {base} does not exist.", "Make it, or correct the path of this [[source]] in kappaflow.toml."
        )
    if not paths:
        raise ReadError(
            f"The dataset {source.path} has no Parquet file.",
            f"Its files must match {source.glob}; set pattern in this [[source]] to change that.",
        )
    if growing := growing_files(paths):
        raise ReadError(f"{sorted(growing)[0].name} is still being written.", "The next run tries it again.")
    rows = [(str(path), _readable(path.relative_to(base)), *_identity(path)) for path in paths]
    schema = {"path": pl.String, "file_name": pl.String, "size": pl.Int64, "modified_ns": pl.Int64, "footer": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("file_name")


def _is_part(path: Path, base: Path) -> bool:
    return path.is_file() and not path.is_symlink() and is_export(path.relative_to(base))


def _readable(inside: Path) -> str:
    return os.fsencode(inside.as_posix()).decode("utf-8", "backslashreplace")


def _identity(path: Path) -> tuple[int, int, str]:
    try:
        stat = path.stat()
        with path.open("rb") as file:
            file.seek(max(0, stat.st_size - 8))
            length, magic = file.read(4), file.read(4)
            size = int.from_bytes(length, "little")
            if magic != MAGIC or size > min(MAX_FOOTER, stat.st_size):
                raise ReadError(
                    f"{path.name} is no complete Parquet file.",
                    "Write it again, or set pattern in this [[source]] so that it is left out.",
                )
            file.seek(stat.st_size - 8 - size)
            footer = file.read(size)
    except OSError as error:
        raise ReadError(f"{path.name} cannot be read: {error.strerror}.", "Check its permissions.") from error
    return stat.st_size, stat.st_mtime_ns, hashlib.sha256(footer).hexdigest()


def same_files(first: pl.DataFrame, second: pl.DataFrame) -> bool:
    """Return whether two lists of files are the same files in the same state."""
    columns: Sequence[str] = ("file_name", "size", "modified_ns", "footer")
    return first.select(columns).equals(second.select(columns))
