"""The process that waits for the schedule and runs the pipeline; started by flows.serve."""

import argparse
import os
import threading
from pathlib import Path
from typing import cast
from uuid import UUID

from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun
from prefect.deployments import run_deployment
from prefect.deployments.runner import RunnerDeployment
from prefect.flows import serve
from prefect.schedules import Cron, Interval
from prefect.types.entrypoint import EntrypointType

from flows.doorbell import listen, parse_place, token
from flows.left_open import close_left_open
from flows.pipeline import pipeline

NAME = "schedule"  # of the deployment


def main() -> None:
    """Serve the pipeline of the project in KAPPAFLOW_HOME on an interval or a cron line, after closing what a killed
    process left open."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int)
    parser.add_argument("--cron")
    parser.add_argument("--timezone", default="UTC")
    parser.add_argument("--doorbell")
    asked = parser.parse_args()
    close_left_open(Path(os.environ["KAPPAFLOW_HOME"]))
    deployment = pipeline.to_deployment(
        NAME,
        schedule=Interval(asked.every) if asked.every else Cron(asked.cron, timezone=asked.timezone),
        parameters={"folder": os.environ["KAPPAFLOW_HOME"]},
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    if asked.doorbell:
        listen(parse_place(asked.doorbell), token(), Bell(os.environ["KAPPAFLOW_HOME"]).ring)
    # limit=1: a run that is due while another works waits for it. A deployment concurrency limit would do the same,
    # but after a kill its slot stays taken for five minutes.
    serve(cast(RunnerDeployment, deployment), limit=1, pause_on_shutdown=False, print_starting_message=False)


class Bell:
    """Asks for a run of the pipeline, unless one that was asked for has not begun: that one will see everything."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self.waiting: UUID | None = None

    def ring(self) -> None:
        with self.lock, get_client(sync_client=True) as client:
            if self.waiting is not None:
                state = client.read_flow_run(self.waiting).state
                if state is not None and (state.is_scheduled() or state.is_pending()):
                    return
            run = run_deployment(f"{pipeline.name}/{NAME}", parameters={"folder": self.folder}, timeout=0)
            self.waiting = cast(FlowRun, run).id


if __name__ == "__main__":
    main()
