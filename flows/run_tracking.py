"""One run of a flow: its row in the table `runs`, its results, and how it ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from flows import prefect_tasks
from flows.cli.terminal import clean_log
from flows.project_folder import CODE_VERSION, Project, find_project
from flows.service.environment import quiet_end
from flows.service.stale_runs import mark_run
from tasks.ingest.ingest_files import FileResult
from tasks.question_runs import QuestionResult


@dataclass(frozen=True)
class RunResult:
    """The results of one run for each file and each question. `notes` are sentences about the settings."""

    files: tuple[FileResult, ...] = ()
    questions: tuple[QuestionResult, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def failed_questions(self) -> tuple[QuestionResult, ...]:
        """Return the questions that could not be evaluated."""
        return tuple(question for question in self.questions if question.error)

    @property
    def failed_files(self) -> tuple[FileResult, ...]:
        """Return the files that could not be read this time, and the sources that did not answer."""
        return tuple(file for file in self.files if file.status == "failed")

    @property
    def failure(self) -> str | None:
        """Return why the run counts as failed, or None if it succeeded."""
        files = [f"{file.file_name}: {file.detail}" for file in self.failed_files]
        questions = [f"{question.question}: {question.error}" for question in self.failed_questions]
        return "; ".join(files + questions) or None


class RunFailedError(Exception):
    """The run ended, but it could not evaluate a question, read a file or reach a source."""

    def __init__(self, result: RunResult) -> None:
        super().__init__(result.failure)
        self.result = result


@dataclass
class TrackedRun:
    """A run in progress. The stages add to `files`, `questions` and `notes`."""

    project: Project
    run_id: str
    files: list[FileResult] = field(default_factory=list)
    questions: list[QuestionResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_closed: bool = False

    @property
    def result(self) -> RunResult:
        """What the run has done so far."""
        return RunResult(tuple(self.files), tuple(self.questions), tuple(self.notes))

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
    mark_run()
    project = find_project(folder)
    timezone = project.settings.project.timezone
    run = TrackedRun(project, prefect_tasks.open_run(project.warehouse, kind, CODE_VERSION, timezone))
    try:
        yield run
    except Exception as error:
        if not run.is_closed:
            run.close(f"{type(error).__name__}: {error}")
        raise
    if run.result.failure:
        raise RunFailedError(run.result)
