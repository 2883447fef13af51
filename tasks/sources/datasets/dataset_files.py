"""List the files of a dataset. No rating has to be read for it.

A file is known by its path, its size, the time when it was written, and its footer, which describes all its columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import polars as pl

from tasks.errors import ReadError
from tasks.sources.dataset import IDENTITY, UNREADABLE, DatasetFiles, DatasetSource
from tasks.sources.datasets.dataset_folder import FolderParts
from tasks.sources.datasets.dataset_objects import ObjectParts
from tasks.sources.datasets.parquet_parts import Part, PartReader

SETTLED = timedelta(hours=1)
"""Stores give times to the second. The footer of an object that is older is not read again."""
FILES = {
    "path": pl.String(), "file_name": pl.String(), "size": pl.Int64(), "modified_ns": pl.Int64(),
    "footer": pl.String(), "n_rows": pl.Int64(),
}  # fmt: skip


@dataclass(frozen=True)
class KnownFiles:
    """The files that are counted, and those that could not be read when somebody last tried."""

    counted: pl.DataFrame
    unreadable: pl.DataFrame


NOTHING = KnownFiles(pl.DataFrame(schema=FILES), pl.DataFrame(schema=UNREADABLE))


def dataset_files(source: DatasetSource, known_files: KnownFiles = NOTHING) -> DatasetFiles:
    """List the files of a dataset in folders and object stores. Files that cannot be read are listed apart.

    A file that could not be read before, and has not changed, is not tried again. A new file that is still being
    written is left for the next time.

    A file that the operating system does not open is in `failed`, and is tried each time.

    Raises ReadError if no file can be read, and if a counted file is being written again or cannot be opened.
    """
    part_source = _part_source(source)
    listed, version = part_source.listed(frozenset(known_files.counted["file_name"]))
    if not listed:
        raise ReadError(
            f"The dataset {source.place} has no Parquet file.",
            f"Its files must match {source.glob}; to change that, edit path or pattern in this [[source]].",
        )
    readable, unreadable, failed = [], [], []
    for part, outcome in _outcomes(part_source, listed, known_files, trusting=source.store is not None):
        if isinstance(outcome, ReadError):
            unreadable.append((*part.identity, str(outcome)))
        elif isinstance(outcome, OSError):
            failed.append((part.file_name, outcome.strerror or str(outcome)))
        else:
            readable.append((part.path, *part.identity, *outcome))
    if not readable:
        name, why = failed[0] if failed else (unreadable[0][0], unreadable[0][3])
        raise ReadError(
            f"No file of the dataset {source.place} can be read. {name}: {why}",
            "Write it again, or set pattern in this [[source]] so that it is left out.",
        )
    return DatasetFiles(
        pl.DataFrame(readable, schema=FILES, orient="row").sort("file_name"),
        pl.DataFrame(unreadable, schema=UNREADABLE, orient="row").sort("file_name"),
        tuple(sorted(failed)),
        version,
    )


def part_reader(source: DatasetSource) -> PartReader:
    """Return what opens the files of a dataset."""
    return _part_source(source).reader


def _part_source(source: DatasetSource) -> FolderParts | ObjectParts:
    return FolderParts(source) if source.store is None else ObjectParts(source)


Outcome = tuple[str, int | None] | ReadError | OSError


def _outcomes(
    part_source: FolderParts | ObjectParts, listed: Sequence[Part], known_files: KnownFiles, *, trusting: bool
) -> Iterator[tuple[Part, Outcome]]:
    """Yield each file with its footer and the number of its rows, or with the error of reading it."""
    counted = {row[:3]: row[3] for row in known_files.counted.select(*IDENTITY).rows()}
    names = frozenset(known_files.counted["file_name"])
    before = {row[:3]: row[3] for row in known_files.unreadable.select(*UNREADABLE).rows()}
    settled = (datetime.now(UTC) - SETTLED).timestamp() * 1e9

    def look(part: Part) -> Outcome:
        if part.identity in before:
            return ReadError(before[part.identity])
        footer = counted.get(part.identity)
        if footer is not None and trusting and part.modified_ns < settled:
            return footer, None
        try:
            current = part_source.reader.footer(part)
            return current, None if current == footer else part_source.reader.n_rows(part)
        except ReadError as error:
            return error
        except OSError as error:
            if part.file_name in names:  # Without it, everything would be counted again, and later once more.
                why = error.strerror or error
                raise ReadError(f"{part.file_name} cannot be read: {why}.", "Check its permissions.") from error
            return error

    return zip(listed, part_source.each(look, listed), strict=True)
