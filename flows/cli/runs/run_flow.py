"""Run one flow from the command line, with progress lines instead of Prefect's log."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from flows.cli.runs.run_progress import Detail, run_progress
from flows.project_folder import Project
from flows.service.environment import enter, quiet_end
from flows.service.prefect_start import check_folder, load_prefect, prefect_errors
from flows.service.temporary_server import start_temporary_server

if TYPE_CHECKING:
    from flows.run_result import RunResult


def run_flow(
    kind: str, project: Project, *, quiet: bool, detail: Detail = Detail.RESULTS, **parameters: object
) -> tuple["RunResult", bool]:
    """Run a flow on the project. Return its results, and whether it failed.

    Raises the errors of the flow, such as InputError.
    """
    quiet_end()
    check_folder(project)
    enter(project)
    with prefect_errors(project.folder), run_progress(quiet=quiet, detail=detail):
        wait_for_server = start_temporary_server()
        load_prefect()
        flow = _flow(kind)
        from flows.run_result import RunFailedError
        from flows.service.stale_runs import close_stale_runs

        wait_for_server()
        close_stale_runs(project.folder)
        try:
            return flow(folder=str(project.folder), **parameters), False
        except RunFailedError as failure:
            return failure.result, True


def _flow(kind: str) -> Callable[..., "RunResult"]:
    from flows.pipeline import evaluate, ingest, monitor, pipeline

    flows: dict[str, Callable[..., RunResult]] = {
        "ingest": ingest,
        "evaluate": evaluate,
        "monitor": monitor,
        "pipeline": pipeline,
    }
    return flows[kind]
