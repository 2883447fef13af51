"""The row of `runs` that stands for one whole flow run, and the care that its start takes of the warehouse."""

from datetime import datetime
from pathlib import Path
from uuid import uuid4

from warehouse.connect import connect
from warehouse.migrate import migrate
from warehouse.results import Run, finish_run, reconcile, start_run
from warehouse.running import hold, release, under_way


def open_run(db: Path, kind: str, code_version: str, *, now: datetime) -> str:
    """Migrate the warehouse (made if there is none), close what a crash left open, and open this run; gives its id.

    Until `close_run`, or the end of this process, others see that the run is alive.
    """
    db.parent.mkdir(parents=True, exist_ok=True)
    run = Run(run_id=uuid4().hex, kind=kind, question=None, code_version=code_version, started_at=now)
    with connect(db) as con:
        migrate(con)
        reconcile(con, now, under_way=under_way(db))
        start_run(con, run)
        hold(db, run.run_id)
    return run.run_id


def close_run(db: Path, run_id: str, status: str, detail: str | None, *, now: datetime) -> None:
    """End it: status 'succeeded' or 'failed'."""
    with connect(db) as con:
        finish_run(con, run_id, status=status, ended_at=now, detail=detail)
        release(db, run_id)
