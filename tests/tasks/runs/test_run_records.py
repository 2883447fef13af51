"""Runs under way: another start leaves those alone whose process is alive, and closes those whose process is gone."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tasks.runs.run_records import close_run, open_run
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.runs.running_processes import hold, release, under_way

pytestmark = pytest.mark.closed_warehouses
ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
OTHER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from tasks.runs.run_records import close_run, open_run
now = datetime(2026, 3, 1, tzinfo=UTC)
run_id = open_run(Path(sys.argv[1]), "other", "1", now=now)
print(run_id, flush=True)
sys.stdin.readline()
close_run(Path(sys.argv[1]), run_id, "succeeded", None, now=now)
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "warehouse.duckdb"


@contextmanager
def other_run(db: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that has opened a run; a line makes it end the run well."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, str(db)], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip()
        yield process


def statuses(db: Path) -> dict[str, str]:
    with connect(db, read_only=True) as con:
        return dict(con.sql("select kind, status from runs").fetchall())


def test_a_run_of_another_live_process_goes_on(db: Path) -> None:
    with other_run(db) as process:
        mine = open_run(db, "mine", "1", now=NOW)
        assert statuses(db) == {"other": "running", "mine": "running"}
        process.communicate("end\n")
        assert statuses(db) == {"other": "succeeded", "mine": "running"}
    close_run(db, mine, "failed", "a reason", now=NOW)
    assert statuses(db) == {"other": "succeeded", "mine": "failed"}
    assert [path.name for path in db.parent.iterdir()] == [db.name]


def test_a_run_whose_process_was_killed_is_closed(db: Path) -> None:
    with other_run(db) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert statuses(db) == {"other": "running"}
    mine = open_run(db, "mine", "1", now=NOW)
    assert statuses(db) == {"other": "crashed", "mine": "running"}
    assert under_way(db) == [mine]
    close_run(db, mine, "succeeded", None, now=NOW)
    assert [path.name for path in db.parent.iterdir()] == [db.name]


def test_two_runs_of_one_process_do_not_close_each_other(db: Path) -> None:
    first, second = (open_run(db, kind, "1", now=NOW) for kind in ("first", "second"))
    assert statuses(db) == {"first": "running", "second": "running"}
    assert under_way(db) == sorted([first, second])
    for run_id in (first, second):
        close_run(db, run_id, "succeeded", None, now=NOW)


def test_a_run_that_cannot_end_stays_under_way(db: Path) -> None:
    with connect(db):
        hold(db, "unknown")
    with pytest.raises(WarehouseError):
        close_run(db.with_name("other.duckdb"), "unknown", "succeeded", None, now=NOW)
    assert under_way(db) == ["unknown"]
    release(db, "unknown")
    release(db, "unknown")
    assert under_way(db) == []
