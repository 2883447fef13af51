"""Read the status of a project: its warehouse, its publications, the running service, the sizes of its files."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.project_folder import Project
from flows.service.service_record import Service, running_service
from flows.settings import task_inputs
from flows.settings.target_inputs import publish_targets
from tasks.counted_words import counted
from tasks.evaluate.pending_questions import outdated_questions
from tasks.publish.publication_state import read_publications
from tasks.summary.contrary_voter_rows import contrary_voter_sentences
from tasks.summary.run_figures import contradiction_sentences, poor_sentences, region_sentences
from tasks.summary.slice_sentences import slice_sentences
from warehouse import sql, status
from warehouse.connect import connect
from warehouse.errors import UnreadableWarehouseError, WarehouseBusyError, WarehouseError
from warehouse.publication.page_queries import page_rows
from warehouse.questions import read_table

if TYPE_CHECKING:
    import duckdb

MAX_DELAY = timedelta(minutes=5)  # between the time when a run is due and its row in `runs`
MAX_CLOCK_ERROR = timedelta(hours=1)


def read_project_status(project: Project) -> dict[str, Any]:
    """Return the value of `status --json`.

    It is that of the warehouse, or of the snapshot while a run holds the warehouse.
    """
    service, now = running_service(project), datetime.now(UTC)
    stored, problem, is_current = _stored_status(project)
    runs = stored["last_runs"]
    overdue = overdue_run(service, runs, now) if service and is_current else None
    problems = [problem, future_run(runs, now), overdue, *stored.pop("failed_channels")]
    return {
        "project": str(project.folder),
        "warehouse": str(project.warehouse),
        **stored,
        "problems": [sentence for sentence in problems if sentence],
        "publications": _publications(project),
        "service": service.to_json(now) if service else None,
        "sizes": {
            name: _size(path)
            for name, path in (
                ("warehouse", project.warehouse),
                ("published", project.published),
                ("report", project.report),
                ("backups", project.backups),
                ("prefect", project.prefect_home),
            )
        },
    }


def _publications(project: Project) -> list[dict[str, Any]]:
    """Return what became of each target of the settings when it was last tried; null before the first time."""
    last_tries = read_publications(project.publications)
    keys = ("status", "at", "written_at", "error")
    return [
        {"target": target.name, **{key: last_tries.get(target.name, {}).get(key) for key in keys}}
        for target in publish_targets(project)
    ]


def overdue_run(service: Service, last_runs: Sequence[Mapping[str, Any]], now: datetime) -> str | None:
    """Say so if `kappaflow serve` should have begun a run, and the warehouse has none.

    Such a run failed before it could be recorded, or waits for another one. `last_runs`: the latest first.
    """
    begun = [run["started_at"] for run in last_runs if run["kind"] == "pipeline"]
    next_run = service.next_run(max([service.started_at, *begun[:1]])).astimezone(UTC)
    if now - next_run < MAX_DELAY or any(run["status"] == "running" for run in last_runs):
        return None
    last = f"since {begun[0]:%Y-%m-%d %H:%M} UTC" if begun else "yet"
    return (
        f"No run has begun {last}, although one was due at {next_run:%Y-%m-%d %H:%M} UTC. `kappaflow serve` (process "
        f"{service.pid}) prints why."
    )


def future_run(last_runs: Sequence[Mapping[str, Any]], now: datetime) -> str | None:
    """Say so if the last run began later than now: a clock is or was wrong. `last_runs`: the latest first."""
    if not last_runs or last_runs[0]["started_at"] - now < MAX_CLOCK_ERROR:
        return None
    began = last_runs[0]["started_at"]
    return (
        f"The last run began at {began:%Y-%m-%d %H:%M} UTC, but now it is {now:%Y-%m-%d %H:%M} UTC. "
        "If this machine's clock was ahead during a run, later runs and files keep times after it, in their order: "
        "figures are right, but ratings without a time, and limits on days, are counted from there. To have the "
        "right times, restore a backup from before."
    )


def _stored_status(project: Project) -> tuple[dict[str, Any], str | None, bool]:
    """Read the status, say what is wrong with the warehouse, and whether the status is of the warehouse as it is now.

    That of the snapshot lacks the runs that found nothing new: they publish nothing.
    """
    try:
        with connect(project.warehouse, read_only=True, wait_seconds=0) as con:
            return _status_of(con, project), None, True
    except WarehouseError as error:
        with connect(project.snapshot, read_only=True) as con:
            stored = _status_of(con, project)
        is_busy = isinstance(error, WarehouseBusyError)
        return stored, None if is_busy else _warehouse_problem(project, error), False


def _warehouse_problem(project: Project, error: WarehouseError) -> str:
    published_at = datetime.fromtimestamp(project.snapshot.stat().st_mtime, UTC)
    figures = f"What follows is of the snapshot of {published_at:%Y-%m-%d %H:%M} UTC."
    if isinstance(error, UnreadableWarehouseError):
        return f"{error} {error.hint} Until then every run fails. {figures}"
    if project.warehouse.exists():
        return f"{error} {error.hint} {figures}"
    return (
        f"There is no warehouse {project.warehouse}. Put a backup or a copy of the snapshot there: else the next run "
        f"begins a new one, without the history. {figures}"
    )


def _status_of(con: "duckdb.DuckDBPyConnection", project: Project) -> dict[str, Any]:
    pairs = page_rows(con, "low_pairs", {"question": None})
    confused = page_rows(con, "most_confused_pairs", {"question": None})
    systems = page_rows(con, "systems", {"question": None, "system": None, "slice": None})
    outdated = outdated_questions(con, (task_inputs.question_configs(project), task_inputs.evaluation_options(project)))
    current = read_table(con, "latest_agreement").filter(~pl.col("question").is_in(outdated.keys()))
    return status.read_status(con).to_json() | {
        "contradictions": [
            *contradiction_sentences(pairs),
            *region_sentences(read_table(con, "latest_region_agreement")),
            *contrary_voter_sentences(read_table(con, "latest_preference_figures")),
        ],
        "poor_agreement": poor_sentences(current, confused, pairs),
        "low_slices": slice_sentences(systems),
        "outdated": _outdated_sentences(outdated),
        "failed_channels": _channel_sentences(con, project),
    }


def _channel_sentences(con: "duckdb.DuckDBPyConnection", project: Project) -> list[str]:
    """Say for which channels messages wait because the channel failed, if the settings still name it."""
    channels = [route.channel for route in task_inputs.message_routes(project)]
    rows: list[Any] = sql.rows(con, "status/failed_channels", channels=channels)
    return [
        f"{counted(n_messages, 'message about alerts waits', 'messages about alerts wait')} for {channel}, which was "
        f"tried {counted(n_attempts, 'time')}: {error}."
        for channel, n_messages, n_attempts, error in rows
    ]


def _outdated_sentences(outdated: Mapping[str, str]) -> list[str]:
    """Say which questions have figures of other ratings or settings than those of now."""
    questions: dict[str, list[str]] = {}
    for question, sentence in sorted(outdated.items()):
        questions.setdefault(sentence, []).append(question)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in questions.items()]


def _size(path: Path) -> int:
    """Return the bytes of a file or a folder, 0 if it does not exist."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.exists() else 0
