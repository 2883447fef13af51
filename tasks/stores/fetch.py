"""Fetch objects: a copy of each in a folder of the project, for as long as it is read."""

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
from tasks.stores.connect import explained
from tasks.stores.listing import Object
from tasks.stores.source import Store
from tasks.sweep import Found, question_of

CHUNK = 8 << 20  # each is a request of its own
AT_ONCE = 8
LEFT_OVER = 24 * 3600  # seconds; a folder of copies that is older was left by a run that was killed
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class Fetched:
    """One object after it was asked for: its file, or why there is none (None where it has vanished or changed)."""

    object: Object
    file: Found | None = None
    error: SourceError | None = None


@contextmanager
def copies(store: Store) -> Iterator[Path]:
    """A new folder in the project for copies, removed at the end."""
    store.home.mkdir(parents=True, exist_ok=True)
    for old in store.home.glob("fetch-*"):
        with suppress(FileNotFoundError):  # another process ends, or tidies up as well
            if time.time() - old.stat().st_mtime > LEFT_OVER:
                shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=store.home) as folder:
        yield Path(folder)


def fetch(files: Any, store: Store, objects: Sequence[Object], folder: Path) -> list[Fetched]:
    """Copy objects into the folder, each into one of its own under the object's name; in the order of the objects.
    What cannot be fetched is a result, too: the others go on."""

    def one(number: int) -> Fetched:
        return _fetch(files, store, objects[number], folder / str(number) / objects[number].name)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(len(objects))))


def as_found(store: Store, one: Object, path: Path, sha256: str) -> Found:
    """The object as a file of a sweep."""
    inside = printable(one.inside)
    return Found(
        path=path,
        file_name=inside,
        source=store.name,
        sha256=sha256,
        options=replace(store.options, fallback_question=question_of(PurePosixPath(inside))),
        modified_at=one.modified_at,
        full_export=store.full_export,
    )


def _fetch(files: Any, store: Store, one: Object, path: Path) -> Fetched:
    path.parent.mkdir()
    try:
        size, sha256 = _copy(files, store, one, path)
    except FileNotFoundError:
        log.warning("%s is gone since it was listed", printable(one.key))
        return Fetched(one)
    except SourceError as error:
        return Fetched(one, error=error)
    if size != one.size:
        log.warning("%s has changed since it was listed: left for the next time", printable(one.key))
        return Fetched(one)
    return Fetched(one, as_found(store, one, path, sha256))


def _copy(files: Any, store: Store, one: Object, path: Path) -> tuple[int, str]:
    """The number of bytes copied and their SHA-256. The listed size was checked: little more than that is copied."""
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as target, _stream(files, store, one) as source:
        while size <= one.size:
            with explained(store):
                chunk = source.read(CHUNK)
            if not chunk:
                break
            digest.update(chunk)
            target.write(chunk)
            size += len(chunk)
    return size, digest.hexdigest()


def _stream(files: Any, store: Store, one: Object) -> Any:
    with explained(store):
        return files.open_input_stream(one.key, compression=None)  # by itself it unpacks what ends in .gz
