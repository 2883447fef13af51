"""List the Parquet files of a dataset in an object store."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from typing import TypeVar

from tasks.errors import ReadError
from tasks.sources.dataset import DatasetSource
from tasks.sources.datasets.delta_log import LOG, delta_version
from tasks.sources.datasets.parquet_parts import Part, PartReader
from tasks.sources.object_store.connection import connect, explained
from tasks.sources.object_store.fetch import AT_ONCE
from tasks.sources.object_store.listing import list_objects
from tasks.sources.object_store.store_source import ObjectStore

T = TypeVar("T")


class ObjectParts:
    """The files of a dataset in an object store; of a Delta table those that its newest version names."""

    def __init__(self, source: DatasetSource) -> None:
        if source.store is None:
            raise ReadError(f"{source.place} is not in an object store.")
        self.source, self.store = source, source.store
        self.files = connect(self.store)
        self.reader = PartReader(self.files.open_input_file, lambda: explained(self.store))

    @staticmethod
    def each(look: Callable[[Part], T], part_files: Sequence[Part]) -> Iterable[T]:
        """Look at several files at once: most of the time goes into waiting for the store."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(look, part_files))

    def listed(self, counted: frozenset[str]) -> tuple[list[Part], int | None]:
        """List the files, and the version of the Delta table."""
        base = self.store.address.base
        with explained(self.store):
            is_delta = "/" in base and bool(self.files.get_file_info(f"{base}/{LOG}").type.name == "Directory")
        if is_delta:
            return self._of_version(base)
        objects = list_objects(self.files, self.store)
        return [Part(obj.key, obj.inside, obj.size, int(obj.modified_at.timestamp()) * 10**9) for obj in objects], None

    def _of_version(self, base: str) -> tuple[list[Part], int]:
        names, version = delta_version(str(self.store.address), _options(self.store), self.source.place)
        with explained(self.store):
            infos = self.files.get_file_info([f"{base}/{name}" for name in names])
        part_files = [
            Part(info.path, name, info.size, int(info.mtime.astimezone(UTC).timestamp()) * 10**9)
            if info.is_file
            else Part(info.path, name, 0, 0)
            for name, info in zip(names, infos, strict=True)
        ]
        return part_files, version


def _options(store: ObjectStore) -> dict[str, str]:
    """Return what the settings say of the store. The keys come from the environment."""
    if store.address.scheme != "s3":
        return {}
    options = {"AWS_ENDPOINT_URL": store.endpoint, "AWS_REGION": store.region}
    if (store.endpoint or "").startswith("http://"):
        options["AWS_ALLOW_HTTP"] = "true"
    return {name: value for name, value in options.items() if value}
