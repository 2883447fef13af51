"""The tasks as Prefect tasks: the only place that wraps them, and the only one below flows that knows Prefect.

A step that touches files or the warehouse is retried, because doing it again does no harm. Arithmetic is not: what
fails once fails again, and each question's failure is recorded where it happens.
"""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
from prefect import task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner

from tasks import experiments, page, runs
from tasks.done import put_away
from tasks.ingest import Ingested, ingest, missing
from tasks.live.label_studio import poll
from tasks.live.source import LiveSource
from tasks.questions import Asked, Declarations, Job, Outcome, Result, compute, pending, work_through
from tasks.results import overall, read_views
from tasks.rules import Rules
from tasks.stores.source import Store
from tasks.stores.take_in import Taken, take_in
from tasks.sweep import Folder, Found, sweep
from warehouse.publish import publish
from warehouse.reads import Question


@task(name="open-warehouse", retries=2, retry_delay_seconds=2)
def open_run(db: Path, kind: str, code_version: str) -> str:
    """Migrate the warehouse, close runs that a crash left open, and open this one; gives its id."""
    return runs.open_run(db, kind, code_version, now=datetime.now(UTC))


@task(name="sweep-sources", retries=2, retry_delay_seconds=2)
def sweep_sources(folders: Sequence[Folder]) -> list[Found]:
    return sweep(folders)


@task(name="ingest-files", retries=2, retry_delay_seconds=2)
def ingest_files(db: Path, found: Sequence[Found], rules: Rules, retry_rejects: bool) -> list[Ingested]:
    return list(ingest(db, found, rules, retry_rejects=retry_rejects))


@task(name="put-away-files", retries=2, retry_delay_seconds=2)
def put_away_files(db: Path, found: Sequence[Found]) -> list[Path]:
    return put_away(db, found)


@task(name="take-in-objects", retries=2, retry_delay_seconds=2)
def take_in_objects(db: Path, stores: Sequence[Store], rules: Rules, retry_rejects: bool) -> Taken:
    """A store that does not answer is a result, not a failure of the step; the vendor's library has its own retries."""
    return take_in(db, stores, rules, retry_rejects=retry_rejects)


@task(name="poll-sources", retries=2, retry_delay_seconds=2)
def poll_sources(db: Path, sources: Sequence[LiveSource], rules: Rules, again: bool) -> list[Ingested]:
    """A source that does not answer is a result, not a failure of the step; the client has its own retries."""
    return list(poll(db, sources, rules, again=again))


@task(name="missing-files", retries=2, retry_delay_seconds=2)
def missing_files(db: Path, found: Sequence[Found], unseen: Collection[str]) -> list[Ingested]:
    return missing(db, found, unseen)


@task(name="pending-questions", retries=2, retry_delay_seconds=2)
def pending_questions(db: Path, kind: str, declared: Declarations, asked: Asked, everything: bool) -> list[Question]:
    return pending(db, kind, declared, asked, everything=everything)


@task(name="work-through-questions")
def work_through_questions(
    db: Path, kind: str, due: Sequence[Question], declared: Declarations, asked: Asked, recount: bool = False
) -> list[Outcome]:
    return list(work_through(db, kind, due, declared, asked, recount=recount))


@task(name="compute-questions", cache_policy=NO_CACHE)
def compute_questions(jobs: Sequence[Job]) -> list[Result]:
    """A part of the questions of a run, on a worker: patterns in, tables out, no file and no warehouse."""
    return [compute(job) for job in jobs]


def spread_questions(
    runner: TaskRunner[Any],
    n_parts: int,
    db: Path,
    kind: str,
    due: Sequence[Question],
    declared: Declarations,
    asked: Asked,
    recount: bool = False,
) -> list[Outcome]:
    """`work_through_questions` with the computing spread over the workers of a task runner, in `n_parts` parts."""
    size = -(-len(due) // n_parts)

    def computing(jobs: Iterator[Job]) -> Iterator[tuple[Job, Result]]:
        at_work: deque[tuple[list[Job], PrefectFuture[list[Result]]]] = deque()
        while part := list(islice(jobs, size)):
            at_work.append((part, runner.submit(compute_questions, {"jobs": part})))
        while at_work:
            part, future = at_work.popleft()
            yield from zip(part, future.result(), strict=True)

    return list(work_through(db, kind, due, declared, asked, recount=recount, computing=computing))


@task(name="close-run", retries=2, retry_delay_seconds=2)
def close_run(db: Path, run_id: str, status: str, detail: str | None) -> None:
    runs.close_run(db, run_id, status, detail, now=datetime.now(UTC))


@task(name="publish-snapshot", retries=2, retry_delay_seconds=2)
def publish_snapshot(db: Path, folder: Path, *, parquet: bool = False, keep: int = 0) -> Path:
    return publish(db, folder, parquet=parquet, keep=keep)


@task(name="write-report", retries=2, retry_delay_seconds=2)
def write_report(snapshot: Path, path: Path, title: str, code_version: str) -> Path:
    return page.write_report(snapshot, path, title=title, code_version=code_version)


@task(name="table-artifact")
def table_artifact(snapshot: Path) -> None:
    """The latest agreement of each question, on the run's page in Prefect."""
    latest = overall(read_views(snapshot, "latest_agreement")["latest_agreement"])
    rows = latest.select("question", "coefficient", "estimate", "low", "high", "n_items", "reason").to_dicts()
    create_table_artifact(table=rows, key="agreement", description="Latest agreement of the annotators, per question")


@task(name="experiment")
def experiment(figure: int, runs: int, seed: int, methods: Sequence[str]) -> pl.DataFrame:
    """All runs of one figure."""
    return experiments.run_studies(experiments.paper_studies([figure]), runs=runs, seed=seed, methods=methods)


@task(name="write-experiments", retries=2, retry_delay_seconds=2)
def write_experiments(folder: Path, frame: pl.DataFrame, figures: Sequence[int] | None, seed: int) -> list[Path]:
    return experiments.write_folder(folder, frame, experiments.paper_studies(figures), seed=seed)


@task(name="experiments-artifact")
def experiments_artifact(frame: pl.DataFrame, figures: Sequence[int] | None) -> None:
    """One row per figure, system and method, on the run's page in Prefect."""
    rows = experiments.closeness(frame, experiments.paper_studies(figures)).to_dicts()
    create_table_artifact(table=rows, key="experiments", description="Estimated against simulated accuracy")
