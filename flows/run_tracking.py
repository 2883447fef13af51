"""One run of a flow: its row in the table `runs`, its results, and how it ended."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from flows import prefect_tasks
from flows.cli.terminal import clean_log
from flows.fault_log import log_faults_briefly
from flows.project_folder import CODE_VERSION, Project, find_project
from flows.run_result import RunFailedError, RunResult
from flows.service.environment import quiet_end
from flows.service.stale_runs import mark_run
from tasks.ingest.file_result import FileResult
from tasks.notify.delivery import Delivery
from tasks.publish.publish_targets import Publication
from tasks.question_result import QuestionResult
from warehouse.publication.snapshot import keep_as_backup

log = logging.getLogger("kappaflow")


@dataclass
class TrackedRun:
    """A run in progress. The stages add to its lists."""

    project: Project
    run_id: str
    files: list[FileResult] = field(default_factory=list)
    questions: list[QuestionResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    publications: list[Publication] = field(default_factory=list)
    is_closed: bool = False

    @property
    def result(self) -> RunResult:
        """What the run has done so far."""
        return RunResult(
            tuple(self.files),
            tuple(self.questions),
            tuple(self.notes),
            tuple(self.deliveries),
            tuple(self.publications),
        )

    def close(self, error: str | None = None) -> None:
        """Record how the run ended: failed with `error` or the failure of its results, else succeeded."""
        detail = error or self.result.failure
        prefect_tasks.close_run(self.project.warehouse, self.run_id, "failed" if detail else "succeeded", detail)
        self.is_closed = True


@contextmanager
def tracked_run(kind: str, folder: str | None) -> Iterator[TrackedRun]:
    """Open a run on the project in `folder`, and record the run as failed if the block raises.

    Raises RunFailedError at the end of the block if a question could not be evaluated, a file not be read or a source
    not be reached.
    """
    quiet_end()
    clean_log()
    log_faults_briefly()
    mark_run()
    project = find_project(folder)
    timezone = project.settings.project.timezone
    notes = _keep_what_is_left(project)
    run = TrackedRun(project, prefect_tasks.open_run(project.warehouse, kind, CODE_VERSION, timezone), notes=notes)
    try:
        yield run
    except Exception as error:
        if not run.is_closed:
            run.close(f"{type(error).__name__}: {error}")
        raise
    if run.result.failure:
        raise RunFailedError(run.result)


def _keep_what_is_left(project: Project) -> list[str]:
    """Keep the snapshot of a warehouse that is gone, and say so: this run begins a new one, and replaces the snapshot.

    Raises WarehouseError if the snapshot cannot be kept.
    """
    if project.warehouse.exists() or (backup := keep_as_backup(project.published, project.backups)) is None:
        return []
    sentence = (
        f"There was no warehouse {project.warehouse}, so this run began a new one. It has no history, takes in files "
        f"that were withdrawn, and does not know who was forgotten. The last snapshot, which is a copy of the old "
        f"warehouse, is now the backup {backup}; `kappaflow help look-after-the-warehouse` says how to restore it."
    )
    log.warning(sentence)
    return [sentence]
