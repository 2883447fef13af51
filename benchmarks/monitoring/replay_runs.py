"""Bring the days of a half year into a project, and run its pipeline with Prefect after each.

    python -m benchmarks.monitoring.replay_runs FOLDER SEED DAYS

All runs are made in this process, one after another, against one local server: the start of a process takes longer than
a run. What the server is told of each run is the same. After each day the results so
far are written to progress.json in the folder, so that a later call goes on with the next day.
"""

import os
import sys
import time
from pathlib import Path

from benchmarks.monitoring.half_year import half_year
from benchmarks.monitoring.replay_days import QUESTION, Progress, alert_ids
from flows.cli.runs.run_flow import run_flow
from flows.project_folder import find_project


def main(folder: Path, seed: int, n_days: int) -> None:
    """Run the pipeline once for each of the first `n_days` days with ratings that was not run before."""
    inbox, progress = folder / "inbox" / QUESTION, Progress.of(folder)
    project = find_project(str(folder))
    for day in list(half_year(seed))[len(progress.days) : n_days]:
        started, name = time.process_time(), day.arrival.isoformat()
        day.ratings.write_csv(inbox / f"{name}.csv", datetime_format="%Y-%m-%dT%H:%M:%SZ")
        os.environ["KAPPAFLOW_TODAY"] = name
        result, failed = run_flow("pipeline", project, quiet=True)
        if failed:
            sys.exit(f"{name}: {result.failure}")
        progress.seen.update({key: name for key in alert_ids(project.warehouse) if key not in progress.seen})
        progress.days.append(name)
        progress.seconds += time.process_time() - started
        progress.write(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
