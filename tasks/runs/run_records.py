"""Record a whole flow run in the table `runs`, and prepare the warehouse when it starts."""

from datetime import datetime
from pathlib import Path
from uuid import uuid4

from warehouse.connect import connect
from warehouse.migrate import migrate
from warehouse.project_time import set_timezone
from warehouse.runs.run_results import Run, finish_run, reconcile, start_run
from warehouse.runs.running_processes import hold, release, under_way


def open_run(db: Path, kind: str, code_version: str, *, now: datetime, timezone: str | None = None) -> str:
    """Create or migrate the warehouse, close runs that a crash left open, and record a new run. Return its id.

    With `timezone`, days are counted in this time zone from now on.

    Other processes see the run as alive until `close_run` is called or this process ends.
    """
    db.parent.mkdir(parents=True, exist_ok=True)
    run = Run(run_id=uuid4().hex, kind=kind, question=None, code_version=code_version, started_at=now)
    with connect(db) as con:
        migrate(con)
        if timezone is not None:
            set_timezone(con, timezone)
        reconcile(con, now, under_way=under_way(db))
        start_run(con, run)
        hold(db, run.run_id)
    return run.run_id


def close_run(db: Path, run_id: str, status: str, detail: str | None, *, now: datetime) -> None:
    """Close a run with the status 'succeeded' or 'failed'."""
    with connect(db) as con:
        finish_run(con, run_id, status=status, ended_at=now, detail=detail)
        release(db, run_id)
