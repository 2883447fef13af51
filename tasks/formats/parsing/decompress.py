"""Unpack compressed files, with limits: .gz, .zst and .zip around any readable file, and folders of Parquet parts.

The content of a file says whether it is compressed. Files are unpacked into a temporary folder, which is removed
afterwards. The reader trusts nothing that an archive says of itself: it counts bytes as they come out, ignores the
folders in names, and leaves an archive in an archive packed (and so refuses it).
"""

import gzip
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from tasks.errors import ReadError, UnknownFormatError
from tasks.formats.parsing.file_look import check_file
from tasks.formats.parsing.limits import limits, raise_it, size
from tasks.formats.parsing.system_errors import DAMAGED, system_errors_apart
from tasks.formats.parsing.workbook import is_workbook

MAX_RATIO = 200  # times its size that a file may unpack to,
RATIO_FROM = 64 << 20  # once that many bytes came out: ratings and texts do not shrink so well, bombs do
MAX_MEMBERS = 10_000  # files in one archive
CHUNK = 1 << 20
DATA = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".xls"})


def stem(path: Path) -> str:
    """Return a file's name without the endings that say how it is stored.

    >>> [stem(Path(name)) for name in ("tone.csv", "tone.csv.gz", "tone.zip", "v1.2.csv", "v1.2")]
    ['tone', 'tone', 'tone', 'v1.2', 'v1']
    """
    inner = Path(path.stem)
    return inner.stem if inner.suffix.lower() in DATA else inner.name


def data_suffix(path: Path) -> str:
    """Return the ending of a file's name that says what it holds: `.csv` of tone.csv and of tone.CSV.gz."""
    inner = Path(path.stem) if path.suffix.lower() in (".gz", ".zst") else path
    return inner.suffix.lower()


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[Path, ...]]:
    """Return the plain files of `path`, as long as the context lasts: itself, the Parquet files of a folder, or its
    content.

    Errors: ReadError if it is damaged, encrypted, too large, or holds names that lead out of the archive;
    UnavailableError if the system does not let it be read or unpacked now, or not be read within the context.
    """
    with system_errors_apart(path), _plain_files(path) as files:
        yield files


@contextmanager
def _plain_files(path: Path) -> Iterator[tuple[Path, ...]]:
    if path.is_dir() and (files := _part_files(path)):
        for part in files:
            check_file(part)
            _check_size(part)
        yield files
        return
    check_file(path)
    _check_size(path)
    with path.open("rb") as file:
        magic = file.read(4)
    unpack = PACKED.get(magic) or PACKED.get(magic[:2])
    if unpack is None or is_workbook(path, magic):
        yield (path,)
        return
    with tempfile.TemporaryDirectory(prefix="kappaflow-") as folder:
        try:
            yield unpack(path, Path(folder))
        except ReadError as error:
            error.file = str(path)
            raise


def _part_files(folder: Path) -> tuple[Path, ...]:
    """Return the Parquet files of a folder by name, without hidden and half-written ones (names that begin with . or
    _).
    """
    paths = (path for path in sorted(folder.rglob("*.parquet")) if path.is_file())
    return tuple(path for path in paths if not any(p.startswith((".", "_")) for p in path.relative_to(folder).parts))


def _check_size(path: Path) -> None:
    n_bytes, most = path.stat().st_size, limits().max_file_size
    if n_bytes > most:
        raise ReadError.of(
            path, f"has {size(n_bytes)}; {size(most)} is the limit.", f"Split it. {raise_it('max_file_size')}"
        )


def _from_gzip(path: Path, folder: Path) -> tuple[Path, ...]:
    return _from_stream(path, folder, "a gzip file", lambda: gzip.open(path, "rb"))


def _from_zstd(path: Path, folder: Path) -> tuple[Path, ...]:
    import pyarrow  # a fifth of a second, which few files need

    return _from_stream(path, folder, "a zstd file", lambda: pyarrow.CompressedInputStream(str(path), "zstd"))


def _from_stream(
    path: Path, folder: Path, what: str, opened: Callable[[], "IO[bytes] | gzip.GzipFile"]
) -> tuple[Path, ...]:
    target = folder / path.resolve().parent.name / path.stem
    target.parent.mkdir(exist_ok=True)
    try:
        with opened() as packed, target.open("wb") as file:
            _copy(packed, file, path, _room(path))
    except DAMAGED as e:
        raise _damaged(path, what, e) from e
    if not target.stat().st_size:
        raise ReadError.of(path, f"is {what} with nothing in it.", "Export it again.")
    return (target,)


def _from_zip(path: Path, folder: Path) -> tuple[Path, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, path)
            if _is_inspect_log(members):
                return (_joined_log(archive, members, path, folder),)
            return _extract(archive, members, path, folder)
    except DAMAGED as e:
        raise _damaged(path, "a zip archive", e) from e


