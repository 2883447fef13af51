"""The process that waits for the schedule and runs the pipeline; started by flows.serve."""

import argparse
import os
from typing import cast

from prefect.deployments.runner import RunnerDeployment
from prefect.flows import serve
from prefect.schedules import Cron, Interval
from prefect.types.entrypoint import EntrypointType

from flows.pipeline import pipeline


def main() -> None:
    """Serve the pipeline of the project in KAPPAFLOW_HOME on an interval or a cron line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int)
    parser.add_argument("--cron")
    parser.add_argument("--timezone", default="UTC")
    asked = parser.parse_args()
    deployment = pipeline.to_deployment(
        "schedule",
        schedule=Interval(asked.every) if asked.every else Cron(asked.cron, timezone=asked.timezone),
        parameters={"folder": os.environ["KAPPAFLOW_HOME"]},
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    # limit=1: a run that is due while another works waits for it. A deployment concurrency limit would do the same,
    # but after a kill its slot stays taken for five minutes.
    serve(cast(RunnerDeployment, deployment), limit=1, pause_on_shutdown=False, print_starting_message=False)


if __name__ == "__main__":
    main()
