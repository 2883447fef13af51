"""Read which files the newest version of a Delta table has, from its log.

Files that a delete, an update or a compaction removed are still in the folder, and are not listed.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from tasks.errors import InputError, ReadError, SourceError, printable

LOG = "_delta_log"


def delta_version(table: str, options: Mapping[str, str], place: str) -> tuple[list[str], int]:
    """Return the paths of the files within the table, sorted, and its version.

    Raises ReadError for a table whose files alone do not say which rows it has.
    """
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise InputError(
            f"{place} is a Delta table, and the package deltalake is not installed.",
            "Install it: pip install 'kappaflow[delta]'.",
        ) from None
    try:
        delta = DeltaTable(table, storage_options=dict(options) or None)
        _refuse_rewritten_rows(delta, place)
        added = delta.get_add_actions(flatten=True).column("path").to_pylist()
        version = int(delta.version())
    except DeltaError as error:
        first = str(error).strip().splitlines()[0][:300]
        raise SourceError(printable(f"The Delta table {place} cannot be read: {first}"), "Check its log.") from error
    return sorted(_inside(str(path), place) for path in added), version


def _refuse_rewritten_rows(delta: Any, place: str) -> None:
    features = set(delta.protocol().reader_features or ())
    if delta.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        raise ReadError(
            f"The Delta table {place} has column mapping: its files have other names of columns than the table.",
            "Write it again without column mapping.",
        )
    if "deletionVectors" in features and any(batch.num_rows for batch in delta.deletion_vectors()):
        raise ReadError(
            f"The Delta table {place} has deletion vectors: rows that were deleted are still in its files.",
            "Run `REORG TABLE ... APPLY (PURGE)` on it in Spark, which writes those files again.",
        )


def _inside(path: str, place: str) -> str:
    if "://" in path or path.startswith("/"):
        raise ReadError(
            f"The Delta table {place} names files outside its folder, as a shallow clone does.",
            "Name the table that has the files, or copy them.",
        )
    return unquote(path)
