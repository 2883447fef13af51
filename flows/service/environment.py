"""What Prefect's processes are told before they start; imports nothing of Prefect, so that it can come first."""

import atexit
import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from flows.project_folder import Project
from flows.service.access import CLIENT_PASSWORD, SERVER_PASSWORD, new_password
from flows.service.prefect_database import KEPT

RETENTION = "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD"

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
    # A module of the user's in the current folder (stats.py, flows.py) is not imported in place of ours.
    "PYTHONSAFEPATH": "1",
    # Prefect keeps an event for each change of a state: seven tenths of what a run adds to its database. Nothing here
    # reads them.
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    # Half a megabyte, written at the first start, of kinds of blocks that are never used.
    "PREFECT_SERVER_REGISTER_BLOCKS_ON_START": "false",
    # Services for what the pipeline never does: they only write beside it.
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_FOREMAN_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_PAUSE_EXPIRATIONS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_SCHEDULER_MAX_RUNS": "20",  # planned ahead, each a row; it plans every minute
    # Runs, their logs and artifacts go after three days; the warehouse's own `runs` stay.
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "flow_runs,orphans",
    RETENTION: str(int(KEPT.total_seconds())),
}


def prefect_environment(project: Project) -> dict[str, str]:
    """The variables to add to the environment of a process that imports Prefect; makes its home."""
    project.prefect_home.mkdir(parents=True, exist_ok=True)
    wanted = {**DEFAULTS, "PREFECT_HOME": str(project.prefect_home), "KAPPAFLOW_HOME": str(project.folder)}
    return {name: value for name, value in wanted.items() if name not in os.environ} | {
        "KAPPAFLOW_HOME": str(project.folder)
    }


def enter(project: Project) -> None:
    """Set them in this process, with a password for a temporary server; call before the first import of Prefect."""
    os.environ.update(prefect_environment(project))
    if not _names_a_server(os.environ):
        password = os.environ.setdefault(SERVER_PASSWORD, new_password())
        os.environ.setdefault(CLIENT_PASSWORD, password)


def _names_a_server(environment: Mapping[str, str]) -> bool:
    """Whether Prefect will use a server of the user's: one in PREFECT_API_URL, or in a profile in his PREFECT_HOME."""
    if environment.get("PREFECT_API_URL"):
        return True
    path = Path(environment.get("PREFECT_PROFILES_PATH") or Path(environment["PREFECT_HOME"]) / "profiles.toml")
    try:
        profiles = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # Prefect says what is wrong with it
    profile = environment.get("PREFECT_PROFILE") or profiles.get("active")
    return "PREFECT_API_URL" in profiles.get("profiles", {}).get(profile, {})


@cache
def quiet_end() -> None:
    """Say nothing after the last word: DuckDB's binding lists as leaks what Prefect's threads still hold at the end.

    Handlers run last in, first out: called before Prefect is imported, this one comes after Prefect's own.
    """
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))
