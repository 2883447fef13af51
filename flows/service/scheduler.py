"""The process that waits for the schedule and runs the pipeline; started by flows.service.supervisor."""

import argparse
import asyncio
import logging
import os
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast
from uuid import UUID
from zoneinfo import ZoneInfo

from cronsim import CronSim
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun
from prefect.deployments import run_deployment
from prefect.exceptions import TerminationSignal
from prefect.runner import Runner
from prefect.schedules import Cron, Interval
from prefect.types.entrypoint import EntrypointType

from flows.pipeline import pipeline
from flows.service.stale_runs import close_stale_runs
from flows.service.webhook import TOKEN, listen, parse_address

NAME = "schedule"  # of the deployment
log = logging.getLogger("kappaflow")


def main() -> None:
    """Run the pipeline of the project in KAPPAFLOW_HOME now, and then on an interval or a cron line, after closing what
    a killed process left open."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int)
    parser.add_argument("--cron")
    parser.add_argument("--timezone", default="UTC")
    parser.add_argument("--doorbell")
    asked = parser.parse_args()
    folder = os.environ["KAPPAFLOW_HOME"]
    secret = os.environ.pop(TOKEN, "")  # the runs, which inherit this environment, do not need it
    _log_to_terminal()
    close_stale_runs(Path(folder))
    start = datetime.now(UTC)
    interval = Interval(asked.every, anchor_date=start) if asked.every else None
    # limit=1: a run that is due while another works waits for it. A deployment concurrency limit would do the same,
    # but after a kill its slot stays taken for five minutes.
    runner = Runner(limit=1, pause_on_shutdown=False)
    # The flow itself, not a deployment: then a run is this flow, whatever somebody makes of the deployment on the
    # server. And Prefect imports what a deployment names with the current folder first on the path.
    runner.add_flow(
        pipeline,
        NAME,
        schedule=interval or Cron(asked.cron, timezone=asked.timezone),
        parameters={"folder": folder},
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    bell = RunRequests(folder)
    bell.ring()
    due = next_due(start, asked.every, asked.cron, asked.timezone)
    log.info("A run starts now; the next one is due at %s.", f"{due:%Y-%m-%d %H:%M:%S %Z}")
    if asked.doorbell:
        listen(parse_address(asked.doorbell), secret, bell.ring)
    with suppress(KeyboardInterrupt, TerminationSignal):
        asyncio.run(runner.start())


def _log_to_terminal() -> None:
    """Show the project's own lines as the supervisor shows its own. Prefect's handler takes those of runs only."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", datefmt="%H:%M:%S"))
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.INFO)


def next_due(start: datetime, every: int | None, cron: str | None, timezone: str) -> datetime:
    """When the schedule first asks for a run after the start: in the schedule's time zone, or this machine's.

    >>> f"{next_due(datetime(2026, 11, 22, 13, tzinfo=UTC), None, '30 6 * * *', 'Europe/Berlin'):%d. %H:%M %Z}"
    '23. 06:30 CET'
    """
    if every:
        return (start + timedelta(seconds=every)).astimezone()
    return next(CronSim(str(cron), start.astimezone(ZoneInfo(timezone))))


class RunRequests:
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
