"""Find the export files that are in the source folders now.

Each run lists everything again: no state is kept between runs.
"""

import errno
import hashlib
import logging
import os
import re
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.formats.parsing.decompress import stem
from tasks.formats.parsing.system_errors import check_access, leads_to_itself

UNFINISHED = (".part", ".tmp", ".crdownload", ".swp")
# Spark writes these files next to the parts of a Parquet table. They are not exports.
MARKS = re.compile("_SUCCESS|_(common_)?metadata|_(started|committed)_.*")
CHUNK = 1 << 20
DONE_FOLDER = "done"  # the folder in a source to which stored files are moved
FRESH = 2.0  # seconds; a file that was modified more recently may still be being written
PAUSE = 0.2  # seconds before the second look at such a file
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class FolderSource:
    """A source: a folder (or one file), and the options to read its files.

    `name` is the value of `batches.source`. With `full_export`, ratings that a new file no longer contains are deleted.
    With `move_done`, stored files are moved to done/.
    """

    name: str
    path: Path
    pattern: str = "**/*"
    options: ReadOptions = field(default_factory=ReadOptions)
    full_export: bool = False
    move_done: bool = False


@dataclass(frozen=True)
class ExportFile:
    """One export file of a source.

    `file_name` is its path within the source, with forward slashes. `modified_at` is the time of its last change (UTC).
    `archive_path` is the path to which it is moved once it is stored; None if it stays.
    """

    path: Path
    file_name: str
    source: str
    sha256: str
    options: ReadOptions
    modified_at: datetime
    full_export: bool = False
    archive_path: Path | None = None
    # Taken before the file was hashed; None for a private copy.
    state: "FileState | None" = field(default=None, compare=False)


@dataclass(frozen=True)
class FileState:
    """Attributes that change when a file changes.

    `is_fresh`: the file was modified so recently that a further change might not change its times.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    is_fresh: bool


@dataclass(frozen=True)
class UnreadableFile:
    """A file or folder of a source that the operating system does not let us read. `error` is its error."""

    file_name: str
    source: str
    error: OSError


@dataclass(frozen=True)
class SourceFiles:
    """The files of the sources, and the files and folders that could not be read."""

    readable: list[ExportFile]
    unreadable: list[UnreadableFile]


def find_files(folders: Sequence[FolderSource]) -> SourceFiles:
    """Find all complete export files of the sources, sorted by name within each source.

    Hidden files, partly written files and files that grow meanwhile are left out. Files and folders that cannot be read
    are returned as `unreadable`, and so is the folder of a source that does not exist while another is there: the disk
    of one source may be away. The fallback question of a file is the first subfolder in its path, else its stem.
    Raises InputError if no folder exists, or one is a link in a loop.
    """
    is_one_there = any(_exists(folder.path) for folder in folders)
    files = [file for folder in folders for file in _files(folder, may_be_missing=is_one_there)]
    _warn_of_unmatched(folders, files)
    return SourceFiles(
        [file for file in files if isinstance(file, ExportFile)],
        [file for file in files if isinstance(file, UnreadableFile)],
    )


def check_folder(folder: FolderSource) -> None:
    """Raise InputError if the folder of a source does not exist, is a link in a loop, or a pipe. It may be a file."""
    if folder.path.is_file() or folder.path.is_dir():
        return
    if leads_to_itself(folder.path):
        raise InputError(
            f"{folder.path} is a symbolic link that leads back to itself.", "Point it to a file or a folder."
        )
    if folder.path.exists():
        raise InputError(
            f"{folder.path} is neither a file nor a folder.", "Correct the path of this [[source]] in kappaflow.toml."
        )
    raise InputError(
        f"The source folder {folder.path} does not exist.",
        "Make it, or correct the path of this [[source]] in kappaflow.toml.",
    )


def single_file(path: Path, folder: FolderSource) -> ExportFile:
    """Describe one file given on the command line, with the options of `folder`. Raises InputError if it is missing."""
    check_access(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}.", "Check the name; to read a whole folder use `kappaflow run`.")
    return _export_file(path, path.name, folder, stem(path))


def has_changed(file: ExportFile) -> bool:
    """Check whether a file has changed since it was hashed. Raises OSError if it cannot be read."""
    if file.state is None:
        return False
    now = _state_of(file.path)
    if replace(now, is_fresh=file.state.is_fresh) != file.state:
        return True
    return file.state.is_fresh and sha256(file.path) != file.sha256


def is_export(inside: PurePath) -> bool:
    """Check whether a path within a source is an export: not hidden, not partly written, not a file of Spark."""
    hidden = any(part.startswith((".", "~$")) for part in inside.parts)
    return not hidden and inside.suffix.lower() not in UNFINISHED and not MARKS.fullmatch(inside.name)


def question_of(inside: PurePath) -> str:
    """Return the fallback question of a file, from its path within the source.

    It is the first subfolder, so that inbox/tone/*.csv is one question. Without a subfolder it is the stem of the file.
    """
    # Spark gives the folder of a table the name of a file: tone.parquet/part-00000-....parquet.
    return inside.parts[0].removesuffix(".parquet") if len(inside.parts) > 1 else stem(Path(inside))


def _exists(path: Path) -> bool:
    with suppress(OSError):
        return path.exists()
    return True  # it may not be looked at, so it is there


def _files(folder: FolderSource, *, may_be_missing: bool) -> Iterator[ExportFile | UnreadableFile]:
    try:
        check_access(folder.path)
        if may_be_missing and not folder.path.exists() and not leads_to_itself(folder.path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder.path))
        if folder.path.is_file():
            yield single_file(folder.path, folder)
            return
        check_folder(folder)
        yield from _closed_folders(folder)
        paths = sorted(folder.path.glob(folder.pattern))
    except OSError as error:
        yield UnreadableFile(folder.path.name, folder.name, error)
        return
    yield from _exports(folder, paths)


def _closed_folders(folder: FolderSource) -> Iterator[UnreadableFile]:
    """Find the folders that may not be listed. `Path.glob` skips them silently."""
    errors: list[OSError] = []
    for _, names, _ in os.walk(folder.path, onerror=errors.append):
        names[:] = [name for name in names if "/" in folder.pattern and not name.startswith(".")]
    for error in errors:
        inside = Path(error.filename).relative_to(folder.path).as_posix()
        yield UnreadableFile(_readable(inside if inside != "." else folder.path.name), folder.name, error)


def _warn_of_unmatched(folders: Sequence[FolderSource], files: Sequence[ExportFile | UnreadableFile]) -> None:
    """Say so if the pattern of a source matches nothing, and its folder has files that no source reads."""
    read = {file.path for file in files if isinstance(file, ExportFile)}
    sources = {file.source for file in files}
    for folder in folders:
        if folder.name not in sources:
            _warn_of_other_files(folder, read)


def _warn_of_other_files(folder: FolderSource, read: Collection[Path]) -> None:
    others: list[Path] = []
    with suppress(OSError):  # what may not be read is told where it is read
        others = [path for path in sorted(folder.path.glob("**/*")) if _finished(path, folder) and path not in read]
    if others:
        log.warning(
            "The pattern %r of [[source]] %s matches no file, but files are there (%d), such as %s. Correct the "
            "pattern in kappaflow.toml, or leave it out to read all of them",
            folder.pattern, folder.name, len(others), _readable(others[0].relative_to(folder.path).as_posix()),
        )  # fmt: skip


