"""Wait for the schedule and run the pipeline, in the process of flows.service.scheduler."""

import argparse
import asyncio
import logging
import os
import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import cast
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun
from prefect.deployments import run_deployment
from prefect.exceptions import ObjectNotFound, TerminationSignal
from prefect.runner import Runner
from prefect.schedules import Cron, Interval
from prefect.types.entrypoint import EntrypointType

from flows.pipeline import pipeline
from flows.project_folder import find_project
from flows.service.service_record import Service, running_service
from flows.service.stale_runs import close_stale_runs
from flows.service.webhook import listen, parse_address, remove_token, webhook_token

DEPLOYMENT = "schedule"
log = logging.getLogger("kappaflow")


def main() -> None:
    """Run the pipeline of the project in KAPPAFLOW_HOME now, and then on an interval or a cron line.

    Runs that a killed process left open are closed first.
    """
    options = _parse_options()
    folder = os.environ["KAPPAFLOW_HOME"]
    token = webhook_token() if options.webhook else ""
    remove_token()
    _log_to_terminal()
    close_stale_runs(Path(folder))
    now = datetime.now(UTC)
    # The record of the service is the one clock: `status` reads it too, and it outlives a restart of this process.
    service = running_service(find_project(folder)) or Service(
        os.getpid(), now, options.every, options.cron, options.timezone
    )
    interval = Interval(options.every, anchor_date=service.started_at) if options.every else None
    # limit=1: a run that is due while another works waits for it. A deployment concurrency limit would do the same,
    # but after a kill its slot stays taken for five minutes.
    runner = Runner(limit=1, pause_on_shutdown=False)
    # The flow itself, not a deployment: then a run is this flow, whatever somebody makes of the deployment on the
    # server. And Prefect imports what a deployment names with the current folder first on the path.
    runner.add_flow(
        pipeline,
        DEPLOYMENT,
        schedule=interval or Cron(options.cron, timezone=options.timezone),
        parameters={"folder": folder},
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    run_requests = RunRequests(folder)
    run_requests.add()
    log.info("A run starts now; the next one is due at %s.", f"{service.next_run(now):%Y-%m-%d %H:%M:%S %Z}")
    if options.webhook:
        listen(parse_address(options.webhook), token, run_requests.add)
    with suppress(KeyboardInterrupt, TerminationSignal):
        asyncio.run(runner.start())


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int)
    parser.add_argument("--cron")
    parser.add_argument("--timezone")
    parser.add_argument("--webhook")
    return parser.parse_args()


def _log_to_terminal() -> None:
    """Show the project's log lines in the same layout as the supervisor. Prefect's handler shows only those of runs."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", datefmt="%H:%M:%S"))
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.INFO)


class RunRequests:
    """Requests for a run of the pipeline. Requests that come while a run waits to begin are one run."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self.waiting_run: UUID | None = None

    def add(self) -> None:
        """Request a run, unless an earlier request still waits: the run of that request will see everything."""
        with self.lock, get_client(sync_client=True) as client:
            if self.waiting_run is not None and _waits(self.waiting_run, client):
                return
            run = run_deployment(f"{pipeline.name}/{DEPLOYMENT}", parameters={"folder": self.folder}, timeout=0)
            self.waiting_run = cast(FlowRun, run).id


def _waits(run_id: UUID, client: SyncPrefectClient) -> bool:
    """Return whether a flow run has not begun. Prefect deletes old records: such a run ended."""
    try:
        state = client.read_flow_run(run_id).state
    except ObjectNotFound:
        return False
    return state is not None and (state.is_scheduled() or state.is_pending())
