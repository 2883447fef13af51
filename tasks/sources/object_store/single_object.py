"""Copy one object to a temporary file, for commands that look at a single file."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import InputError, printable
from tasks.sources.object_store.connection import connect
from tasks.sources.object_store.fetch import fetch
from tasks.sources.object_store.listing import StoredObject, is_nameable, list_objects
from tasks.sources.object_store.store_source import ObjectStore


@contextmanager
def single_object(store: ObjectStore) -> Iterator[tuple[Path, str]]:
    """Copy the only object at the store's address. Yield the path of the copy and the address of the object's prefix.

    The copy is outside the project and is removed at the end. Raises SourceError if the store cannot be reached. Raises
    InputError if there is no object or more than one, if it is larger than `max_file_size`, or if it changes meanwhile.
    """
    files = connect(store)
    obj = _only(store, list_objects(files, store))
    with tempfile.TemporaryDirectory(prefix="kappaflow-") as folder:
        (fetched,) = fetch(files, store, [obj], Path(folder))
        if fetched.error:
            raise fetched.error
        if fetched.file is None:
            raise InputError(f"{_name(store, obj)} was changed or removed after it was listed.", "Try again.")
        yield fetched.file.path, f"{store.address.scheme}://{obj.key.rpartition('/')[0]}"


def _only(store: ObjectStore, objects: list[StoredObject]) -> StoredObject:
    if not objects:
        raise InputError(
            printable(f"There is no export at {store.address}."),
            f"Name one object, such as {store.address.scheme}://{store.address.bucket}/labels/monday.json.",
        )
    if len(objects) > 1:
        raise InputError(
            printable(f"There are {len(objects):,} exports at {store.address}, and inspect looks at one."),
            f"Name it, for example {_name(store, objects[0])}.",
        )
    obj, limit = objects[0], store.options.limits.max_file_size
    if obj.size > limit or not is_nameable(obj):
        raise InputError(
            f"{_name(store, obj)} is larger than max_file_size allows ({limit:,} bytes), or has a name that no file"
            " can have.",
            "Split it, or rename it.",
        )
    return obj


def _name(store: ObjectStore, obj: StoredObject) -> str:
    return printable(f"{store.address.scheme}://{obj.key}")
