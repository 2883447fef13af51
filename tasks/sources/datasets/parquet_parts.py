"""Open the Parquet files of a dataset, on this machine or in an object store."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from tasks.errors import ReadError

MAGIC = b"PAR1"
MAX_FOOTER = 1 << 28


@dataclass(frozen=True)
class Part:
    """A Parquet file of a dataset: its path or key, and what it is known by."""

    path: str
    file_name: str
    size: int
    modified_ns: int

    @property
    def identity(self) -> tuple[str, int, int]:
        """Return the name, the size and the time."""
        return self.file_name, self.size, self.modified_ns


def no_guard() -> AbstractContextManager[None]:
    """Let every error of the operating system pass."""
    return nullcontext()


class Opener(Protocol):
    """Open a file for reading, at any place of it."""

    def __call__(self, path: str) -> AbstractContextManager[Any]: ...


@dataclass(frozen=True)
class PartReader:
    """Read footers and rows of Parquet files.

    `open` opens one by its path or key. `guard` turns errors of the place into errors for the user. An error of the
    operating system says nothing about the content, and passes.
    """

    open: Opener
    guard: Callable[[], AbstractContextManager[None]] = no_guard

    def footer(self, part: Part) -> str:
        """Return the SHA-256 of the footer. Raises ReadError if the file is no complete Parquet file."""
        with self.guard(), _content_errors(part), self.open(part.path) as file:
            file.seek(max(0, part.size - 8))
            tail = file.read(8)
            size = int.from_bytes(tail[:4], "little")
            if tail[4:] != MAGIC or size > min(MAX_FOOTER, part.size):
                raise ReadError(f"{part.file_name} is not a complete Parquet file.", "Write it again.")
            file.seek(part.size - 8 - size)
            return hashlib.sha256(file.read(size)).hexdigest()

    def n_rows(self, part: Part) -> int:
        """Return the number of rows, from the footer."""
        import pyarrow.parquet as pq  # It takes a moment, and most runs find nothing new.

        with self.guard(), _content_errors(part), self.open(part.path) as file:
            return int(pq.ParquetFile(file).metadata.num_rows)


@contextmanager
def _content_errors(part: Part) -> Iterator[None]:
    """Turn errors of the content into one sentence that names the file."""
    try:
        yield
    except ValueError as error:  # pyarrow's own are ValueErrors
        first = str(error).strip().splitlines()[0][:300] if str(error).strip() else "its footer is damaged"
        raise ReadError(f"{part.file_name} cannot be read: {first}", "Write it again.") from error
