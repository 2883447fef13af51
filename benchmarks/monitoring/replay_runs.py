"""Bring the days of a half year into a project, and run its pipeline with Prefect after each.

    python -m benchmarks.monitoring.replay_runs FOLDER SEED DAYS

All runs are made in this process, one after another, against one local server: the start of a process takes longer than
a run. What the server is told of each run is the same. Prints when each alert was first seen, as JSON.
"""

import json
import os
import sys
from pathlib import Path

from benchmarks.monitoring.half_year import half_year
from benchmarks.monitoring.replay_days import QUESTION, alert_ids
from flows.cli.runs.run_flow import run_flow
from flows.project_folder import find_project


def main(folder: Path, seed: int, n_days: int) -> None:
    """Run the pipeline once for each of the first `n_days` days with ratings."""
    inbox, seen = folder / "inbox" / QUESTION, dict[str, str]()
    project = find_project(str(folder))
    for day in list(half_year(seed))[:n_days]:
        day.ratings.write_csv(inbox / f"{day.arrival}.csv", datetime_format="%Y-%m-%dT%H:%M:%SZ")
        os.environ["KAPPAFLOW_TODAY"] = day.arrival.isoformat()
        result, failed = run_flow("pipeline", project, quiet=True)
        if failed:
            sys.exit(f"{day.arrival}: {result.failure}")
        seen.update({key: day.arrival.isoformat() for key in alert_ids(project.warehouse) if key not in seen})
    print(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