def _exports(folder: FolderSource, paths: Sequence[Path]) -> Iterator[ExportFile | UnreadableFile]:
    finished = []
    for path in paths:
        try:
            if _finished(path, folder):
                finished.append(path)
            elif path.is_symlink() and is_export(path.relative_to(folder.path)):
                log.warning(
                    "%s is a symbolic link: left out, as it may lead out of the folder. Put the file itself there",
                    _readable(path.name),
                )
        except OSError as error:
            yield UnreadableFile(_readable(path.relative_to(folder.path).as_posix()), folder.name, error)
    growing = growing_files(finished)
    for path in finished:
        inside = path.relative_to(folder.path)
        if path in growing:
            continue
        try:
            yield _export_file(path, inside.as_posix(), folder, question_of(inside))
        except FileNotFoundError:
            log.warning("%s is gone since its folder was listed", _readable(path.name))
        except OSError as error:
            yield UnreadableFile(_readable(inside.as_posix()), folder.name, error)


def growing_files(paths: Sequence[Path]) -> set[Path]:
    """Return the recently modified files whose size or time changes within PAUSE seconds."""
    fresh_since = time.time() - FRESH
    fresh = {path: state for path in paths if (state := _state(path)) and state[1] > fresh_since * 1e9}
    if fresh:
        time.sleep(PAUSE)
    growing = {path for path, state in fresh.items() if _state(path) != state}
    for path in sorted(growing):
        log.warning("%s is still being written: left for the next time", _readable(path.name))
    return growing


def _state(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _finished(path: Path, folder: FolderSource) -> bool:
    inside = path.relative_to(folder.path)
    if folder.move_done and inside.parts[0] == DONE_FOLDER:
        return False
    check_access(path)
    # Skip symbolic links: they may lead out of the folder.
    return path.is_file() and not path.is_symlink() and is_export(inside)


def _export_file(path: Path, file_name: str, folder: FolderSource, question: str) -> ExportFile:
    options = replace(folder.options, fallback_question=_readable(question))
    state = _state_of(path)  # before hashing: a change while the file is hashed is then detected
    modified_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    base = folder.path if folder.path.is_dir() else folder.path.parent
    archived = base / DONE_FOLDER / path.relative_to(base) if folder.move_done else None
    name = _readable(file_name)
    return ExportFile(path, name, folder.name, sha256(path), options, modified_at, folder.full_export, archived, state)


def _state_of(path: Path) -> FileState:
    stat = path.stat()
    fresh = time.time() - max(stat.st_mtime, stat.st_ctime) < FRESH
    return FileState(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, fresh)


def _readable(name: str) -> str:
    """Escape the bytes of a name that are not UTF-8, so that it can be stored."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def sha256(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file, as hexadecimal text."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