def _members(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    """Return the files of an archive by name, without folders and the files that file managers leave behind."""
    names = archive.namelist()
    if "[Content_Types].xml" in names:
        raise UnknownFormatError(
            f"{path.name} is an Office document.", "Save the sheet as CSV (UTF-8).", file=str(path)
        )
    members = [info for info in archive.infolist() if not _is_folder(info) and not _left_behind(info.filename)]
    for info in members:
        _check_member(info, path)
    if not members:
        raise ReadError.of(path, "is a zip archive with no file in it.", "Export it again.")
    if len(members) > MAX_MEMBERS:
        raise ReadError.of(path, f"holds {len(members):,} files; {MAX_MEMBERS:,} is the limit.", "Split it.")
    return sorted(members, key=lambda info: info.filename)


def _is_folder(info: zipfile.ZipInfo) -> bool:
    return info.filename.endswith("/")  # ZipInfo.is_dir fails where a name is blank


def _left_behind(name: str) -> bool:
    names = PurePosixPath(name.replace("\\", "/")).parts
    return "__MACOSX" in names or (bool(names) and names[-1] in (".DS_Store", "Thumbs.db", "desktop.ini"))


def _check_member(info: zipfile.ZipInfo, path: Path) -> None:
    """Check that a member is a plain file whose name does not lead out of the archive."""
    name = PurePosixPath(info.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or ":" in info.filename or not name.name:
        raise ReadError.of(
            path,
            f"holds a file whose name leads out of the archive: {info.filename[:100]!r}.",
            "Do not trust it; if you know where it is from, unpack it yourself.",
        )
    if stat.S_ISLNK(info.external_attr >> 16):
        raise ReadError.of(path, f"holds a link: {info.filename[:100]!r}.", "Pack the file itself instead.")
    if info.flag_bits & 1:
        raise ReadError.of(path, "is encrypted.", "Unpack it with its password first.")


def _extract(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], path: Path, folder: Path) -> tuple[Path, ...]:
    """Extract the files of each folder into a separate one of the same name, because two may have one name.

    Files outside of a folder go into one that is named after the archive.
    """
    files: list[Path] = []
    room = _room(path)
    folders: dict[PurePosixPath, int] = {}
    for n, info in enumerate(members):
        inside = PurePosixPath(info.filename.replace("\\", "/"))
        parent = inside.parent.name or stem(path)
        target = folder / str(folders.setdefault(inside.parent, n)) / parent / inside.name
        if target.exists():
            target = folder / f"{n}-again" / parent / inside.name
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(info) as packed, target.open("wb") as file:
            room -= _copy(packed, file, path, room)
        files.append(target)
    return tuple(files)


def _is_inspect_log(members: list[zipfile.ZipInfo]) -> bool:
    """Check for an .eval file: the log of Inspect AI in parts."""
    names = [info.filename for info in members]
    return "header.json" in names and any(name.startswith("samples/") for name in names)


def _joined_log(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], path: Path, folder: Path) -> Path:
    """Join the parts as one JSON file: {"header": ..., "samples": [...]}."""
    target = folder / f"{path.stem}.json"
    room = _room(path)
    samples = [info for info in members if info.filename.startswith("samples/")]
    with target.open("wb") as file:
        for n, info in enumerate([archive.getinfo("header.json"), *samples]):
            file.write(b'{"header":' if n == 0 else b',"samples":[' if n == 1 else b",")
            with archive.open(info) as packed:
                room -= _copy(packed, file, path, room)
        file.write(b"]}")
    return target


def _room(path: Path) -> int:
    """Return the bytes that a file may unpack to."""
    return min(limits().max_unpacked_size, max(RATIO_FROM, MAX_RATIO * path.stat().st_size))


def _copy(packed: "IO[bytes] | gzip.GzipFile", file: BinaryIO, path: Path, room: int) -> int:
    """Copy until the end or the limit; the bytes that came out count, not those that the file announces."""
    n = 0
    while chunk := packed.read(CHUNK):
        n += len(chunk)
        if n > room:
            most = _room(path)
            times = "" if most == limits().max_unpacked_size else f", {MAX_RATIO} times its size"
            hint = "" if times else f" {raise_it('max_unpacked_size')}"
            raise ReadError.of(
                path,
                f"unpacks to more than {size(most)}{times}.",
                f"If you trust it, unpack it yourself and give the plain files.{hint}",
            )
        file.write(chunk)
    return n


def _damaged(path: Path, what: str, error: Exception) -> ReadError:
    cause = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return UnknownFormatError(
        f"{path.name} is {what} that cannot be unpacked: {cause}.",
        "Pack it again, or unpack it yourself and give the plain file.",
        file=str(path),
    )


PACKED: dict[bytes, Callable[[Path, Path], tuple[Path, ...]]] = {
    b"\x1f\x8b": _from_gzip,
    b"\x28\xb5\x2f\xfd": _from_zstd,
    b"PK\x03\x04": _from_zip,
    b"PK\x05\x06": _from_zip,
}
"""By the first bytes of a file."""
