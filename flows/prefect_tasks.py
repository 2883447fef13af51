"""The units of work as Prefect tasks: the only module that wraps them.

A task is tried again only after a fault that can pass by itself: a busy warehouse or a broken connection. A mistake
of the user, or of the program, would only fail again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import polars as pl
from prefect import task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner
from prefect.tasks import Task

from flows import simulation
from tasks import question_runs, setting_names
from tasks.evaluate import published_views, run_records
from tasks.ingest import ingest_files as file_ingest
from tasks.ingest.batch_identity import Readings
from tasks.ingest.ingest_files import FileResult
from tasks.ingest.ingest_rules import IngestRules
from tasks.question_runs import EvaluationOptions, JobResult, QuestionConfigs, QuestionJob, QuestionResult
from tasks.report import write_report as report
from tasks.sources import archive, folder
from tasks.sources.folder import SourceFiles
from tasks.sources.live_label_studio import poll
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.object_store import ingest_objects as object_ingest
from warehouse.errors import WarehouseBusyError
from warehouse.publish import publish
from warehouse.questions import StoredQuestion

P = ParamSpec("P")
R = TypeVar("R")
RETRIES = 2
RETRY_DELAY_SECONDS = 2


def can_pass(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether the failure of a task can pass by itself."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, (WarehouseBusyError, ConnectionError, TimeoutError))


def retried(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """A Prefect task that is tried again after a fault that can pass."""
    return task(name=name, retries=RETRIES, retry_delay_seconds=RETRY_DELAY_SECONDS, retry_condition_fn=can_pass)


@retried("open-run")
def open_run(db: Path, kind: str, code_version: str) -> str:
    return run_records.open_run(db, kind, code_version, now=datetime.now(UTC))


@retried("close-run")
def close_run(db: Path, run_id: str, status: str, detail: str | None) -> None:
    run_records.close_run(db, run_id, status, detail, now=datetime.now(UTC))


find_files = retried("find-files")(folder.find_files)
archive_files = retried("archive-files")(archive.archive_stored_files)
ingest_objects = retried("ingest-objects")(object_ingest.ingest_objects)
missing_files = retried("missing-files")(file_ingest.missing_files)
pending_questions = retried("pending-questions")(question_runs.pending_questions)
check_setting_names = retried("check-setting-names")(setting_names.noted_names)
publish_snapshot = retried("publish-snapshot")(publish)
write_report = retried("write-report")(report.write_report)


@retried("ingest-files")
def ingest_files(
    db: Path, files: SourceFiles, rules: IngestRules, readings: Readings, *, retry_rejects: bool
) -> list[FileResult]:
    """Store the files that can be read; one that the system does not let us read has the status `failed`."""
    results = file_ingest.ingest(db, files.found, rules, retry_rejects=retry_rejects, readings=readings)
    return [*results, *file_ingest.unread_files(files.unreadable)]


@retried("poll-live-sources")
def poll_live_sources(db: Path, sources: Sequence[LiveSource], rules: IngestRules, *, again: bool) -> list[FileResult]:
    return list(poll.poll(db, sources, rules, again=again))


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
    return list(question_runs.process_questions(db, kind, questions, configs, options, recount=recount))


@task(name="compute-questions", cache_policy=NO_CACHE)
def compute_questions(jobs: Sequence[QuestionJob]) -> list[JobResult]:
    """Compute a part of the questions of a run on a worker: patterns in, tables out, no file and no warehouse."""
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
    """`process_questions` with the computing spread over the workers of a task runner, in `n_parts` parts."""
    size = -(-len(questions) // n_parts)

    def on_workers(jobs: Iterator[QuestionJob]) -> Iterator[tuple[QuestionJob, JobResult]]:
        submitted: deque[tuple[list[QuestionJob], PrefectFuture[list[JobResult]]]] = deque()
        while part := list(islice(jobs, size)):
            submitted.append((part, runner.submit(compute_questions, {"jobs": part})))
        while submitted:
            part, future = submitted.popleft()
            yield from zip(part, future.result(), strict=True)

    results = question_runs.process_questions(
        db, kind, questions, configs, options, recount=recount, computing=on_workers
    )
    return list(results)


@task(name="agreement-artifact")
def write_agreement_artifact(snapshot: Path) -> None:
    """Show the latest agreement of each question on the run's page in Prefect."""
    latest = published_views.overall(published_views.read_views(snapshot, "latest_agreement")["latest_agreement"])
    rows = latest.select("question", "coefficient", "estimate", "low", "high", "n_items", "reason").to_dicts()
    create_table_artifact(table=rows, key="agreement", description="Latest agreement of the annotators, per question")


@task(name="simulate-figure")
def simulate_figure(figure: int, runs: int, seed: int, methods: Sequence[str]) -> pl.DataFrame:
    """Simulate all runs of one figure."""
    return simulation.run_studies(simulation.paper_studies([figure]), runs=runs, seed=seed, methods=methods)


@retried("write-simulation")
def write_simulation(path: Path, frame: pl.DataFrame, figures: Sequence[int] | None, seed: int) -> list[Path]:
    return simulation.write_folder(path, frame, simulation.paper_studies(figures), seed=seed)


@task(name="simulation-artifact")
def write_simulation_artifact(frame: pl.DataFrame, figures: Sequence[int] | None) -> None:
    """Show one row per figure, system and method on the run's page in Prefect."""
    rows = simulation.closeness(frame, simulation.paper_studies(figures)).to_dicts()
    create_table_artifact(table=rows, key="experiments", description="Estimated against simulated accuracy")
