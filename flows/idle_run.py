"""Record a run that has nothing to do, without Prefect: to start it takes ten times as long as to look."""

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from flows.project_folder import CODE_VERSION, Project
from flows.run_result import RunResult
from flows.service.environment import names_a_server, prefect_environment, replayed_day
from flows.settings import task_inputs
from flows.settings.run_sources import RunSources, run_sources
from flows.settings.target_inputs import publish_targets
from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.evaluate.pending_questions import pending_questions
from tasks.ingest.datasets.pending_datasets import has_pending_files
from tasks.ingest.pending_files import BatchRegister
from tasks.ingest.shared_files import refuse_shared_files
from tasks.monitor.pending_charts import pending_charts
from tasks.publish.publication_state import are_current
from tasks.runs.run_records import close_run, open_run
from tasks.setting_names import noted_names
from tasks.sources.folder import ExportFile, SourceFiles, find_files
from warehouse import sql
from warehouse.alerting.messages import count_waiting
from warehouse.connect import connect, kept_open
from warehouse.errors import WarehouseError
from warehouse.migrate import pending

MAX_COPIES = 5  # that are named


def record_idle_run(project: Project, kind: str = "pipeline", paths: Sequence[str] = ()) -> RunResult | None:
    """Record a run of the pipeline, or of its stage `kind`, that has nothing to do, and return its result.

    `paths`: what the stage ingest is to read instead of the project's sources.

    Return None if something is due or may be: then Prefect does the run. That is always so for the first run of a
    day (charts, alerts and reminders depend on the date), after a run that failed, if kappaflow.toml was edited since
    such a run or the pipeline ran, with a live source or an object store, with the rule `batch_late`, with a snapshot
    or a `[[publish.target]]` that is not up to date, and with a Prefect server of the user, who expects to see each run
    there. What the stage does not look at does not count: `evaluate` reads no source, and only the pipeline judges
    alerts and sends messages.
    """
    try:
        sources = RunSources() if kind == "evaluate" else run_sources(project, paths)
        if not _may_be_idle(project, kind, sources):
            return None
        with kept_open(project.warehouse):
            if _follows_up(project, kind) or has_pending_files(project.warehouse, sources.datasets):
                return None
            files = find_files(sources.folders)  # once: it reads each file as a whole
            refuse_shared_files(files.readable)
            batches = BatchRegister(project.warehouse, files.readable, task_inputs.readings(project))
            if _files_are_due(project, sources, files, batches) or _results_are_due(project, kind):
                return None
            names = noted_names(project.warehouse, task_inputs.setting_names(project))
            notes = names + _copies(batches, files.readable)
            rules = task_inputs.ingest_rules(project)
            notes += [f"{sentence}." for sentence in batches.read_otherwise(files.readable, rules)]
            timezone = project.settings.project.timezone
            run_id = open_run(project.warehouse, kind, CODE_VERSION, now=datetime.now(UTC), timezone=timezone)
            close_run(project.warehouse, run_id, "succeeded", None, now=datetime.now(UTC))
    except (InputError, OSError, WarehouseError):
        return None  # the run waits for the warehouse, or says what is wrong
    return RunResult(notes=tuple(notes))


def _may_be_idle(project: Project, kind: str, sources: RunSources) -> bool:
    """Look at the settings and the files of the last run, without opening the warehouse."""
    if names_a_server({**os.environ, **prefect_environment(project)}) or replayed_day() is not None:
        return False
    if sources.stores or sources.live:
        return False
    if kind == "pipeline" and _judges_hours(project):
        return False
    if not (project.warehouse.exists() and project.snapshot.exists() and project.report.exists()):
        return False
    if not are_current(project.publications, publish_targets(project), project.snapshot):
        return False
    reported_at = project.report.stat().st_mtime
    return project.snapshot.stat().st_mtime <= reported_at and _is_of_today(reported_at, project)


def _is_of_today(time: float, project: Project) -> bool:
    zone = ZoneInfo(project.settings.project.timezone)
    return datetime.fromtimestamp(time, zone).date() == datetime.now(zone).date()


def _judges_hours(project: Project) -> bool:
    """Return whether a rule may open an alert within the day although nothing came in."""
    of_questions = [question.rules for question in project.settings.questions.values()]
    return any(rules and rules.batch_late for rules in (project.settings.rules, *of_questions))


def _follows_up(project: Project, kind: str) -> bool:
    """Ask the warehouse what the last run left to do, and what happened since."""
    with connect(project.warehouse, read_only=True) as con:
        if pending(con) or sql.rows(con, "runs/last_run", code_version=CODE_VERSION) != [("succeeded", True)]:
            return True
        content = sql.rows(con, "publications/fingerprint")
        # Not the time of the report: `kappaflow report` writes it, too.
        started_at = sql.value(con, "runs/last_start", kinds=["pipeline", kind])
        if not (isinstance(started_at, float) and _follows_settings(started_at, project)):
            return True
        routes = task_inputs.message_routes(project) if kind == "pipeline" else ()
        if routes and count_waiting(con, [route.channel for route in routes]):
            return True
    # It differs if the warehouse was restored, if a run was killed before it published, or if somebody acknowledged or
    # closed an alert in the warehouse itself.
    with connect(project.snapshot, read_only=True) as con:
        return sql.rows(con, "publications/fingerprint") != content


def _results_are_due(project: Project, kind: str) -> bool:
    if kind != "ingest" and _questions_are_due(project, "evaluate"):
        return True
    return kind == "pipeline" and (_questions_are_due(project, "monitor") or _charts_are_due(project))


def _follows_settings(started_at: float, project: Project) -> bool:
    """Return whether a run is of today, and began after the last edit of the settings.

    If it began later than now, a clock was ahead, and nobody knows what was edited since.
    """
    if started_at > time.time() or not _is_of_today(started_at, project):
        return False
    settings = project.settings_file
    return not (settings.exists() and settings.stat().st_mtime > started_at)


def _files_are_due(project: Project, sources: RunSources, files: SourceFiles, batches: BatchRegister) -> bool:
    if files.unreadable or any(folder.move_done for folder in sources.folders if files.readable):
        return True
    rules = task_inputs.ingest_rules(project)
    return any(batches.pending(file, rules, retry_rejects=False) for file in files.readable)


def _copies(batches: BatchRegister, files: Sequence[ExportFile]) -> list[str]:
    """Name the files that are copies of others: a user who just put one there looks for it."""
    sentences = [f"{sentence}." for sentence in batches.copies(files)]
    n_more = len(sentences) - MAX_COPIES
    more = [f"{counted(n_more, 'more file is a copy', 'more files are copies')} of others."] if n_more > 0 else []
    return sentences[:MAX_COPIES] + more


def _questions_are_due(project: Project, kind: str) -> bool:
    configs, options = task_inputs.question_configs(project), task_inputs.evaluation_options(project)
    return bool(pending_questions(project.warehouse, kind, configs, options, everything=False))


def _charts_are_due(project: Project) -> bool:
    _, pending = pending_charts(project.warehouse, task_inputs.monitoring_configs(project), now=datetime.now(UTC))
    return bool(pending)
