"""The units of work as Prefect tasks. No other module wraps them.

A task is retried only after an error that can pass: a busy warehouse or a broken connection. A mistake of the user or
of the program would only fail again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import polars as pl
from duckdb import DuckDBPyConnection
from prefect import task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner
from prefect.tasks import Task

from flows import run_summary, simulation
from flows.prefect_progress import with_progress
from flows.run_result import RunResult
from flows.service.environment import replayed_day
from tasks import question_runs, setting_names
from tasks.evaluate import pending_questions as pending
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.ingest import ingest_files as file_ingest
from tasks.ingest import stored_aliases
from tasks.ingest.batch_identity import Readings
from tasks.ingest.datasets import count_datasets as datasets
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_rules import IngestRules
from tasks.monitor import chart_updates
from tasks.monitor import check_rules as rules
from tasks.monitor.monitoring_configs import MonitoringConfigs
from tasks.notify import send_messages as outgoing
from tasks.publish import publish_elsewhere as elsewhere
from tasks.question_result import QuestionResult
from tasks.question_runs import JobResult, QuestionJob
from tasks.report import write_report as report
from tasks.runs import run_records
from tasks.sources import archive, folder
from tasks.sources.folder import SourceFiles
from tasks.sources.live_label_studio import poll
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.object_store import ingest_objects as object_ingest
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alert_mutes import AlertMute, mute_by_settings
from warehouse.alerting.messages import MessageRoute, write_messages
from warehouse.connect import connect
from warehouse.errors import WarehouseBusyError
from warehouse.publication.snapshot import publish
from warehouse.questions import StoredQuestion
from warehouse.sql import transaction

P = ParamSpec("P")
R = TypeVar("R")
Tell = Callable[[DuckDBPyConnection, Sequence[AlertChange]], None]
MAX_RETRIES = 2
RETRY_DELAY_SECONDS = 2
ARTIFACTS = {
    "agreement": "Latest agreement of the annotators, per question",
    "system-accuracy": "Latest accuracy of the systems, per question",
    "open-alerts": "Open alerts",
    "files": "Files of this run",
}


@dataclass(frozen=True)
class Telling:
    """What this run needs to write messages about alerts: the channels, the mutes, and its id."""

    routes: Sequence[MessageRoute]
    mutes: Sequence[AlertMute]
    run_id: str

    def teller(self, now: datetime) -> Tell:
        """Return the function that writes messages, in the transaction that changes the alerts."""

        def tell(con: DuckDBPyConnection, changes: Sequence[AlertChange]) -> None:
            mute_by_settings(con, self.mutes, now=now)
            write_messages(con, changes, self.routes, run_id=self.run_id, now=now)

        return tell


def can_pass(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Return whether the error of a failed task can pass, so that a retry makes sense."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, (WarehouseBusyError, ConnectionError, TimeoutError))


def retried(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """Wrap a function as a Prefect task that is retried after an error that can pass."""
    return task(name=name, retries=MAX_RETRIES, retry_delay_seconds=RETRY_DELAY_SECONDS, retry_condition_fn=can_pass)


@retried("open-run")
def open_run(db: Path, kind: str, code_version: str, timezone: str) -> str:
    """Add a row to `runs` that begins now, and return its id."""
    return run_records.open_run(db, kind, code_version, now=datetime.now(UTC), timezone=timezone)


@retried("close-run")
def close_run(db: Path, run_id: str, status: str, detail: str | None) -> None:
    """Record how the run ended, and when: now."""
    run_records.close_run(db, run_id, status, detail, now=datetime.now(UTC))


find_files = retried("find-files")(folder.find_files)
apply_aliases = retried("apply-aliases")(stored_aliases.apply_aliases)
archive_files = retried("archive-files")(archive.archive_stored_files)
count_datasets = retried("count-datasets")(datasets.count_datasets)
ingest_objects = retried("ingest-objects")(object_ingest.ingest_objects)
missing_files = retried("missing-files")(file_ingest.missing_files)
pending_questions = retried("pending-questions")(pending.pending_questions)
check_setting_names = retried("check-setting-names")(setting_names.noted_names)
publish_snapshot = retried("publish-snapshot")(publish)
write_report = retried("write-report")(report.write_report)
publish_elsewhere = retried("publish-elsewhere")(elsewhere.publish_elsewhere)
send_messages = retried("send-messages")(outgoing.send_messages)


@retried("ingest-files")
def ingest_files(
    db: Path, files: SourceFiles, rules: IngestRules, readings: Readings, *, retry_rejects: bool
) -> list[FileResult]:
    """Store the files. A file that the operating system does not let us read has the status `failed`."""
    results = file_ingest.ingest(db, files.readable, rules, retry_rejects=retry_rejects, readings=readings)
    return [*results, *file_ingest.unread_files(files.unreadable)]


@retried("poll-live-sources")
def poll_live_sources(db: Path, sources: Sequence[LiveSource], rules: IngestRules, *, again: bool) -> list[FileResult]:
    """Ask each live Label Studio for what changed, and store it. With `again`, also retry what was rejected."""
    return list(poll.poll(db, sources, rules, again=again))


@retried("update-charts")
def update_charts(db: Path, configs: MonitoringConfigs, telling: Telling) -> list[QuestionResult]:
    """Mute what the settings mute, update the charts and their alerts, and write the messages about them.

    A question whose charts changed no alert has no result.
    """
    now = datetime.now(UTC)
    with connect(db) as con, transaction(con):
        mute_by_settings(con, telling.mutes, now=now)
    updates = chart_updates.update_charts(db, configs, now=now, today=replayed_day(), tell=telling.teller(now))
    return [
        QuestionResult("charts", update.question, 0, (), update.error, update.changes)
        for update in updates
        if update.changes or update.error
    ]


@retried("check-rules")
def check_rules(db: Path, configs: MonitoringConfigs, coefficient: str, telling: Telling) -> list[QuestionResult]:
    """Hold the figures to the limits in the settings, open and close alerts, and write the messages about them.

    A question whose rules changed no alert has no result.
    """
    now = datetime.now(UTC)
    checks = rules.check_rules(db, configs, coefficient=coefficient, now=now, tell=telling.teller(now))
    return [QuestionResult("rules", check.question, 0, (), None, check.changes) for check in checks]


@task(name="process-questions")
def process_questions(
    db: Path,
    kind: str,
    questions: Sequence[StoredQuestion],
    configs: QuestionConfigs,
    options: EvaluationOptions,
    *,
    recount: bool = False,
) -> list[QuestionResult]:
    """Evaluate or monitor the questions in this process, one after another."""
    results = question_runs.process_questions(db, kind, questions, configs, options, recount=recount)
    return list(with_progress(results, len(questions), kind))


@task(name="compute-questions", cache_policy=NO_CACHE)
def compute_questions(jobs: Sequence[QuestionJob]) -> list[JobResult]:
    """Compute some of the questions of a run on a worker, from patterns to tables, without files or the warehouse."""
    return [question_runs.compute_question(job) for job in jobs]


def process_questions_on_workers(
    runner: TaskRunner[Any],
    n_parts: int,
    db: Path,
    kind: str,
    questions: Sequence[StoredQuestion],
    configs: QuestionConfigs,
    options: EvaluationOptions,
    *,
    recount: bool = False,
) -> list[QuestionResult]:
    """Evaluate or monitor the questions on the workers of a task runner, in `n_parts` parts."""
    part_size = -(-len(questions) // n_parts)  # rounded up

    def compute_on_workers(jobs: Iterator[QuestionJob]) -> Iterator[tuple[QuestionJob, JobResult]]:
        submitted: deque[tuple[list[QuestionJob], PrefectFuture[list[JobResult]]]] = deque()
        while part := list(islice(jobs, part_size)):
            submitted.append((part, runner.submit(compute_questions, {"jobs": part})))
        while submitted:
            part, future = submitted.popleft()
            yield from zip(part, future.result(), strict=True)

    results = question_runs.process_questions(
        db, kind, questions, configs, options, recount=recount, computing=compute_on_workers
    )
    return list(with_progress(results, len(questions), kind))


@task(name="summary-artifacts", cache_policy=NO_CACHE)
def write_summary_artifacts(snapshot: Path, report: Path, result: RunResult) -> None:
    """Show the summary of the run on its page in Prefect, and the tables if it changed anything.

    Each table of each run is kept for days. A run that found nothing new has the tables of the one before.
    """
    tables = run_summary.summary_tables(snapshot, result)
    for name, rows in tables.items() if result.files or result.questions else ():
        create_table_artifact(table=rows, key=name, description=ARTIFACTS[name])
    create_markdown_artifact(run_summary.summary_markdown(result, tables, report), key="summary")


@task(name="simulate-figure")
def simulate_figure(figure: int, runs: int, seed: int, methods: Sequence[str]) -> pl.DataFrame:
    """Simulate all runs of one figure."""
    return simulation.run_studies(simulation.paper_studies([figure]), runs=runs, seed=seed, methods=methods)


@retried("write-simulation")
def write_simulation(path: Path, frame: pl.DataFrame, figures: Sequence[int] | None, seed: int) -> list[Path]:
    """Write the files of a simulation, and return their paths."""
    return simulation.write_folder(path, frame, simulation.paper_studies(figures), seed=seed)


@task(name="simulation-artifact")
def write_simulation_artifact(frame: pl.DataFrame, figures: Sequence[int] | None) -> None:
    """Show one row per figure, system and method on the run's page in Prefect."""
    rows = simulation.closeness(frame, simulation.paper_studies(figures)).to_dicts()
    create_table_artifact(table=rows, key="experiments", description="Estimated against simulated accuracy")
