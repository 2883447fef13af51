"""`python -m tests.growth.scheduled --runs 50 --every 20`: serve a small project, and count the runs that are missed.

Every fourth interval a new file arrives. A run is missed if its time passed and it did not complete, or if there is no
run at all at a time of the schedule. A run takes some seconds of processor time: where the machine has other work, give
it more time with --every. While it runs, do not edit the code.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from tests.conftest import COMMAND, free_port
from tests.growth.measure import NEW_FILE_EVERY, write_file

RUNS = (
    "select expected_start_time, start_time, end_time, state_type from flow_run where auto_scheduled"
    " order by expected_start_time"
)
GRACE = 300  # seconds that the last run may need beyond its time


@dataclass(frozen=True)
class ScheduledRun:
    """A run that the schedule made: when it was due, when it started and ended, and its state."""

    due: datetime
    started: datetime | None
    ended: datetime | None
    state: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--every", type=int, default=20, help="seconds between runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        (project / "inbox").mkdir(parents=True)
        with (Path(folder) / "serve.log").open("w+b") as log:
            serve = subprocess.Popen(
                [COMMAND, "serve", "--project", project, "--every", f"{options.every}s", "--port", str(free_port())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
            try:
                runs = follow(project, serve, options.runs, options.every)
            finally:
                serve.terminate()
                serve.wait(60)
            log.seek(0)
            printed = log.read().decode(errors="replace").splitlines()
    missed = missed_runs(runs, timedelta(seconds=options.every))
    lags = sorted((run.started - run.due).total_seconds() for run in runs if run.started)
    print(f"{len(runs)} runs, one every {options.every} s: {len(missed)} missed")
    if lags:
        print(f"started {lags[len(lags) // 2]:.1f} s after their time (median), {lags[-1]:.1f} s at most")
    for sentence in missed:
        print(f"  {sentence}")
    if missed:
        print("The last lines that serve printed:", *printed[-20:], sep="\n  ")
    return 1 if missed or len(runs) < options.runs else 0


def follow(project: Path, serve: subprocess.Popen[bytes], n_runs: int, every: int) -> list[ScheduledRun]:
    """Bring files, and return the first so many runs when all of them have ended, or GRACE after their time."""
    started, number = time.monotonic(), 0
    while True:
        runs = scheduled_runs(project)[:n_runs]
        if serve.poll() is not None:
            sys.exit("serve ended.")
        if len(runs) == n_runs and runs[-1].ended:
            return runs
        if time.monotonic() - started > (n_runs + 1) * every + GRACE:
            return [run for run in runs if run.due < datetime.now(UTC)]
        if time.monotonic() - started > number * NEW_FILE_EVERY * every:
            write_file(project, number)
            number += 1
        time.sleep(1)


def scheduled_runs(project: Path) -> list[ScheduledRun]:
    """Read the runs of the schedule from the database of the server, in their order."""
    database = project / ".kappaflow" / "prefect" / "prefect.db"
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as con:
            rows = con.execute(RUNS).fetchall()
    except sqlite3.OperationalError:  # not there yet
        return []
    return [ScheduledRun(*map(_instant, row[:3]), row[3]) for row in rows]  # type: ignore[arg-type]


def missed_runs(runs: list[ScheduledRun], every: timedelta) -> list[str]:
    """Say which runs did not complete, and where the schedule has gaps."""
    failed = [f"{run.due:%H:%M:%S}: {run.state.lower()}" for run in runs if run.state != "COMPLETED"]
    gaps = [
        f"between {first.due:%H:%M:%S} and {then.due:%H:%M:%S}: no run"
        for first, then in pairwise(runs)
        if then.due - first.due > 1.5 * every
    ]
    return failed + gaps


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


if __name__ == "__main__":
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    sys.exit(main())
