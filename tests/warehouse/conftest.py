import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from tests.shared import really_empty
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, BatchCounts, store_batch
from warehouse.connect import connect
from warehouse.live_cursor import LiveBatch

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PATTERN_TABLES = (
    "patterns",
    "pattern_ratings",
    "item_patterns",
    "pattern_counts",
    "batch_patterns",
    "batch_windows",
    "version_counts",
    "version_day_counts",
    "duration_counts",
    "rater_day_counts",
    "day_item_counts",
    "label_counts",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "warehouse.duckdb"


@pytest.fixture(scope="package", autouse=True)
def new_warehouses_are_empty() -> Iterator[None]:
    """Migrations are tested here."""
    with really_empty():
        yield


@pytest.fixture
def warehouse(path: Path, empty_warehouse: Path) -> Path:
    """The path of a migrated warehouse that nobody has open."""
    shutil.copyfile(empty_warehouse, path)
    return path


@pytest.fixture
def con(warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """An open, migrated warehouse."""
    with connect(warehouse) as opened:
        yield opened


@pytest.fixture
def now() -> datetime:
    return NOON


def rows_frame(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Ratings as validation hands them over; columns that a row does not name have a default."""
    defaults = {"question": "q", "rater_kind": "human"}
    full = [
        dict.fromkeys(RATINGS) | defaults | {"row_number": number} | row for number, row in enumerate(rows, start=1)
    ]
    return pl.DataFrame(full, schema=dict(RATINGS))


@pytest.fixture
def frame() -> Callable[[Sequence[dict[str, Any]]], pl.DataFrame]:
    return rows_frame


def store_rows(
    con: duckdb.DuckDBPyConnection,
    batch_id: str,
    rows: Sequence[dict[str, Any]] = (),
    *,
    rejects: pl.DataFrame | None = None,
    metadata: pl.DataFrame | None = None,
    at: datetime = NOON,
    n_skipped: int = 0,
    rules: dict[str, str] | None = None,
    retry: bool = False,
    shown: LiveBatch | None = None,
    **batch: Any,
) -> BatchCounts:
    """Store a batch of these rows. Settings of the batch go by keyword."""
    rejects = pl.DataFrame(schema=dict(REJECTS)) if rejects is None else rejects
    metadata = pl.DataFrame(schema=dict(METADATA)) if metadata is None else metadata
    known = {
        "source": None,
        "file_name": f"{batch_id}.csv",
        "sha256": batch_id,
        "reader": "long",
        "status": "stored",
        "started_at": at,
        "n_rows": len(rows) + rejects.height + n_skipped,
        "n_skipped": n_skipped,
    }
    batch_row = Batch(batch_id=batch_id, **known | batch)
    frames = rows_frame(rows), rejects, metadata
    return store_batch(con, batch_row, *frames, now=at, rules=rules, retry=retry, shown=shown)


@pytest.fixture
def store() -> Callable[..., BatchCounts]:
    """store(con, "batch id", rows, ...): the counts."""
    return store_rows
