"""Reject the files of a dataset that cannot be read. The others are counted."""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import NOTHING
from tasks.sources.dataset import UNREADABLE, DatasetSource
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect
from warehouse.datasets.stored import store_unreadable

log = logging.getLogger("kappaflow")
UNTIL = "It is left out until it changes."


def noted_unreadable(db: Path, source: DatasetSource, files: pl.DataFrame, before: pl.DataFrame) -> list[FileResult]:
    """Store which files cannot be read. Each that was not among those `before` becomes a rejected batch."""
    if files.sort("file_name").equals(before.sort("file_name")):
        return []
    new = files.join(before, on=list(UNREADABLE), how="anti", nulls_equal=True).sort("file_name")
    results = []
    with connect(db) as con:
        for name, size, modified_ns, detail in new.select(list(UNREADABLE)).rows():
            identity = hashlib.sha256(f"{source.name}\n{name}\n{size}\n{modified_ns}".encode()).hexdigest()
            batch = Batch(
                batch_id=identity, source=source.name, file_name=name, sha256=None, reader="dataset",
                status="rejected", n_rows=0, n_skipped=0, started_at=datetime.now(UTC), reason="unreadable",
                detail=f"{detail} {UNTIL}",
            )  # fmt: skip
            nothing = (pl.DataFrame(schema=columns) for columns in (RATINGS, REJECTS, METADATA))
            store_batch(con, batch, *nothing, now=datetime.now(UTC))
            log.warning("%s: not read. %s", name, detail)
            results.append(FileResult(name, "rejected", "dataset", NOTHING, "unreadable", f"{detail} {UNTIL}", ()))
        store_unreadable(con, source.name, files)
    return results


def failed_files(failed: Sequence[tuple[str, str]]) -> Iterator[FileResult]:
    """Yield a result for each file that could not be opened this time."""
    for name, why in failed:
        detail = f"{name} cannot be opened: {why}. Check its permissions; the next run tries it again."
        log.warning("%s", detail)
        yield FileResult(name, "failed", "dataset", NOTHING, "unreadable", detail, ())
