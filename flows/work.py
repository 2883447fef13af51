"""The parts that the flows are put together from; each is called inside a flow and runs steps.

They are plain functions, not subflows: a subflow costs a second of Prefect's own time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flows import specs
from flows.environment import quiet_end
from flows.left_open import mark
from flows.project import CODE_VERSION, Project, find
from flows.workers import alone, n_parts, task_runner
from tasks import steps
from tasks.ingest import Ingested
from tasks.questions import Asked, Outcome
from tasks.stores.take_in import Taken
from tasks.sweep import DONE


@dataclass(frozen=True)
class Done:
    """What one flow run did; `failed` names the questions that could not be evaluated, `silent` the sources that
    did not answer: object stores and live ones."""

    files: tuple[Ingested, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def failed(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.error)

    @property
    def silent(self) -> tuple[Ingested, ...]:
        return tuple(file for file in self.files if file.status == "failed")


class RunFailedError(Exception):
    """A run that did all it could, but a question could not be evaluated or a source not reached; `done` is what
    it did."""

    def __init__(self, done: Done) -> None:
        reasons = [f"{file.file_name}: {file.detail}" for file in done.silent]
        super().__init__("; ".join(reasons + [f"{outcome.question}: {outcome.error}" for outcome in done.failed]))
        self.done = done


def recorded(kind: str, folder: str | None, work: Callable[[Project], Done]) -> Done:
    """Do the work as one row of `runs`, then publish, so that the snapshot shows how the run ended.

    Raises what the work raises, recorded as a failed run; RunFailedError when a question could not be evaluated or
    a source not be reached, after everything else was done and published.
    """
    quiet_end()
    mark()
    project = find(folder)
    run_id = steps.open_run(project.warehouse, kind, CODE_VERSION)
    try:
        done = work(project)
    except Exception as error:
        steps.close_run(project.warehouse, run_id, "failed", f"{type(error).__name__}: {error}")
        raise
    failure = RunFailedError(done) if done.failed or done.silent else None
    steps.close_run(project.warehouse, run_id, "failed" if failure else "succeeded", str(failure) if failure else None)
    snapshot = steps.publish_snapshot(project.warehouse, project.published, **project.publishing)
    steps.write_report(snapshot, project.report, project.settings.project.name, CODE_VERSION)
    if failure:
        raise failure
    return done


def ingest_sources(project: Project, paths: Sequence[str] = (), *, retry_rejects: bool = False) -> tuple[Ingested, ...]:
    """Take in what lies in the project's sources, or in these files and folders, read as the first source is.

    With `retry_rejects` files with rejected rows are read again; of a sweep of the sources it is said which are gone.
    """
    folders, stores = specs.named(project, paths) if paths else (specs.folders(project), specs.stores(project))
    put_away = [replace(folder, path=folder.path / DONE, move_done=False) for folder in folders if folder.move_done]
    again = [folder for folder in put_away if folder.path.is_dir()] if retry_rejects else []
    found = steps.sweep_sources([*folders, *again])
    rules = specs.rules(project)
    taken_in = steps.ingest_files(project.warehouse, found, rules, retry_rejects)
    objects = Taken()
    if stores:
        objects = steps.take_in_objects(project.warehouse, stores, rules, retry_rejects)
    gone = []
    if retry_rejects and not paths:
        gone = steps.missing_files(project.warehouse, [*found, *objects.found], objects.silent)
    if put_away:
        steps.put_away_files(project.warehouse, found)
    live = [] if paths else specs.live_sources(project)
    polled = steps.poll_sources(project.warehouse, live, rules, retry_rejects) if live else []
    return (*taken_in, *objects.results, *polled, *gone)


def work_through(project: Project, kind: str, *, everything: bool = False) -> tuple[Outcome, ...]:
    """Evaluate or monitor the questions that changed since their last good run of this kind; or all, from the ratings
    themselves, once it is proved that the patterns in the warehouse equal them."""
    asked = Asked(
        confidence=project.settings.evaluate.confidence,
        seed=project.settings.evaluate.seed,
        alert_coefficient=project.settings.alerts.coefficient,
        code_version=CODE_VERSION,
        last_items=project.settings.evaluate.last_items,
    )
    declared = specs.declarations(project)
    due = steps.pending_questions(project.warehouse, kind, declared, asked, everything)
    if not due:
        return ()
    given, workers = (project.warehouse, kind, due, declared, asked, everything), project.settings.workers
    if alone(workers, due):
        return tuple(steps.work_through_questions(*given))
    with task_runner(workers) as runner:
        return tuple(steps.spread_questions(runner, n_parts(workers, due), *given))
