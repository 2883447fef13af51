"""Find out whether a dataset has something new, from its files alone."""

from collections.abc import Sequence
from pathlib import Path

from tasks.errors import KappaflowError
from tasks.sources.dataset import UNREADABLE, DatasetSource, same_files
from tasks.sources.datasets.dataset_files import KnownFiles, dataset_files
from warehouse.connect import connect
from warehouse.datasets.stored import stored_dataset


def has_pending_files(db: Path, sources: Sequence[DatasetSource]) -> bool:
    """Return whether a dataset has files that are not counted, or cannot be read. Settings are not compared.

    A table of Spark is always due: only a session knows its files.
    """
    for source in sources:
        if source.table is not None:
            return True
        with connect(db, read_only=True) as con:
            stored = stored_dataset(con, source.name)
        try:
            files = dataset_files(source, KnownFiles(stored.files, stored.unreadable))
        except KappaflowError:
            return True
        unreadable = files.unreadable.select(list(UNREADABLE)), stored.unreadable.select(list(UNREADABLE))
        is_same = same_files(files.readable, stored.files) and unreadable[0].equals(unreadable[1])
        if stored.settings_hash is None or files.failed or not is_same:
            return True
    return False
