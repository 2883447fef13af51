"""Record a run that has nothing to do, without Prefect: to start it takes ten times as long as to look."""

import os
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from flows.project_folder import CODE_VERSION, Project
from flows.run_result import RunResult
from flows.service.environment import names_a_server, prefect_environment, replayed_day
from flows.settings import task_inputs
from flows.settings.target_inputs import publish_targets
from tasks.evaluate.pending_questions import pending_questions
from tasks.ingest.datasets.datasets_due import datasets_due
from tasks.ingest.pending_files import BatchRegister
from tasks.monitor.pending_charts import pending_charts
from tasks.publish.publication_state import are_current
from tasks.runs.run_records import close_run, open_run
from tasks.setting_names import noted_names
from tasks.sources.folder import find_files
from warehouse import sql
from warehouse.alerting.messages import count_waiting
from warehouse.connect import connect, kept_open
from warehouse.errors import WarehouseError
from warehouse.migrate import pending


def record_idle_run(project: Project) -> RunResult | None:
    """Record a run of the pipeline that has nothing to do, and return its result.

    Return None if something is due or may be: then Prefect runs the pipeline. That is always so for the first run of a
    day (charts, alerts and reminders depend on the date), after a run that failed, after an edit of kappaflow.toml,
    with a live source or an object store, with the rule `batch_late`, with a `[[publish.target]]` that is not up to
    date, and with a Prefect server of the user, who expects to see each run there.
    """
    try:
        if not _may_be_idle(project):
            return None
        with kept_open(project.warehouse):
            if _something_is_due(project):
                return None
            notes = noted_names(project.warehouse, task_inputs.setting_names(project))
            timezone = project.settings.project.timezone
            run_id = open_run(project.warehouse, "pipeline", CODE_VERSION, now=datetime.now(UTC), timezone=timezone)
            close_run(project.warehouse, run_id, "succeeded", None, now=datetime.now(UTC))
    except (OSError, WarehouseError):
        return None  # the pipeline waits for the warehouse, or says what is wrong
    return RunResult(notes=tuple(notes))


def _may_be_idle(project: Project) -> bool:
    """Look at the settings and the files of the last run, without opening the warehouse."""
    if names_a_server({**prefect_environment(project), **os.environ}) or replayed_day() is not None:
        return False
    if task_inputs.object_stores(project) or task_inputs.live_sources(project) or _judges_hours(project):
        return False
    if not (project.warehouse.exists() and project.snapshot.exists() and project.report.exists()):
        return False
    if not are_current(project.publications, publish_targets(project), project.snapshot):
        return False
    reported_at = project.report.stat().st_mtime
    if any(path.exists() and path.stat().st_mtime > reported_at for path in (project.settings_file, project.snapshot)):
        return False
    zone = ZoneInfo(project.settings.project.timezone)
    return datetime.fromtimestamp(reported_at, zone).date() == datetime.now(zone).date()


def _judges_hours(project: Project) -> bool:
    """Return whether a rule may open an alert within the day although nothing came in."""
    of_questions = [question.rules for question in project.settings.questions.values()]
    return any(rules and rules.batch_late for rules in (project.settings.rules, *of_questions))


def _something_is_due(project: Project) -> bool:
    """Ask the warehouse the same questions as the stages of the pipeline."""
    with connect(project.snapshot, read_only=True) as con:
        published_alerts = sql.value(con, "alerts/fingerprint")
    with connect(project.warehouse, read_only=True) as con:
        if pending(con) or sql.rows(con, "runs/last_run", code_version=CODE_VERSION) != [("succeeded", True)]:
            return True
        if sql.value(con, "alerts/fingerprint") != published_alerts:
            return True  # somebody acknowledged or closed one in the warehouse itself
        routes = task_inputs.message_routes(project)
        if routes and count_waiting(con, [route.channel for route in routes]):
            return True
    return _files_are_due(project) or _questions_are_due(project)


def _files_are_due(project: Project) -> bool:
    if datasets_due(project.warehouse, task_inputs.dataset_sources(project)):
        return True
    folders = task_inputs.folder_sources(project)
    files = find_files(folders)
    if files.unreadable or any(folder.move_done for folder in folders if files.found):
        return True
    rules = task_inputs.ingest_rules(project)
    batches = BatchRegister(project.warehouse, files.found, task_inputs.readings(project))
    return any(batches.due(file, rules, retry_rejects=False) for file in files.found)


def _questions_are_due(project: Project) -> bool:
    configs, options = task_inputs.question_configs(project), task_inputs.evaluation_options(project)
    if any(
        pending_questions(project.warehouse, kind, configs, options, everything=False)
        for kind in ("evaluate", "monitor")
    ):
        return True
    _, due = pending_charts(project.warehouse, task_inputs.monitoring_configs(project), now=datetime.now(UTC))
    return bool(due)
