"""kill -9 in the middle of a batch, and many processes at once: all or nothing, and the next run finishes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate

STORE = """
import os, signal, sys
from datetime import UTC, datetime
import polars as pl
from warehouse import sql
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.errors import TornReadError
from warehouse.migrate import migrate

path, batch_id, n_items, killed_at = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
now = datetime(2026, 3, 1, tzinfo=UTC)
number = pl.int_range(3 * n_items, eager=True)
ratings = pl.DataFrame({"question": "q", "item": (number // 3).cast(pl.String), "rater": (number % 3).cast(pl.String),
    "rater_kind": "human", "label": batch_id, "row_number": number}).with_columns(
    pl.lit(None).alias(name) for name in ("system_version", "rated_at", "score", "duration_s", "source_ref"))
rejects = pl.DataFrame([dict.fromkeys(REJECTS)], schema=dict(REJECTS))
batch = Batch(batch_id=batch_id, source=None, file_name=None, sha256=None, reader=None, status="stored",
    n_rows=ratings.height + 1, n_skipped=0, started_at=now, settings_hash=str(n_items))
run = sql.run

def kill_after(con, name, /, **values):
    run(con, name, **values)
    if name == killed_at:
        os.kill(os.getpid(), signal.SIGKILL)

sql.run = kill_after
with connect(path, wait_seconds=60) as con:
    migrate(con)
    for attempt in range(3):
        try:
            counts = store_batch(con, batch, ratings, rejects, pl.DataFrame(schema=dict(METADATA)), now=now,
                retry=True)
            break
        except TornReadError:  # as the task of a flow does
            if attempt == 2:
                raise
    if killed_at == "commit":
        os.kill(os.getpid(), signal.SIGKILL)
print(counts.n_ratings)
"""
STEPS = [
    "keys/items_new",
    "storing/07_write_ratings",
    "storing/11_item_patterns",
    "storing/12_pattern_counts",
    "storing/25_batch_row",
    "commit",
]


def start(path: Path, batch_id: str, n_items: int, killed_at: str = "never") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", STORE, str(path), batch_id, str(n_items), killed_at]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root)


def finish(process: subprocess.Popen[str]) -> int:
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return int(out)


def stored(path: Path) -> dict[str, int]:
    """label -> ratings in force; the warehouse must be sound."""
    with connect(path) as con:
        assert not {name for name, rows in run_checks(con).items() if rows.height}
        return dict(con.execute("select label, count(*) from current_ratings group by label").fetchall())


@pytest.mark.parametrize("killed_at", STEPS)
def test_a_kill_leaves_all_or_nothing(warehouse: Path, killed_at: str) -> None:
    n_items = 50_000  # more than one row group: DuckDB writes into the file before the commit
    with start(warehouse, "b1", n_items, killed_at) as process:
        assert process.wait(timeout=120) == -9
    expected = {"b1": 3 * n_items} if killed_at == "commit" else {}
    assert stored(warehouse) == expected
    assert finish(start(warehouse, "b1", n_items)) == 3 * n_items
    assert stored(warehouse) == {"b1": 3 * n_items}


@pytest.fixture(scope="module")
def first_attempt(empty_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse after a first attempt, to copy."""
    path = Path(shutil.copy(empty_warehouse, tmp_path_factory.mktemp("first")))
    assert finish(start(path, "b1", 40_000)) == 120_000
    assert stored(path) == {"b1": 120_000}
    return path


@pytest.mark.parametrize("killed_at", ["storing/01_withdraw_changed", *STEPS])
def test_a_kill_in_a_further_attempt_leaves_the_first_one(path: Path, first_attempt: Path, killed_at: str) -> None:
    warehouse = Path(shutil.copyfile(first_attempt, path))
    n_items = 50_000  # other settings read more of the same file
    with start(warehouse, "b1", n_items, killed_at) as process:
        assert process.wait(timeout=120) == -9
    assert stored(warehouse) == {"b1": 3 * (n_items if killed_at == "commit" else 40_000)}
    assert finish(start(warehouse, "b1", n_items)) == 3 * n_items
    assert stored(warehouse) == {"b1": 3 * n_items}
    with connect(warehouse) as con:
        assert con.execute("select attempt, n_unchanged, n_rejected from batches").fetchall() == [(2, 0, 1)]
        assert con.execute("select count(*) from ratings").fetchall() == [(3 * n_items,)]


def test_processes_that_start_at_once_all_end_well(path: Path) -> None:
    processes = [start(path, f"b{number}", 10) for number in range(5)]
    assert [finish(process) for process in processes] == [30] * 5
    assert sum(stored(path).values()) == 30
    with connect(path) as con:
        assert migrate(con) == []
        assert con.execute("select count(*), sum(n_ratings)::integer from batches").fetchall() == [(5, 150)]
