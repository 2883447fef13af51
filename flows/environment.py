"""What Prefect's processes are told before they start; imports nothing of Prefect, so that it can come first."""

import atexit
import os
from collections.abc import Mapping
from functools import cache

from flows.project import Project

# Nothing leaves the machine, and nothing of Prefect lands outside the project folder, unless the user said so:
# each is only a default, and a variable that is already set wins.
DEFAULTS: Mapping[str, str] = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "PREFECT_SERVER_API_HOST": "127.0.0.1",
    # A slow machine needs longer than the 20 seconds that Prefect grants its temporary server.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    # The runner looks for due runs every 10 seconds otherwise: event to run took 24 s, with this 4 s.
    "PREFECT_RUNNER_POLL_FREQUENCY": "2",
    # The project's own log lines go to Prefect's console and server beside Prefect's.
    "PREFECT_LOGGING_EXTRA_LOGGERS": "kappaflow",
}


def prefect_environment(project: Project) -> dict[str, str]:
    """The variables to add to the environment of a process that imports Prefect; makes its home."""
    project.prefect_home.mkdir(parents=True, exist_ok=True)
    wanted = {**DEFAULTS, "PREFECT_HOME": str(project.prefect_home), "KAPPAFLOW_HOME": str(project.folder)}
    return {name: value for name, value in wanted.items() if name not in os.environ} | {
        "KAPPAFLOW_HOME": str(project.folder)
    }


def enter(project: Project) -> None:
    """Set them in this process; call before the first import of Prefect."""
    os.environ.update(prefect_environment(project))


@cache
def quiet_end() -> None:
    """Say nothing after the last word: DuckDB's binding lists as leaks what Prefect's threads still hold at the end.

    Handlers run last in, first out: called before Prefect is imported, this one comes after Prefect's own.
    """
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))
