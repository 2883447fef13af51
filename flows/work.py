"""The parts that the flows are put together from; each is called inside a flow and runs steps.

They are plain functions, not subflows: a subflow costs a second of Prefect's own time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flows import specs
from flows.environment import quiet_end
from flows.project import CODE_VERSION, Project, find
from tasks import steps
from tasks.ingest import Ingested
from tasks.questions import Asked, Outcome


@dataclass(frozen=True)
class Done:
    """What one flow run did; `failed` names the questions that could not be evaluated."""

    files: tuple[Ingested, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def failed(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.error)


class RunFailedError(Exception):
    """A run that did all it could, but some questions could not be evaluated; `done` is what it did."""

    def __init__(self, done: Done) -> None:
        super().__init__("; ".join(f"{outcome.question}: {outcome.error}" for outcome in done.failed))
        self.done = done


def recorded(kind: str, folder: str | None, work: Callable[[Project], Done]) -> Done:
    """Do the work as one row of `runs`, then publish, so that the snapshot shows how the run ended.

    Raises what the work raises, recorded as a failed run; RunFailedError when a question could not be evaluated,
    after everything else was done and published.
    """
    quiet_end()
    project = find(folder)
    run_id = steps.open_run(project.warehouse, kind, CODE_VERSION)
    try:
        done = work(project)
    except Exception as error:
        steps.close_run(project.warehouse, run_id, "failed", f"{type(error).__name__}: {error}")
        raise
    failure = RunFailedError(done) if done.failed else None
    steps.close_run(project.warehouse, run_id, "failed" if failure else "succeeded", str(failure) if failure else None)
    snapshot = steps.publish_snapshot(project.warehouse, project.published)
    steps.write_report(snapshot, project.report, project.settings.project.name, CODE_VERSION)
    if failure:
        raise failure
    return done


def ingest_sources(project: Project, paths: Sequence[str] = ()) -> tuple[Ingested, ...]:
    """Take in what lies in the project's sources, or in these files and folders, read as the first source is."""
    folders = specs.folders(project)
    named = [replace(folders[0], name="command line", path=Path(path)) for path in paths]
    found = steps.sweep_sources(named or folders)
    return tuple(steps.ingest_files(project.warehouse, found, specs.declared_labels(project)))


def work_through(project: Project, kind: str, *, everything: bool = False) -> tuple[Outcome, ...]:
    """Evaluate or monitor the questions that changed since their last good run of this kind, or all."""
    asked = Asked(
        confidence=project.settings.evaluate.confidence,
        seed=project.settings.evaluate.seed,
        alert_coefficient=project.settings.alerts.coefficient,
        code_version=CODE_VERSION,
    )
    declared = specs.declarations(project)
    due = steps.pending_questions(project.warehouse, kind, declared, asked, everything)
    return tuple(steps.work_through_questions(project.warehouse, kind, due, declared, asked)) if due else ()
