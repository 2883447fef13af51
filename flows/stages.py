"""The stages of a run. Each one calls Prefect tasks in order."""

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from flows import prefect_tasks
from flows.prefect_display import emit_events, name_run
from flows.project_folder import CODE_VERSION, Project
from flows.run_tracking import TrackedRun
from flows.service.workers import n_parts, runs_alone, task_runner
from flows.settings import task_inputs
from flows.settings.run_sources import run_sources
from flows.settings.target_inputs import publish_targets
from tasks.ingest.file_result import FileResult
from tasks.ingest.shared_files import refuse_shared_files
from tasks.question_result import QuestionResult
from tasks.sources.folder import DONE_FOLDER
from tasks.sources.object_store.ingest_objects import ObjectResults

step_log = logging.getLogger("kappaflow.steps")  # what begins now, for a person who waits


def ingest_sources(
    project: Project, paths: Sequence[str] = (), *, retry_rejects: bool = False
) -> tuple[FileResult, ...]:
    """Store what is new in the project's sources, or in `paths`, which are read like the first source.

    With `retry_rejects`, also read files with rejected rows again. Such a file that is no longer in a source gets a
    result that says so.
    """
    sources = run_sources(project, paths)
    movable = [folder for folder in sources.folders if folder.move_done]
    archives = [replace(folder, path=folder.path / DONE_FOLDER, move_done=False) for folder in movable]
    archives_to_read = [archive for archive in archives if archive.path.is_dir()] if retry_rejects else []
    rules, readings = task_inputs.ingest_rules(project), task_inputs.readings(project)

    step_log.debug("looking for files")
    files = prefect_tasks.find_files([*sources.folders, *archives_to_read])
    refuse_shared_files(files.readable)
    results = prefect_tasks.ingest_files(project.warehouse, files, rules, readings, retry_rejects=retry_rejects)
    objects = ObjectResults()
    if sources.stores:
        objects = prefect_tasks.ingest_objects(
            project.warehouse, sources.stores, rules, retry_rejects=retry_rejects, readings=readings
        )
    missing = []
    if retry_rejects and not paths:
        unread_sources = objects.unreachable | {file.source for file in files.unreadable}
        missing = prefect_tasks.missing_files(project.warehouse, [*files.readable, *objects.files], unread_sources)
    if archives:
        prefect_tasks.archive_files(project.warehouse, files.readable, readings)
    polled = []
    if sources.live:
        polled = prefect_tasks.poll_live_sources(project.warehouse, sources.live, rules, again=retry_rejects)
    counted = []
    if sources.datasets:
        counted = prefect_tasks.count_datasets(
            project.warehouse, sources.datasets, task_inputs.count_rules(project), again=retry_rejects
        )
    return (*results, *objects.results, *polled, *counted, *missing)


def rename_raters(run: TrackedRun) -> None:
    """Give the ratings that are stored under an alias of `[raters]` to their rater."""
    rules = task_inputs.ingest_rules(run.project)
    if rules.aliases:
        run.notes += prefect_tasks.apply_aliases(run.project.warehouse, rules)


def evaluate_questions(project: Project, *, everything: bool = False) -> list[QuestionResult]:
    """Compute agreement and accuracy of the questions that changed since they were last evaluated.

    With `everything`, compute all questions from their ratings, and check that the patterns in the warehouse equal
    those of the ratings.
    """
    return _process_questions(project, "evaluate", everything=everything)


def monitor_questions(project: Project, run_id: str) -> list[QuestionResult]:
    """Compute the windows of the questions that changed since they were last monitored, and all charts and alerts.

    Messages about alerts are written here, with the alerts, and sent by `notify_channels`.
    """
    windows = _process_questions(project, "monitor")
    configs, coefficient = task_inputs.monitoring_configs(project), project.settings.alerts.coefficient
    telling = prefect_tasks.Telling(task_inputs.message_routes(project), task_inputs.alert_mutes(project), run_id)
    step_log.debug("charts and alerts")
    charts = prefect_tasks.update_charts(project.warehouse, configs, telling)
    rules = prefect_tasks.check_rules(project.warehouse, configs, coefficient, telling)
    failed = {question.question for question in windows if question.error}  # each failure is reported once
    charts = [question for question in charts if not (question.error and question.question in failed)]
    return windows + charts + rules


def publish_run(run: TrackedRun) -> None:
    """Check the names in the settings, close the run, publish the snapshot and write the report.

    The run is closed first, so that the snapshot and the report show how it ended.
    """
    project = run.project
    run.notes += prefect_tasks.check_setting_names(project.warehouse, task_inputs.setting_names(project))
    run.close()
    step_log.debug("publishing the snapshot")
    prefect_tasks.publish_snapshot(project.warehouse, project.published, **project.publishing)
    title = project.settings.project.name
    step_log.debug("writing the report")
    prefect_tasks.write_report(project.snapshot, project.report, title=title, code_version=CODE_VERSION)


def notify_channels(run: TrackedRun) -> None:
    """Send the messages about alerts that wait, if the settings name a channel. A channel that fails is noted.

    It comes after `publish_run`: the messages name the report and the snapshot, which show the alerts by then. After
    messages were sent, or could not be, the snapshot is published again: its table `messages` says so.
    """
    project = run.project
    if routes := task_inputs.message_routes(project):
        context = task_inputs.message_context(project)
        step_log.debug("sending messages")
        run.deliveries += prefect_tasks.send_messages(project.warehouse, routes, context, run_id=run.run_id)
        run.notes += [delivery.note for delivery in run.deliveries]
        if any(delivery.status in ("sent", "failed") for delivery in run.deliveries):
            _publish_messages(project)


def _publish_messages(project: Project) -> None:
    """Publish the snapshot a second time in a run. The first one, which differs in the messages only, is not kept."""
    prefect_tasks.publish_snapshot(project.warehouse, project.published, **{**project.publishing, "keep": 0})
    with suppress(FileNotFoundError):
        # The report shows no messages, so it is as new as the snapshot: an idle run compares the times.
        os.utime(project.report)


def publish_elsewhere(run: TrackedRun) -> None:
    """Publish the tables of the snapshot to the targets in the settings. A target that fails is noted.

    It comes after the report and the messages, which do not wait for a slow server.
    """
    project = run.project
    if targets := publish_targets(project):
        step_log.debug("publishing elsewhere")
        run.publications += prefect_tasks.publish_elsewhere(targets, project.snapshot, project.publications)
        run.notes += [publication.note for publication in run.publications]


def show_run(run: TrackedRun) -> None:
    """Show the run in Prefect: its name, its events, its summary and tables."""
    step_log.debug("ending the run")
    name_run(run.result)
    emit_events(run.project, run.result)
    prefect_tasks.write_summary_artifacts(run.project.snapshot, run.project.report, run.result)


def _process_questions(project: Project, kind: str, *, everything: bool = False) -> list[QuestionResult]:
    settings = project.settings
    configs, options = task_inputs.question_configs(project), task_inputs.evaluation_options(project)
    questions = prefect_tasks.pending_questions(project.warehouse, kind, configs, options, everything=everything)
    if not questions:
        return []
    if runs_alone(settings.workers, questions):
        return prefect_tasks.process_questions(project.warehouse, kind, questions, configs, options, recount=everything)
    with task_runner(settings.workers) as runner:
        return prefect_tasks.process_questions_on_workers(
            runner, n_parts(settings.workers, questions), project.warehouse, kind, questions, configs, options,
            recount=everything,
        )  # fmt: skip
