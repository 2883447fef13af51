"""Sweep the sources: which export files lie there now. The sweep is the truth; nothing remembers what it saw."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.formats.unpack import stem

UNFINISHED = (".part", ".tmp", ".crdownload", ".swp")
CHUNK = 1 << 20


@dataclass(frozen=True)
class Folder:
    """A source: a folder (or one file) and how its files are read. `name` is what `batches.source` shows; with
    `full_export` what a file lacks is deleted."""

    name: str
    path: Path
    pattern: str = "**/*"
    options: ReadOptions = field(default_factory=ReadOptions)
    full_export: bool = False


@dataclass(frozen=True)
class Found:
    """One export file of a source; `file_name` is its path within the source, with forward slashes. `modified_at` is
    when it was last written (UTC)."""

    path: Path
    file_name: str
    source: str
    sha256: str
    options: ReadOptions
    modified_at: datetime
    full_export: bool = False


def sweep(folders: Sequence[Folder]) -> list[Found]:
    """Every finished export file of the sources, in order of name; hidden and half-written ones are left.

    The question of a file that names none is the subfolder it lies in, else its stem.
    Raises InputError when a source's folder does not exist.
    """
    return [found for folder in folders for found in _files(folder)]


def single(path: Path, folder: Folder) -> Found:
    """One file named on the command line, read with the options of `folder`."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.", "Check the name; a folder is swept with `kappaflow run`.")
    return _found(path, path.name, folder, stem(path))


def _files(folder: Folder) -> Iterator[Found]:
    if folder.path.is_file():
        yield single(folder.path, folder)
        return
    if not folder.path.is_dir():
        raise InputError(
            f"The source folder {folder.path} does not exist.",
            "Make it, or correct the path of this [source] in kappaflow.toml.",
        )
    for path in sorted(folder.path.glob(folder.pattern)):
        inside = path.relative_to(folder.path)
        if _finished(path, inside):
            # The first subfolder names the question, so that inbox/tone/*.csv are one question.
            yield _found(path, inside.as_posix(), folder, inside.parts[0] if len(inside.parts) > 1 else stem(path))


def _finished(path: Path, inside: Path) -> bool:
    hidden = any(part.startswith((".", "~$")) for part in inside.parts)
    # A link may lead out of the folder: an export is a file of its own.
    return path.is_file() and not path.is_symlink() and not hidden and path.suffix.lower() not in UNFINISHED


def _found(path: Path, file_name: str, folder: Folder, question: str) -> Found:
    options = replace(folder.options, fallback_question=_readable(question))
    modified_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return Found(path, _readable(file_name), folder.name, sha256(path), options, modified_at, folder.full_export)


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
