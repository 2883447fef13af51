"""Fetch objects: copy each into a temporary folder of the project while it is read."""

import hashlib
import logging
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from tasks.errors import SourceError, printable
from tasks.sources.folder import ExportFile, question_of
from tasks.sources.object_store.connection import explained
from tasks.sources.object_store.listing import StoredObject
from tasks.sources.object_store.store_source import ObjectStore

CHUNK = 8 << 20  # bytes; each chunk is one request
AT_ONCE = 8
LEFT_OVER = 24 * 3600  # seconds; an older folder of copies was left by a run that was killed
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class FetchedObject:
    """The outcome of fetching one object: its file, or an error.

    Both are None if the object was deleted or changed since it was listed.
    """

    object: StoredObject
    file: ExportFile | None = None
    error: SourceError | None = None


@contextmanager
def copies(store: ObjectStore) -> Iterator[Path]:
    """Make a temporary folder in the project for copies. Remove it at the end, and old ones that were left behind."""
    store.home.mkdir(parents=True, exist_ok=True)
    for old in store.home.glob("fetch-*"):
        with suppress(FileNotFoundError):  # another process may remove the folder at the same time
            if time.time() - old.stat().st_mtime > LEFT_OVER:
                shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=store.home) as folder:
        yield Path(folder)


def fetch(files: Any, store: ObjectStore, objects: Sequence[StoredObject], folder: Path) -> list[FetchedObject]:
    """Copy objects into the folder, each into a separate subfolder under its name.

    The results are in the order of `objects`. An object that cannot be fetched does not stop the others: its result has
    an error.
    """

    def fetch_number(number: int) -> FetchedObject:
        return _fetch(files, store, objects[number], folder / str(number) / objects[number].name)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(fetch_number, range(len(objects))))


def as_found(store: ObjectStore, item: StoredObject, path: Path, sha256: str) -> ExportFile:
    """Describe an object as an export file."""
    inside = printable(item.inside)
    return ExportFile(
        path=path,
        file_name=inside,
        source=store.name,
        sha256=sha256,
        options=replace(store.options, fallback_question=question_of(PurePosixPath(inside))),
        modified_at=item.modified_at,
        full_export=store.full_export,
    )


def _fetch(files: Any, store: ObjectStore, obj: StoredObject, path: Path) -> FetchedObject:
    path.parent.mkdir()
    try:
        size, sha256 = _copy(files, store, obj, path)
    except FileNotFoundError:
        log.warning("%s is gone since it was listed", printable(obj.key))
        return FetchedObject(obj)
    except SourceError as error:
        return FetchedObject(obj, error=error)
    except OSError as error:
        return FetchedObject(obj, error=not_copied(store, error))
    if size != obj.size:
        log.warning("%s has changed since it was listed: left for the next time", printable(obj.key))
        return FetchedObject(obj)
    return FetchedObject(obj, as_found(store, obj, path, sha256))


def not_copied(store: ObjectStore, error: OSError) -> SourceError:
    """Return the error for a copy that could not be written on this machine."""
    return SourceError(
        printable(f"No copy could be made in {store.home}: {error.strerror or error}."),
        "Free some space, or give permission to write there. The next run tries again.",
    )


def _copy(files: Any, store: ObjectStore, obj: StoredObject, path: Path) -> tuple[int, str]:
    """Copy an object. Return the number of bytes copied and their SHA-256.

    The copy stops soon after the listed size, which was checked against the limit.
    """
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as target, _stream(files, store, obj) as source:
        while size <= obj.size:
            with explained(store):
                chunk = source.read(CHUNK)
            if not chunk:
                break
            digest.update(chunk)
            target.write(chunk)
            size += len(chunk)
    return size, digest.hexdigest()


def _stream(files: Any, store: ObjectStore, obj: StoredObject) -> Any:
    with explained(store):
        return files.open_input_stream(obj.key, compression=None)  # by default pyarrow unpacks names that end in .gz
