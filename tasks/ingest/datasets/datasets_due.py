"""Find out whether a dataset has something new, from its files alone."""

from collections.abc import Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.sources.dataset import DatasetSource, dataset_files, same_files
from warehouse.connect import connect
from warehouse.datasets.stored import stored_dataset


def datasets_due(db: Path, sources: Sequence[DatasetSource]) -> bool:
    """Return whether a dataset has files that are not counted, or cannot be read. Settings are not compared."""
    for source in sources:
        try:
            files = dataset_files(source)
        except ReadError:
            return True
        with connect(db, read_only=True) as con:
            stored = stored_dataset(con, source.name)
        if stored.settings_hash is None or not same_files(files, stored.files.sort("file_name")):
            return True
    return False
