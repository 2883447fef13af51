"""The environment of processes that use Prefect. Imports nothing of Prefect, so that it can be imported first."""

import atexit
import os
import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path

from flows.project_folder import Project
from flows.service.prefect_database import MAX_AGE
from tasks.errors import SettingsError

RETENTION = "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD"

# Nothing leaves the machine, and Prefect writes nothing outside the project folder, unless the user wants it: these are
# defaults, and a variable that is already set wins.
DEFAULTS: Mapping[str, str] = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "PREFECT_SERVER_API_HOST": "127.0.0.1",
    # Prefect waits 20 seconds for its temporary server. A slow machine needs longer.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    # The runner looks for due runs every 10 seconds by default. From event to run took 24 s, and 4 s with this.
    "PREFECT_RUNNER_POLL_FREQUENCY": "2",
    # kappaflow's log lines go to Prefect's console and server, beside those of Prefect.
    "PREFECT_LOGGING_EXTRA_LOGGERS": "kappaflow",
    # A stats.py or flows.py of the user in the current folder is not imported in place of kappaflow's module.
    "PYTHONSAFEPATH": "1",
    # Prefect stores an event for each change of a state: seven tenths of what a run adds to its database. kappaflow
    # does not read them.
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    # Prefect's block types take half a megabyte at the first start and are never used.
    "PREFECT_SERVER_REGISTER_BLOCKS_ON_START": "false",
    # The pipeline never needs these services, and they write to the same database.
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_FOREMAN_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_PAUSE_EXPIRATIONS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_SCHEDULER_MAX_RUNS": "20",  # runs planned ahead, each a row; the planner runs every minute
    # Prefect deletes runs, logs and artifacts after three days. The table `runs` of the warehouse keeps its rows.
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "flow_runs,orphans",
    RETENTION: str(int(MAX_AGE.total_seconds())),
}


def prefect_environment(project: Project) -> dict[str, str]:
    """Return the variables to add for a process that imports Prefect. The folder PREFECT_HOME is made, also one that
    the user has named."""
    user_folder = os.environ.get("PREFECT_HOME")
    try:
        home = Path(user_folder or project.prefect_home).expanduser()
        home.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        if not user_folder:
            raise
        raise SettingsError(
            f"PREFECT_HOME is {user_folder!r}, and such a folder cannot be made.", "Name another folder, or unset it."
        ) from error
    missing = {name: value for name, value in DEFAULTS.items() if name not in os.environ}
    return missing | {"PREFECT_HOME": str(home), "KAPPAFLOW_HOME": str(project.folder)}


def enter(project: Project) -> None:
    """Set the variables in this process. Call it before Prefect is imported."""
    os.environ.update(prefect_environment(project))


def names_a_server(environment: Mapping[str, str]) -> bool:
    """Return whether PREFECT_API_URL, or a profile in PREFECT_HOME, names a server of the user."""
    if environment.get("PREFECT_API_URL"):
        return True
    path = Path(environment.get("PREFECT_PROFILES_PATH") or Path(environment["PREFECT_HOME"]) / "profiles.toml")
    try:
        profiles = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # Prefect reports what is wrong with the file
    profile = environment.get("PREFECT_PROFILE") or profiles.get("active")
    return "PREFECT_API_URL" in profiles.get("profiles", {}).get(profile, {})


@cache
def quiet_end() -> None:
    """Silence stderr when the process ends: DuckDB's binding reports objects of Prefect's threads as leaks.

    Exit handlers run in reverse order. Call this before Prefect is imported, so that Prefect's own handlers run first.
    """
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))


def replayed_day() -> date | None:
    """Return the day that KAPPAFLOW_TODAY pretends it is, None for the real one. For replays of old data.

    Raises SettingsError if it is not a date.
    """
    text = os.environ.get("KAPPAFLOW_TODAY")
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise SettingsError(f"KAPPAFLOW_TODAY is {text!r}, which is not a date.", "Write it as 2026-03-04.") from None
