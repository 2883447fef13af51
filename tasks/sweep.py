"""Sweep the sources: which export files lie there now. The sweep is the truth; nothing remembers what it saw."""

import hashlib
import logging
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.formats.unpack import stem

UNFINISHED = (".part", ".tmp", ".crdownload", ".swp")
MARKS = re.compile("_SUCCESS|_(common_)?metadata|_(started|committed)_.*")  # beside Parquet parts; no exports
CHUNK = 1 << 20
DONE = "done"  # the folder in a source for files that are put away
FRESH = 2.0  # seconds; a file that was written to since then may be still written to
PAUSE = 0.2  # seconds until it is looked at again
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class Folder:
    """A source: a folder (or one file) and how its files are read. `name` is what `batches.source` shows; with
    `full_export` what a file lacks is deleted; with `move_done` what is stored is put away."""

    name: str
    path: Path
    pattern: str = "**/*"
    options: ReadOptions = field(default_factory=ReadOptions)
    full_export: bool = False
    move_done: bool = False


@dataclass(frozen=True)
class Found:
    """One export file of a source; `file_name` is its path within the source, with forward slashes. `modified_at` is
    when it was last written (UTC), `done` where it goes once it is stored, None where it stays."""

    path: Path
    file_name: str
    source: str
    sha256: str
    options: ReadOptions
    modified_at: datetime
    full_export: bool = False
    done: Path | None = None


def sweep(folders: Sequence[Folder]) -> list[Found]:
    """Every finished export file of the sources, in order of name; hidden and half-written ones are left, and files
    that grow while they are looked at.

    The question of a file that names none is the subfolder it lies in, else its stem.
    Raises InputError when a source's folder does not exist.
    """
    return [found for folder in folders for found in _files(folder)]


def single(path: Path, folder: Folder) -> Found:
    """One file named on the command line, read with the options of `folder`."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.", "Check the name; a folder is swept with `kappaflow run`.")
    return _found(path, path.name, folder, stem(path))


def is_export(inside: PurePath) -> bool:
    """Whether a path within a source is that of an export, not of something hidden, half-written or beside it."""
    hidden = any(part.startswith((".", "~$")) for part in inside.parts)
    return not hidden and inside.suffix.lower() not in UNFINISHED and not MARKS.fullmatch(inside.name)


def question_of(inside: PurePath) -> str:
    """The question of a file that names none, by its path within the source: the first subfolder, so that
    inbox/tone/*.csv are one question, else the file's stem."""
    # Spark names the folder of a table as others name a file: tone.parquet/part-00000-....parquet.
    return inside.parts[0].removesuffix(".parquet") if len(inside.parts) > 1 else stem(Path(inside))


def _files(folder: Folder) -> Iterator[Found]:
    if folder.path.is_file():
        yield single(folder.path, folder)
        return
    if not folder.path.is_dir():
        raise InputError(
            f"The source folder {folder.path} does not exist.",
            "Make it, or correct the path of this [source] in kappaflow.toml.",
        )
    paths = [path for path in sorted(folder.path.glob(folder.pattern)) if _finished(path, folder)]
    growing = _growing(paths)
    for path in paths:
        inside = path.relative_to(folder.path)
        if path not in growing:
            yield _found(path, inside.as_posix(), folder, question_of(inside))


def _growing(paths: Sequence[Path]) -> set[Path]:
    """The files that are still written to: those written a moment ago whose size or time changes within a pause."""
    since = time.time() - FRESH
    fresh = {path: seen for path in paths if (seen := _state(path)) and seen[1] > since * 1e9}
    if fresh:
        time.sleep(PAUSE)
    growing = {path for path, seen in fresh.items() if _state(path) != seen}
    for path in sorted(growing):
        log.warning("%s is still being written: left for the next time", _readable(path.name))
    return growing


def _state(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _finished(path: Path, folder: Folder) -> bool:
    inside = path.relative_to(folder.path)
    if folder.move_done and inside.parts[0] == DONE:
        return False
    # A link may lead out of the folder: an export is a file of its own.
    return path.is_file() and not path.is_symlink() and is_export(inside)


def _found(path: Path, file_name: str, folder: Folder, question: str) -> Found:
    options = replace(folder.options, fallback_question=_readable(question))
    modified_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    base = folder.path if folder.path.is_dir() else folder.path.parent
    done = base / DONE / path.relative_to(base) if folder.move_done else None
    return Found(path, _readable(file_name), folder.name, sha256(path), options, modified_at, folder.full_export, done)


def _readable(name: str) -> str:
    """A name that is not UTF-8 with its odd bytes written out: it must be storable, not pretty."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, as hexadecimal text."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
