"""List the Parquet files of a dataset in a folder of this machine."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TypeVar

from tasks.errors import ReadError
from tasks.formats.parsing.system_errors import check_access
from tasks.sources.dataset import DatasetSource
from tasks.sources.datasets.delta_log import LOG, delta_version
from tasks.sources.datasets.parquet_parts import Part, PartReader
from tasks.sources.folder import growing_files, is_export

T = TypeVar("T")


class FolderParts:
    """The files of a dataset in a folder; of a Delta table those that its newest version names."""

    def __init__(self, source: DatasetSource) -> None:
        self.source, self.reader = source, PartReader(_open)

    @staticmethod
    def each(look: Callable[[Part], T], part_files: Sequence[Part]) -> Iterable[T]:
        """Look at the files, one after the other."""
        return map(look, part_files)

    def listed(self, counted: frozenset[str]) -> tuple[list[Part], int | None]:
        """List the files, and the version of the Delta table. `counted` are the names of those that are counted."""
        base, version = self.source.base, None
        check_access(base)
        if base.is_file():
            paths, base = [base], base.parent
        elif (base / LOG).is_dir():
            names, version = delta_version(str(base), {}, self.source.place)
            paths = [base / name for name in names]
        elif base.is_dir():
            paths = sorted(path for path in base.glob(self.source.glob) if _is_part(path, base))
        else:
            raise ReadError(
                f"The dataset {base} does not exist.",
                "Make it, or correct the path of this [[source]] in kappaflow.toml.",
            )
        growing = growing_files(paths) if version is None else set()
        if again := sorted(path.name for path in growing if _readable(path.relative_to(base)) in counted):
            raise ReadError(f"{again[0]} is still being written.", "The next run tries it again.")
        return [_part(path, base) for path in paths if path not in growing], version


def _open(path: str) -> IO[bytes]:
    return Path(path).open("rb")


def _is_part(path: Path, base: Path) -> bool:
    check_access(path)
    return path.is_file() and not path.is_symlink() and is_export(path.relative_to(base))


def _readable(inside: Path) -> str:
    return os.fsencode(inside.as_posix()).decode("utf-8", "backslashreplace")


def _part(path: Path, base: Path) -> Part:
    try:
        stat = path.stat()
    except OSError:  # It is gone, or may not be looked at: opening it says so.
        return Part(str(path), _readable(path.relative_to(base)), 0, 0)
    return Part(str(path), _readable(path.relative_to(base)), stat.st_size, stat.st_mtime_ns)
