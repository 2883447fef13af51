"""One object by itself, as a file for as long as somebody looks at it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import InputError, printable
from tasks.stores.connect import connect
from tasks.stores.fetch import fetch
from tasks.stores.listing import Object, is_nameable, list_objects
from tasks.stores.source import Store


@contextmanager
def single_object(store: Store) -> Iterator[tuple[Path, str]]:
    """A copy of the one object at the store's address, outside the project and removed at the end; and the address of
    the prefix that the object lies in.

    Raises SourceError where the store does not answer; InputError where there is no such object or more than one, where
    it is larger than `max_file_size`, and where it changes meanwhile.
    """
    files = connect(store)
    one = _only(store, list_objects(files, store))
    with tempfile.TemporaryDirectory(prefix="kappaflow-") as folder:
        (fetched,) = fetch(files, store, [one], Path(folder))
        if fetched.error:
            raise fetched.error
        if fetched.file is None:
            raise InputError(f"{_name(store, one)} has changed or is gone since it was listed.", "Try again.")
        yield fetched.file.path, f"{store.address.scheme}://{one.key.rpartition('/')[0]}"


def _only(store: Store, objects: list[Object]) -> Object:
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
    one, limit = objects[0], store.options.limits.max_file_size
    if one.size > limit or not is_nameable(one):
        raise InputError(
            f"{_name(store, one)} is larger than max_file_size allows ({limit:,} bytes), or has a name that no file"
            " can have.",
            "Split it, or rename it.",
        )
    return one


def _name(store: Store, one: Object) -> str:
    return printable(f"{store.address.scheme}://{one.key}")
